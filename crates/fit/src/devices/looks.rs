//! Which devices each selector takes, worked out once for all devices that look the same.

use indexmap::{IndexMap, IndexSet};
use plimsoll_model::{Device, ResourceSlice, Symbol};
use rustc_hash::FxBuildHasher;

use super::selector::{Look, Selector, SelectorError};
use crate::ids::{ExpressionId, LookId};

/// All looks and selectors, and the verdict for each pair.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    known: IndexSet<Look, FxBuildHasher>,
    selectors: IndexMap<Symbol, Selector, FxBuildHasher>,
    /// By selector, by look.
    verdicts: Vec<Vec<Result<bool, SelectorError>>>,
}

// === impl Looks ===

impl Looks {
    /// The look of a device.
    pub(crate) fn look(&mut self, slice: &ResourceSlice, device: &Device) -> LookId {
        let look = Look {
            driver: slice.driver,
            shareable: device.shareable,
            attributes: device.attributes.clone(),
            capacity: device.capacity.clone(),
        };
        let (place, new) = self.known.insert_full(look);
        if new {
            for (selector, verdicts) in self.selectors.values().zip(&mut self.verdicts) {
                verdicts.push(selector.selects(&self.known[place]));
            }
        }
        LookId::new(place)
    }

    /// The handle of an expression.
    pub(crate) fn expression(&mut self, text: Symbol) -> ExpressionId {
        if let Some(place) = self.selectors.get_index_of(&text) {
            return ExpressionId::new(place);
        }
        let selector = Selector::of(text);
        self.verdicts.push(self.known.iter().map(|look| selector.selects(look)).collect());
        ExpressionId::new(self.selectors.insert_full(text, selector).0)
    }

    /// Whether the selector takes devices of this look.
    pub(crate) fn verdict(
        &self,
        expression: ExpressionId,
        look: LookId,
    ) -> &Result<bool, SelectorError> {
        &self.verdicts[expression.index()][look.index()]
    }
}
