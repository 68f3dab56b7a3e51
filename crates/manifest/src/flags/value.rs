//! A flag's value as it was written.

/// What stands behind a flag. A command line gives words; in a file a number, a truth value or a list may stand as such.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlagValue {
    /// One value: `10m`, `true`, `0.5`, `a,b`.
    One(String),
    /// A list of values.
    Many(Vec<String>),
}

// === impl FlagValue ===

impl FlagValue {
    /// The value, where there has to be exactly one.
    pub fn one(&self) -> Result<&str, String> {
        match self {
            Self::One(value) => Ok(value),
            Self::Many(values) => match values.as_slice() {
                [value] => Ok(value),
                values => Err(format!("takes one value, not {}", values.len())),
            },
        }
    }

    /// All values, where a flag may be repeated.
    pub fn all(&self) -> &[String] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Many(values) => values,
        }
    }

    /// All values, where a flag may be repeated and a value may be several with commas between.
    pub fn split(&self) -> impl Iterator<Item = &str> {
        let parts = self.all().iter().flat_map(|value| value.split(','));
        parts.map(str::trim).filter(|part| !part.is_empty())
    }
}

impl From<&str> for FlagValue {
    fn from(value: &str) -> Self {
        Self::One(value.to_owned())
    }
}
