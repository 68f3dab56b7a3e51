//! From what was written to what is set.

use plimsoll_model::{
    Consolidation, Expander, Headroom, Money, Quantity, Range, SignedDuration, Symbol,
    scheduler_units,
};

use super::{
    FlagValue, Flags,
    form::{count, duration, fraction, number, range, switch},
};
use crate::problem::{Problem, Quoted};

/// The place that a flag changes, by the form of its value.
#[derive(Debug)]
pub(super) enum Target {
    Duration(fn(&mut Flags) -> &mut SignedDuration),
    Switch(fn(&mut Flags) -> &mut bool),
    Count(fn(&mut Flags) -> &mut u32),
    /// A count of which it matters whether it was set.
    GivenCount(fn(&mut Flags) -> &mut Option<u32>),
    Integer(fn(&mut Flags) -> &mut i32),
    Seed(fn(&mut Flags) -> &mut u64),
    Fraction(fn(&mut Flags) -> &mut f64),
    Money(fn(&mut Flags) -> &mut Money),
    Range(fn(&mut Flags) -> &mut Range),
    /// May be repeated.
    Names(fn(&mut Flags) -> &mut Vec<Symbol>),
    /// May be repeated, and a value may hold several with commas between.
    CommaNames(fn(&mut Flags) -> &mut Vec<Symbol>),
    Text(fn(&mut Flags) -> &mut String),
    /// May be repeated.
    Texts(fn(&mut Flags) -> &mut Vec<String>),
    /// `type:min:max`, may be repeated.
    NamedRanges(fn(&mut Flags) -> &mut Vec<(Symbol, Range)>),
    Expanders(fn(&mut Flags) -> &mut Vec<Expander>),
    /// `copies:resource=amount,…`, may be repeated.
    Headroom(fn(&mut Flags) -> &mut Vec<Headroom>),
    Consolidation(fn(&mut Flags) -> &mut Consolidation),
}

pub(super) const EXPANDERS: [(&str, Expander); 8] = [
    ("least-cost", Expander::LeastCost),
    ("least-waste", Expander::LeastWaste),
    ("most-pods", Expander::MostPods),
    ("least-nodes", Expander::LeastNodes),
    ("price", Expander::Price),
    ("priority", Expander::Priority),
    ("random", Expander::Random),
    ("grpc", Expander::Service),
];

pub(super) const CONSOLIDATIONS: [(&str, Consolidation); 4] = [
    ("off", Consolidation::Off),
    ("empty", Consolidation::Empty),
    ("underutilized", Consolidation::Underutilized),
    ("cost", Consolidation::Cost),
];

/// Sets what the flag changes.
pub(super) fn assign(flags: &mut Flags, target: &Target, value: &FlagValue) -> Result<(), String> {
    match target {
        Target::Duration(place) => *place(flags) = duration(value.one()?)?,
        Target::Switch(place) => *place(flags) = switch(value.one()?)?,
        Target::Count(place) => *place(flags) = count(value.one()?)?,
        Target::GivenCount(place) => *place(flags) = Some(count(value.one()?)?),
        Target::Integer(place) => *place(flags) = number(value.one()?)?,
        Target::Seed(place) => *place(flags) = number(value.one()?)?,
        Target::Fraction(place) => *place(flags) = fraction(value.one()?)?,
        Target::Money(place) => *place(flags) = money(value.one()?)?,
        Target::Range(place) => *place(flags) = range(value.one()?)?,
        Target::Names(place) => {
            place(flags).extend(value.all().iter().map(|name| Symbol::new(name)));
        }
        Target::CommaNames(place) => place(flags).extend(value.split().map(Symbol::new)),
        Target::Text(place) => value.one()?.clone_into(place(flags)),
        Target::Texts(place) => place(flags).extend(value.all().iter().cloned()),
        Target::NamedRanges(place) => {
            let ranges: Result<Vec<_>, _> =
                value.all().iter().map(|text| named_range(text)).collect();
            place(flags).extend(ranges?);
        }
        Target::Headroom(place) => {
            let rooms: Result<Vec<_>, _> = value.all().iter().map(|text| headroom(text)).collect();
            place(flags).extend(rooms?);
        }
        Target::Expanders(place) => *place(flags) = expanders(value)?,
        Target::Consolidation(place) => {
            *place(flags) = word(value.one()?, "a consolidation", &CONSOLIDATIONS)?;
        }
    }
    Ok(())
}

/// Such as `3:cpu=2,memory=4Gi`.
fn headroom(text: &str) -> Result<Headroom, String> {
    let form = || format!("{} is not of the form copies:resource=amount,…", Quoted(text));
    let (copies, amounts) = text.split_once(':').ok_or_else(form)?;
    let mut requests = Vec::new();
    for pair in amounts.split(',') {
        let (name, amount) = pair.split_once('=').ok_or_else(form)?;
        let amount = Quantity::parse(amount.trim()).map_err(|error| error.to_string())?;
        if amount.is_negative() {
            return Err(format!("{name}: {amount} is negative"));
        }
        requests.push((Symbol::new(name.trim()), amount));
    }
    let requests =
        scheduler_units(&requests).map_err(|(name, error)| format!("{name}: {error}"))?;
    Ok(Headroom { copies: count(copies)?, requests })
}

fn money(text: &str) -> Result<Money, String> {
    Money::from_units(fraction(text)?).ok_or_else(|| format!("{text} is out of range"))
}

fn named_range(text: &str) -> Result<(Symbol, Range), String> {
    match text.split_once(':') {
        Some((name, bounds)) if bounds.contains(':') => Ok((Symbol::new(name), range(bounds)?)),
        _ => Err(format!("{} is not of the form type:min:max", Quoted(text))),
    }
}

fn expanders(value: &FlagValue) -> Result<Vec<Expander>, String> {
    let mut chosen = Vec::new();
    let mut words = value.split().peekable();
    while let Some(name) = words.next() {
        let expander = word(name, "an expander", &EXPANDERS)?;
        if chosen.contains(&expander) {
            return Err(format!("{name} stands twice"));
        }
        // These two leave nothing to choose from, so what follows would never be asked.
        if matches!(expander, Expander::LeastCost | Expander::Random) && words.peek().is_some() {
            return Err(format!("{name} has to be the last"));
        }
        chosen.push(expander);
    }
    if chosen.is_empty() { Err("names no expander".to_owned()) } else { Ok(chosen) }
}

fn word<T: Copy>(text: &str, what: &str, known: &[(&str, T)]) -> Result<T, String> {
    let found = known.iter().find(|(name, _)| *name == text);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        Problem::unknown(text, what, &names).text
    })
}
