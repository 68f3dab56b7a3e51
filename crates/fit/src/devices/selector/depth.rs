//! How deep a parsed expression is.

use cel::common::ast::{EntryExpr, Expr, IdedExpr};

/// The longest way from the expression to something that has no parts.
pub(super) fn of(expression: &IdedExpr) -> usize {
    let deepest = |parts: &mut dyn Iterator<Item = &IdedExpr>| parts.map(of).max().unwrap_or(0);
    let entries = |entry: &EntryExpr| match entry {
        EntryExpr::StructField(field) => of(&field.value),
        EntryExpr::MapEntry(entry) => of(&entry.key).max(of(&entry.value)),
    };
    1 + match &expression.expr {
        Expr::Call(call) => {
            deepest(&mut call.target.iter().map(|target| &**target).chain(&call.args))
        }
        Expr::Comprehension(fold) => deepest(
            &mut [
                &fold.iter_range,
                &fold.accu_init,
                &fold.loop_cond,
                &fold.loop_step,
                &fold.result,
            ]
            .into_iter(),
        ),
        Expr::List(list) => deepest(&mut list.elements.iter()),
        Expr::Map(map) => map.entries.iter().map(|entry| entries(&entry.expr)).max().unwrap_or(0),
        Expr::Select(select) => of(&select.operand),
        Expr::Struct(value) => {
            value.entries.iter().map(|entry| entries(&entry.expr)).max().unwrap_or(0)
        }
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => 0,
    }
}
