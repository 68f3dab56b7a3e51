//! Text to expression: the grammar of the Common Expression Language.

mod tokens;

use serde_json::Value;
use tokens::{Token, Tokens};

/// More than any rule that people write; the parser calls itself.
const DEEPEST: usize = 60;
/// A chain of operators is as deep as it is long.
const MOST_OPERATORS: usize = 400;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Literal(Value),
    Name(Box<str>),
    /// `on.name`.
    Member(Box<Self>, Box<str>),
    /// `on[index]`.
    Index(Box<Self>, Box<Self>),
    /// `name(arguments)`, or `on.name(arguments)`.
    Call {
        on: Option<Box<Self>>,
        name: Box<str>,
        arguments: Vec<Self>,
    },
    Not(Box<Self>),
    Negate(Box<Self>),
    Binary(Operator, Box<Self>, Box<Self>),
    /// `condition ? yes : no`.
    Conditional(Box<Self>, Box<Self>, Box<Self>),
    List(Vec<Self>),
    Map(Vec<(Self, Self)>),
}

/// What stands between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// Reads an expression, or says why it is none.
pub(crate) fn parse(text: &str) -> Result<Expr, String> {
    let mut parser = Parser { tokens: Tokens::read(text)?, depth: 0, operators: 0 };
    let expr = parser.expression()?;
    match parser.tokens.next() {
        None => Ok(expr),
        Some(token) => Err(format!("unexpected {token}")),
    }
}

struct Parser {
    tokens: Tokens,
    depth: usize,
    operators: usize,
}

/// The operators that bind equally, loosest first.
const LEVELS: [&[(&str, Operator)]; 5] = [
    &[("||", Operator::Or)],
    &[("&&", Operator::And)],
    &[
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
        ("in", Operator::In),
    ],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)],
];

// === impl Parser ===

impl Parser {
    fn expression(&mut self) -> Result<Expr, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("the expression is nested too deeply".to_owned());
        }
        let condition = self.binary(0)?;
        let expr = if self.tokens.take("?") {
            let yes = self.expression()?;
            self.tokens.expect(":")?;
            let no = self.expression()?;
            Expr::Conditional(Box::new(condition), Box::new(yes), Box::new(no))
        } else {
            condition
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn binary(&mut self, level: usize) -> Result<Expr, String> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        'more: loop {
            for (symbol, operator) in *operators {
                if self.tokens.take(symbol) {
                    self.operators += 1;
                    if self.operators > MOST_OPERATORS {
                        return Err("the expression has too many operators".to_owned());
                    }
                    let right = self.binary(level + 1)?;
                    left = Expr::Binary(*operator, Box::new(left), Box::new(right));
                    continue 'more;
                }
            }
            return Ok(left);
        }
    }

    fn unary(&mut self) -> Result<Expr, String> {
        // Signs in a row are counted, not nested.
        let mut signs = Vec::new();
        loop {
            if self.tokens.take("!") {
                signs.push('!');
            } else if self.tokens.take("-") {
                signs.push('-');
            } else {
                break;
            }
        }
        let mut expr = self.member()?;
        if signs.len() > DEEPEST {
            return Err("the expression is nested too deeply".to_owned());
        }
        for sign in signs.into_iter().rev() {
            expr =
                if sign == '!' { Expr::Not(Box::new(expr)) } else { Expr::Negate(Box::new(expr)) };
        }
        Ok(expr)
    }

    fn member(&mut self) -> Result<Expr, String> {
        let mut expr = self.primary()?;
        let mut links = 0;
        loop {
            links += 1;
            if links > DEEPEST {
                return Err("the expression is nested too deeply".to_owned());
            }
            if self.tokens.take(".") {
                let name = self.tokens.name()?;
                expr = if self.tokens.take("(") {
                    let arguments = self.list(")")?;
                    Expr::Call { on: Some(Box::new(expr)), name, arguments }
                } else {
                    Expr::Member(Box::new(expr), name)
                };
            } else if self.tokens.take("[") {
                let index = self.expression()?;
                self.tokens.expect("]")?;
                expr = Expr::Index(Box::new(expr), Box::new(index));
            } else {
                return Ok(expr);
            }
        }
    }

    fn primary(&mut self) -> Result<Expr, String> {
        if self.tokens.take("(") {
            let inner = self.expression()?;
            self.tokens.expect(")")?;
            return Ok(inner);
        }
        if self.tokens.take("[") {
            return Ok(Expr::List(self.list("]")?));
        }
        if self.tokens.take("{") {
            return self.map();
        }
        match self.tokens.next() {
            Some(Token::Literal(value)) => Ok(Expr::Literal(value)),
            Some(Token::Name(name)) => Ok(match &*name {
                "true" => Expr::Literal(Value::Bool(true)),
                "false" => Expr::Literal(Value::Bool(false)),
                "null" => Expr::Literal(Value::Null),
                _ if self.tokens.take("(") => {
                    let arguments = self.list(")")?;
                    Expr::Call { on: None, name, arguments }
                }
                _ => Expr::Name(name),
            }),
            Some(token) => Err(format!("unexpected {token}")),
            None => Err("unexpected end of the expression".to_owned()),
        }
    }

    /// Expressions with commas between, up to `end`.
    fn list(&mut self, end: &str) -> Result<Vec<Expr>, String> {
        let mut items = Vec::new();
        while !self.tokens.take(end) {
            items.push(self.expression()?);
            if !self.tokens.take(",") {
                self.tokens.expect(end)?;
                break;
            }
        }
        Ok(items)
    }

    fn map(&mut self) -> Result<Expr, String> {
        let mut entries = Vec::new();
        while !self.tokens.take("}") {
            let key = self.expression()?;
            self.tokens.expect(":")?;
            entries.push((key, self.expression()?));
            if !self.tokens.take(",") {
                self.tokens.expect("}")?;
                break;
            }
        }
        Ok(Expr::Map(entries))
    }
}
