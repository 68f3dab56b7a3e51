//! Device selectors: expressions in CEL over a device's driver, attributes and capacity.
//!
//! What Kubernetes adds to the language is added here as far as selectors use it: quantities, semantic versions, `cel.bind`, and
//! domains without attributes that read as empty ones. A function that is missing is an error, as a wrong expression is.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
    thread,
};

use cel::{
    Context, Env, Program, Value,
    common::{
        ast::{ComprehensionExpr, Expr, ListExpr, LiteralValue},
        types::{CelBool, CelInt, CelMap, CelMapKey, CelString},
        value::Val,
    },
    extensions,
    parser::Macro,
};
use plimsoll_model::{Attribute, DeviceCapacity, Symbol};
use rustc_hash::FxHashMap;

use self::values::{Amount, Domains, Version};

mod depth;
mod functions;
mod values;

/// Longer ones are refused by the API server.
const LONGEST: usize = 10 * 1024;

/// How deep brackets and conditions may be nested, and how many links a chain of members and operators may have: the parser
/// calls itself for each of them, and the stack ends.
const DEEPEST: usize = 200;
const MOST_LINKS: usize = 500;

/// What the parser needs for that, unoptimised.
const STACK: usize = 64 << 20;

/// How deep an expression may be once it is parsed: the evaluation has the stack of its caller.
const DEEPEST_PARSED: usize = 48;

/// A compiled selector.
#[derive(Clone, Debug)]
pub(crate) struct Selector(Result<Arc<Program>, Box<str>>);

/// What a selector sees of a device. Devices that look the same are selected by the same expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Look {
    pub driver: Symbol,
    pub shareable: bool,
    pub attributes: Box<[(Symbol, Attribute)]>,
    pub capacity: Box<[(Symbol, DeviceCapacity)]>,
}

/// Why a device is neither selected nor not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SelectorError {
    /// The expression is wrong.
    Compile(Box<str>),
    /// It cannot be evaluated for this device.
    Runtime(Box<str>),
}

const TOO_DEEP: &str = "the expression is nested too deeply, or too long a chain";
const NO_LANGUAGE: &str = "the language could not be set up";
const BROKEN: &str = "the parser failed";

/// Expressions that were compiled before: there are few, and they come again with every snapshot.
static COMPILED: LazyLock<Mutex<FxHashMap<Symbol, Selector>>> = LazyLock::new(Mutex::default);

/// The language, made once: the functions are many. `None` if the library took one of ours twice.
static LANGUAGE: LazyLock<Option<Arc<Env>>> = LazyLock::new(|| language().ok().map(Arc::new));

// === impl Selector ===

impl Selector {
    /// The selector of an expression, compiled when it is first asked for.
    pub(crate) fn of(expression: Symbol) -> Self {
        let known =
            COMPILED.lock().unwrap_or_else(PoisonError::into_inner).get(&expression).cloned();
        known.unwrap_or_else(|| {
            let selector = Self::compile(expression.as_str());
            let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
            compiled.insert(expression, selector.clone());
            selector
        })
    }

    fn compile(expression: &str) -> Self {
        if expression.len() > LONGEST {
            return Self(Err(format!("the expression is longer than {LONGEST} bytes").into()));
        }
        if !is_tame(expression) {
            return Self(Err(TOO_DEEP.into()));
        }
        let Some(env) = LANGUAGE.as_ref() else {
            return Self(Err(NO_LANGUAGE.into()));
        };
        let expression = expression.to_owned();
        let parser = thread::Builder::new().stack_size(STACK).spawn(move || {
            let parsed = env.compile(&expression);
            let program = parsed.map_err(|errors| Box::from(errors.to_string().trim()))?;
            if depth::of(program.expression()) > DEEPEST_PARSED {
                return Err(Box::from(TOO_DEEP));
            }
            Ok(Arc::new(program))
        });
        let parsed = parser.map(|parser| parser.join().unwrap_or_else(|_| Err(BROKEN.into())));
        Self(parsed.unwrap_or_else(|error| Err(error.to_string().into())))
    }

    /// Whether the device is selected.
    pub(crate) fn selects(&self, device: &Look) -> Result<bool, SelectorError> {
        let program = self.0.as_ref().map_err(|error| SelectorError::Compile(error.clone()))?;
        let runtime = |error: String| SelectorError::Runtime(error.into());
        let mut context = Context::with_env(Arc::clone(
            LANGUAGE.as_ref().ok_or_else(|| SelectorError::Compile(NO_LANGUAGE.into()))?,
        ));
        context.add_variable_as_val("device", Box::new(variable(device).map_err(runtime)?));
        match program.execute(&context) {
            Ok(Value::Bool(selected)) => Ok(selected),
            Ok(other) => Err(runtime(format!("{} is not a bool", other.type_of()))),
            Err(error) => Err(runtime(error.to_string())),
        }
    }
}

/// Whether the parser can be trusted with an expression. Text in quotes does not count.
fn is_tame(expression: &str) -> bool {
    let (mut depth, mut deepest, mut links) = (0_usize, 0, 0);
    let mut quote = None;
    let mut characters = expression.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('\\', Some(_)) => {
                characters.next();
            }
            (end, Some(quoted)) if end == quoted => quote = None,
            ('"' | '\'', None) => quote = Some(character),
            // A condition is nested in the one before it.
            ('(' | '[' | '{' | '?', None) => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            (')' | ']' | '}', None) => depth = depth.saturating_sub(1),
            ('.' | '+' | '-' | '*' | '/' | '%' | '!' | '<' | '>' | '=' | '&' | '|', None) => {
                links += 1;
            }
            _ => {}
        }
    }
    deepest <= DEEPEST && links <= MOST_LINKS
}

/// The variable `device`.
fn variable(device: &Look) -> Result<CelMap<'static>, String> {
    let mut attributes: HashMap<&str, HashMap<CelMapKey<'static>, Box<dyn Val>>> = HashMap::new();
    let driver = device.driver.as_str();
    for (name, attribute) in &device.attributes {
        let wrong = |problem: &str| format!("attribute {name}: {problem}");
        let value: Box<dyn Val> = match attribute {
            Attribute::Bool(value) => Box::new(CelBool::from(*value)),
            Attribute::Int(value) => Box::new(CelInt::from(*value)),
            Attribute::Text(value) => Box::new(CelString::from(String::from(&**value))),
            Attribute::Version(text) => match semver::Version::parse(text) {
                Ok(version) => Box::new(Version(version)),
                Err(error) => return Err(wrong(&format!("parse semantic version: {error}"))),
            },
            Attribute::Unsupported => return Err(wrong("unsupported attribute value")),
        };
        let (domain, id) = qualified(name.as_str(), driver);
        attributes.entry(domain).or_default().insert(key(id), value);
    }
    let mut capacity: HashMap<&str, HashMap<CelMapKey<'static>, Box<dyn Val>>> = HashMap::new();
    for (name, has) in &device.capacity {
        let (domain, id) = qualified(name.as_str(), driver);
        capacity.entry(domain).or_default().insert(key(id), Box::new(Amount(has.value)));
    }
    let fields: [(&str, Box<dyn Val>); 4] = [
        ("driver", Box::new(CelString::from(driver.to_owned()))),
        ("allowMultipleAllocations", Box::new(CelBool::from(device.shareable))),
        ("attributes", Box::new(Domains::new(attributes))),
        ("capacity", Box::new(Domains::new(capacity))),
    ];
    let fields = fields.into_iter().map(|(name, value)| (key(name), value));
    Ok(CelMap::from(fields.collect::<HashMap<_, _>>()))
}

/// Domain and id; a name without a domain is of the driver's.
fn qualified<'n>(name: &'n str, driver: &'n str) -> (&'n str, &'n str) {
    name.split_once('/').unwrap_or((driver, name))
}

fn key(name: &str) -> CelMapKey<'static> {
    CelMapKey::String(CelString::from(name.to_owned()))
}

fn language() -> Result<Env, cel::DeclarationError> {
    let mut env = Env::stdlib();
    env.add_extension(extensions::strings)?;
    env.add_extension(functions::quantities)?;
    env.add_extension(functions::versions)?;
    env.add_macro(bind())?;
    Ok(env)
}

/// `cel.bind(name, value, expression)`: a fold over nothing, whose start has a name in its result.
fn bind() -> Macro {
    Macro::receiver("bind", 3, |helper, target, args| {
        let is_ours =
            matches!(target, Some(target) if target.expr == Expr::Ident("cel".to_owned()));
        let [name, ..] = &args[..] else { return Ok(None) };
        let Expr::Ident(name) = &name.expr else { return Ok(None) };
        if !is_ours {
            return Ok(None);
        }
        let name = name.clone();
        let (Some(result), Some(accu_init)) = (args.pop(), args.pop()) else { return Ok(None) };
        let nothing = ListExpr { elements: Vec::new(), ..ListExpr::default() };
        let never = LiteralValue::Boolean(CelBool::from(false));
        let fold = ComprehensionExpr {
            iter_range: helper.next_expr(Expr::List(nothing)),
            iter_var: "#unused".to_owned(),
            iter_var2: None,
            loop_cond: helper.next_expr(Expr::Literal(never)),
            loop_step: helper.next_expr(Expr::Ident(name.clone())),
            accu_var: name,
            accu_init,
            result,
        };
        Ok(Some(helper.next_expr(Expr::Comprehension(Box::new(fold)))))
    })
}

#[cfg(test)]
mod tests;
