//! Pods that get their places one after another, on top of what is bought already, and all of them or none.

use super::{Explained, Market, Shop, explain, realise, shop_for};
use crate::{pack::Effort, pending::Demand, scene::Scene};

/// Finds places for all of these, and buys what is missing. If some find none, nothing has changed, and the answer is who they are
/// and what each group has against them.
pub(crate) fn together(
    scene: &mut Scene<'_>,
    market: &Market,
    shop: &mut Shop,
    demands: &[Demand],
) -> Result<(), (Vec<Demand>, Explained)> {
    let mark = scene.snapshot.mark();
    let before = shop.clone();
    shop.begin();
    let mut rest = demands.to_vec();
    realise::place_beside(scene, shop, &mut rest);
    if !rest.is_empty() {
        rest = shop_for(scene, shop, rest, Effort::default());
    }
    if rest.is_empty() {
        scene.snapshot.keep(mark);
        return Ok(());
    }
    let explained = explain(scene, market, shop, &rest, None);
    scene.snapshot.undo(mark);
    *shop = before.after(shop.spent);
    Err((rest, explained))
}
