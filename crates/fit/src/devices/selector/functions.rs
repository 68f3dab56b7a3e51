//! Functions over quantities and semantic versions, as Kubernetes has them.

use std::cmp::Ordering;

use cel::{
    DeclarationError, Env, ExecutionError,
    common::{
        types::{BOOL_TYPE, CelBool, CelDouble, CelInt, CelString, INT_TYPE, STRING_TYPE, Type},
        value::{CowVal, FromVal, Val},
    },
};
use plimsoll_model::{Quantity, quantity::QuantityError};

use super::values::{Amount, Version};

type Answer<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

/// `quantity`, `isQuantity` and what can be done with a quantity.
pub(super) fn quantities(env: &mut Env) -> Result<(), DeclarationError> {
    let amount = || Amount::cel_type().to_owned();
    env.add_type(amount())?;
    env.add_overload("quantity", "string_to_quantity", vec![STRING_TYPE], |args| {
        let text = argument::<CelString<'_>>(&args, 0)?;
        let quantity = Quantity::parse(text.inner())
            .map_err(|error| ExecutionError::function_error("quantity", error))?;
        Ok(CowVal::owned(Amount(quantity)))
    })?;
    env.add_overload("isQuantity", "is_quantity_string", vec![STRING_TYPE], |args| {
        let text = argument::<CelString<'_>>(&args, 0)?;
        Ok(truth(Quantity::parse(text.inner()).is_ok()))
    })?;
    comparisons::<Amount>(env, "quantity")?;
    env.add_member_overload("isInteger", "quantity_is_integer", amount(), vec![], |args| {
        Ok(truth(integer(argument::<Amount>(&args, 0)?.0).is_some()))
    })?;
    env.add_member_overload("asInteger", "quantity_get_int", amount(), vec![], |args| {
        let quantity = argument::<Amount>(&args, 0)?.0;
        let whole = integer(quantity).ok_or_else(|| {
            ExecutionError::function_error("asInteger", "cannot convert value to integer")
        })?;
        Ok(CowVal::owned(CelInt::from(whole)))
    })?;
    env.add_member_overload(
        "asApproximateFloat",
        "quantity_get_float",
        amount(),
        vec![],
        |args| {
            let quantity = argument::<Amount>(&args, 0)?.0;
            Ok(CowVal::owned(CelDouble::from(approximately(quantity))))
        },
    )?;
    env.add_member_overload("sign", "quantity_sign", amount(), vec![], |args| {
        let sign = argument::<Amount>(&args, 0)?.0.cmp(&Quantity::ZERO);
        Ok(CowVal::owned(CelInt::from(number(sign))))
    })?;
    env.add_member_overload("add", "quantity_add", amount(), vec![amount()], |args| {
        let more = argument::<Amount>(&args, 1)?.0;
        amount_of("add", argument::<Amount>(&args, 0)?.0.checked_add(&more))
    })?;
    env.add_member_overload("add", "quantity_add_int", amount(), vec![INT_TYPE], |args| {
        let more = Quantity::from_units(*argument::<CelInt>(&args, 1)?.inner());
        amount_of("add", argument::<Amount>(&args, 0)?.0.checked_add(&more))
    })?;
    env.add_member_overload("sub", "quantity_sub", amount(), vec![amount()], |args| {
        let less = argument::<Amount>(&args, 1)?.0;
        amount_of("sub", argument::<Amount>(&args, 0)?.0.checked_sub(&less))
    })?;
    env.add_member_overload("sub", "quantity_sub_int", amount(), vec![INT_TYPE], |args| {
        let less = Quantity::from_units(*argument::<CelInt>(&args, 1)?.inner());
        amount_of("sub", argument::<Amount>(&args, 0)?.0.checked_sub(&less))
    })
}

/// `semver`, `isSemver` and what can be done with a version.
pub(super) fn versions(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_type(Version::cel_type().to_owned())?;
    env.add_overload("semver", "string_to_semver", vec![STRING_TYPE], |args| {
        version(argument::<CelString<'_>>(&args, 0)?.inner())
    })?;
    env.add_overload("semver", "string_bool_to_semver", vec![STRING_TYPE, BOOL_TYPE], |args| {
        version(&text_of_version(&args)?)
    })?;
    env.add_overload("isSemver", "is_semver_string", vec![STRING_TYPE], |args| {
        let text = argument::<CelString<'_>>(&args, 0)?;
        Ok(truth(semver::Version::parse(text.inner()).is_ok()))
    })?;
    env.add_overload("isSemver", "is_semver_string_bool", vec![STRING_TYPE, BOOL_TYPE], |args| {
        Ok(truth(semver::Version::parse(&text_of_version(&args)?).is_ok()))
    })?;
    comparisons::<Version>(env, "semver")?;
    let semver = || Version::cel_type().to_owned();
    env.add_member_overload("major", "semver_major", semver(), vec![], |args| {
        Ok(part(argument::<Version>(&args, 0)?.0.major))
    })?;
    env.add_member_overload("minor", "semver_minor", semver(), vec![], |args| {
        Ok(part(argument::<Version>(&args, 0)?.0.minor))
    })?;
    env.add_member_overload("patch", "semver_patch", semver(), vec![], |args| {
        Ok(part(argument::<Version>(&args, 0)?.0.patch))
    })
}

/// Values that have an order.
trait Ordered: Val + for<'b, 'v> FromVal<'b, 'v> {
    fn order(&self, other: &Self) -> Ordering;
}

impl Ordered for Amount {
    fn order(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl Ordered for Version {
    fn order(&self, other: &Self) -> Ordering {
        self.compare(other)
    }
}

fn comparisons<T: Ordered + 'static>(env: &mut Env, name: &str) -> Result<(), DeclarationError> {
    let of = || -> (Type, Vec<Type>) { (T::cel_type().to_owned(), vec![T::cel_type().to_owned()]) };
    let mut add = |function: &str, op: cel::common::functions::Function| {
        let (target, others) = of();
        env.add_member_overload(function, &format!("{name}_{function}"), target, others, op)
    };
    add("isGreaterThan", |args| Ok(truth(compared::<T>(&args)? == Ordering::Greater)))?;
    add("isLessThan", |args| Ok(truth(compared::<T>(&args)? == Ordering::Less)))?;
    add("compareTo", |args| Ok(CowVal::owned(CelInt::from(number(compared::<T>(&args)?)))))
}

fn compared<T: Ordered>(args: &[CowVal<'_, '_>]) -> Result<Ordering, ExecutionError> {
    Ok(argument::<T>(args, 0)?.order(argument::<T>(args, 1)?))
}

fn argument<'b, 'v, T: FromVal<'b, 'v>>(
    args: &'b [CowVal<'_, 'v>],
    place: usize,
) -> Result<&'b T, ExecutionError> {
    let missing = || ExecutionError::invalid_argument_count(place + 1, args.len());
    let value = args.get(place).ok_or_else(missing)?;
    value.downcast_ref::<T>().ok_or_else(ExecutionError::missing_argument_or_target)
}

fn truth<'b, 'v>(value: bool) -> CowVal<'b, 'v> {
    CowVal::owned(CelBool::from(value))
}

fn number(order: Ordering) -> i64 {
    match order {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// The quantity as an integer, if it is one.
fn integer(quantity: Quantity) -> Option<i64> {
    let whole = quantity.value().ok()?;
    (Quantity::from_units(whole) == quantity).then_some(whole)
}

/// Close enough for what is called approximate.
fn approximately(quantity: Quantity) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "an approximation is asked for")]
    match (quantity.milli(), quantity.value()) {
        (Ok(milli), _) => milli as f64 / 1000.0,
        (_, Ok(units)) => units as f64,
        _ if quantity.is_negative() => f64::NEG_INFINITY,
        _ => f64::INFINITY,
    }
}

fn amount_of<'b, 'v>(function: &str, amount: Result<Quantity, QuantityError>) -> Answer<'b, 'v> {
    let amount = amount.map_err(|error| ExecutionError::function_error(function, error))?;
    Ok(CowVal::owned(Amount(amount)))
}

fn version<'b, 'v>(text: &str) -> Answer<'b, 'v> {
    let version = semver::Version::parse(text)
        .map_err(|error| ExecutionError::function_error("semver", error))?;
    Ok(CowVal::owned(Version(version)))
}

fn part<'b, 'v>(number: u64) -> CowVal<'b, 'v> {
    CowVal::owned(CelInt::from(i64::try_from(number).unwrap_or(i64::MAX)))
}

/// The text, put into the strict form first if the second argument asks for that.
fn text_of_version(args: &[CowVal<'_, '_>]) -> Result<String, ExecutionError> {
    let text = argument::<CelString<'_>>(args, 0)?.inner();
    if !*argument::<CelBool>(args, 1)?.inner() {
        return Ok(text.to_owned());
    }
    let text = text.strip_prefix('v').unwrap_or(text);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, rest) = text.split_at(end);
    let mut parts: Vec<String> = numbers.split('.').map(without_zeros).collect();
    while parts.len() < 3 {
        parts.push("0".to_owned());
    }
    Ok(parts.join(".") + rest)
}

fn without_zeros(number: &str) -> String {
    match number.trim_start_matches('0') {
        "" if !number.is_empty() => "0".to_owned(),
        trimmed => trimmed.to_owned(),
    }
}
