//! Pods as the scheduler sees them when it has another profile than the default one.

use std::sync::Arc;

use plimsoll_model::{LabelSelector, Pod, PodShape, Profile, SpreadConstraint, Symbol, World};
use rustc_hash::FxHashMap;

/// Selectors by the kind, namespace and name of the controllers that have them.
type Selectors<'w> = FxHashMap<(Symbol, Symbol, &'w str), &'w LabelSelector>;

/// The World with pods that have the profile's own spread constraints, and lack what it does not look at; `None` when that is
/// the World itself.
pub(crate) fn seen(world: &World) -> Option<World> {
    let profile = &world.settings.profile;
    if profile.reduced.is_empty() && profile.default_spread.is_empty() {
        return None;
    }
    let selectors = selectors(world);
    let mut known: FxHashMap<(*const PodShape, Option<&LabelSelector>), Arc<PodShape>> =
        FxHashMap::default();
    let mut seen = world.clone();
    for pod in &mut seen.pods {
        let selector = selector_for(pod, profile, &selectors);
        let shape = known.entry((Arc::as_ptr(&pod.shape), selector)).or_insert_with(|| {
            let spread = selector.map(|selector| with_spread(&pod.shape, profile, selector));
            let shape = spread.unwrap_or_else(|| Arc::clone(&pod.shape));
            profile.trimmed(&shape).map_or(shape, Arc::new)
        });
        pod.shape = Arc::clone(shape);
    }
    for template in &mut seen.pod_templates {
        if let Some(trimmed) = profile.trimmed(&template.pod) {
            template.pod = Arc::new(trimmed);
        }
    }
    Some(seen)
}

fn selectors(world: &World) -> Selectors<'_> {
    let controllers = world.controllers.iter();
    controllers
        .filter_map(|one| Some(((one.kind, one.namespace, &*one.name), one.selector.as_ref()?)))
        .collect()
}

/// Which pods count when this one is spread by the profile's constraints; `None` when they are not for it: it has its own, or
/// nobody says which pods belong together. A selector that takes everything says nothing either.
fn selector_for<'w>(
    pod: &Pod,
    profile: &Profile,
    selectors: &Selectors<'w>,
) -> Option<&'w LabelSelector> {
    let has_own = !pod.shape.spread.is_empty()
        || pod.extras.as_ref().is_some_and(|extras| extras.wishes_spread);
    if has_own || profile.default_spread.is_empty() {
        return None;
    }
    let owner = pod.owner.as_ref()?;
    let selector = selectors.get(&(owner.kind, pod.shape.namespace, &*owner.name)).copied();
    selector.filter(|selector| !selector.is_empty())
}

fn with_spread(shape: &PodShape, profile: &Profile, selector: &LabelSelector) -> Arc<PodShape> {
    let defaults = profile.default_spread.iter();
    let spread = defaults
        .map(|one| SpreadConstraint { selector: Some(selector.clone()), ..one.clone() })
        .collect();
    Arc::new(PodShape { spread, ..shape.clone() })
}
