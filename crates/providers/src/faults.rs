//! What goes wrong between an emulated service and those who ask it, as far as it is counted: the same in every emulator.

/// Requests that will fail.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failing<K> {
    after: u32,
    requests: u32,
    kind: K,
}

// === impl Failing ===

impl<K: Copy> Failing<K> {
    /// After `after` requests, so many of them fail; `None` for none.
    pub(crate) fn new(after: u32, requests: u32, kind: K) -> Option<Self> {
        (requests > 0).then_some(Self { after, requests, kind })
    }

    /// How they fail.
    pub(crate) const fn kind(&self) -> K {
        self.kind
    }

    /// Counts a request; says how it fails, if it is one of those that do.
    pub(crate) fn next(failing: &mut Option<Self>) -> Option<K> {
        let this = failing.as_mut()?;
        if this.after > 0 {
            this.after -= 1;
            return None;
        }
        let kind = this.kind;
        this.requests = this.requests.saturating_sub(1);
        if this.requests == 0 {
            *failing = None;
        }
        Some(kind)
    }
}

/// Whether this is one of so many.
pub(crate) const fn is_one(left: &mut u32) -> bool {
    let is_one = *left > 0;
    *left = left.saturating_sub(1);
    is_one
}

/// Whether this is the one that comes after so many others.
pub(crate) const fn is_next(after: &mut Option<u32>) -> bool {
    match *after {
        Some(0) => {
            *after = None;
            true
        }
        Some(left) => {
            *after = Some(left - 1);
            false
        }
        None => false,
    }
}
