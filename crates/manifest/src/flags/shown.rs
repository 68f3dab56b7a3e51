//! What a flag is when nobody sets it, in the words in which a person would set it.

use plimsoll_model::{Expander, Money, Range, SignedDuration};

use super::{Flag, Flags, assign::Target};

// === impl Flag ===

impl Flag {
    /// Its value when nobody sets it; empty where that is none.
    pub fn default_text(&self) -> String {
        let flags = &mut Flags::default();
        match &self.target {
            Target::Duration(place) => duration(*place(flags)),
            Target::Switch(place) => place(flags).to_string(),
            Target::Text(place) => place(flags).clone(),
            Target::Count(place) => place(flags).to_string(),
            Target::Integer(place) => place(flags).to_string(),
            Target::Seed(place) => place(flags).to_string(),
            Target::Fraction(place) => place(flags).to_string(),
            Target::Money(place) => money(*place(flags)),
            Target::Range(place) => {
                let Range { min, max } = *place(flags);
                format!("{min}:{max}")
            }
            Target::Expanders(place) if place(flags).is_empty() => {
                name(&super::assign::EXPANDERS, &Expander::LeastCost)
            }
            Target::Consolidation(place) => name(&super::assign::CONSOLIDATIONS, place(flags)),
            Target::GivenCount(_) => flags.settings.scale_down.parallelism.to_string(),
            Target::Expanders(_)
            | Target::Names(_)
            | Target::CommaNames(_)
            | Target::Texts(_)
            | Target::NamedRanges(_)
            | Target::Headroom(_) => String::new(),
        }
    }

    /// What a value is, in a word for a page of help.
    pub fn value_name(&self) -> &'static str {
        match &self.target {
            Target::Duration(_) => "DURATION",
            Target::Switch(_) => "BOOL",
            Target::Count(_)
            | Target::Integer(_)
            | Target::Seed(_)
            | Target::Fraction(_)
            | Target::GivenCount(_) => "NUMBER",
            Target::Money(_) => "AMOUNT",
            Target::Range(_) => "MIN:MAX",
            Target::NamedRanges(_) => "TYPE:MIN:MAX",
            Target::Headroom(_) => "COPIES:RESOURCES",
            Target::Expanders(_) | Target::CommaNames(_) => "NAME,…",
            Target::Consolidation(_) | Target::Names(_) | Target::Text(_) | Target::Texts(_) => {
                "NAME"
            }
        }
    }

    /// Whether its name alone says something.
    pub fn is_switch(&self) -> bool {
        matches!(self.target, Target::Switch(_))
    }

    /// Whether it may stand several times.
    pub fn is_repeated(&self) -> bool {
        matches!(
            self.target,
            Target::Names(_)
                | Target::CommaNames(_)
                | Target::Texts(_)
                | Target::NamedRanges(_)
                | Target::Headroom(_)
        )
    }
}

/// Such as `1h30m`.
fn duration(duration: SignedDuration) -> String {
    let seconds = duration.as_secs();
    let units = [
        (seconds / 3600, "h"),
        (seconds / 60 % 60, "m"),
        (seconds % 60, "s"),
        (i64::from(duration.subsec_millis()), "ms"),
    ];
    let parts = units.into_iter().filter(|(amount, _)| *amount != 0);
    let parts: Vec<String> = parts.map(|(amount, unit)| format!("{amount}{unit}")).collect();
    if parts.is_empty() { "0s".to_owned() } else { parts.concat() }
}

fn money(money: Money) -> String {
    money.units().to_string()
}

fn name<T: PartialEq>(known: &[(&str, T)], value: &T) -> String {
    let found = known.iter().find(|(_, known)| known == value);
    found.map(|(name, _)| (*name).to_owned()).unwrap_or_default()
}
