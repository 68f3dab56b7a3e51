//! Failures of a group that have not been counted yet.

use plimsoll_model::Backoff;

use super::unregistered::{Fate, Stray};

/// The code of the first failed machine that is news.
///
/// A failed machine is listed until its deletion is done, and one that may not be deleted stays for good. So a machine counts
/// only if it came into being after the failure that was counted last. Those of one order that fail one after another
/// count once, whatever their codes.
pub(super) fn news<'w>(strays: &[Stray<'w>], last: Option<&Backoff>) -> Option<&'w str> {
    strays.iter().find_map(|stray| match stray.fate {
        Fate::Failed(error) if last.is_none_or(|last| stray.appeared() > last.failed) => {
            Some(&*error.code)
        }
        _ => None,
    })
}
