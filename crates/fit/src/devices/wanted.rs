//! What the claims of a shape want, with everything looked up that can be.

use std::sync::Arc;

use plimsoll_model::{
    ClaimSpec, DeviceClaim, DeviceConstraint, DeviceCount, DeviceWants, DeviceWish, Devices,
    PodClaim, PodShape, Symbol,
};

use super::{ClaimKey, DeviceProblem, looks::Looks};
use crate::ids::ExpressionId;

/// The claims of a shape.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub claims: Box<[WantedClaim]>,
}

/// One claim.
#[derive(Debug)]
pub(crate) struct WantedClaim {
    pub source: Source,
    /// The claim, or the template it is made from.
    pub name: Symbol,
    /// It was or will be made for the pod alone.
    pub is_own: bool,
    pub requests: Box<[Request]>,
    pub constraints: Box<[DeviceConstraint]>,
    /// A class that a request names and that does not exist: it matters when the claim has nothing yet.
    pub problem: Option<DeviceProblem>,
}

/// Where a claim comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// It has a name, and other pods may use it.
    Named(ClaimKey),
    /// It is made for the pod, and goes with it.
    Own,
}

/// A request: the first alternative that can be had will do.
#[derive(Debug)]
pub(crate) struct Request {
    pub name: Symbol,
    pub alternatives: Box<[Alternative]>,
}

/// What a request wants, or one of what it would take.
#[derive(Debug)]
pub(crate) struct Alternative {
    /// Of a subrequest.
    pub name: Option<Symbol>,
    pub wish: DeviceWish,
    /// Selectors of the class.
    pub class: Box<[ExpressionId]>,
    /// Selectors of the request.
    pub own: Box<[ExpressionId]>,
}

// === impl Wanted ===

impl Wanted {
    pub(crate) fn new(
        shape: &PodShape,
        objects: &Devices,
        looks: &mut Looks,
    ) -> Result<Self, DeviceProblem> {
        let mut claims: Vec<WantedClaim> = Vec::new();
        for claim in &shape.device_claims {
            let (source, name, spec) = find(shape.namespace, *claim, objects)?;
            // A claim that stands twice is still one.
            if source == Source::Own || claims.iter().all(|other| other.source != source) {
                let mut wanted = WantedClaim::new(source, name, spec, objects, looks);
                wanted.is_own = !matches!(claim, PodClaim::Named(_));
                claims.push(wanted);
            }
        }
        Ok(Self { claims: claims.into_boxed_slice() })
    }

    /// By class: how many devices claims of the pod's own ask for.
    pub(crate) fn demand(&self) -> Vec<(Symbol, i64)> {
        let mut demand: Vec<(Symbol, i64)> = Vec::new();
        let own = self.claims.iter().filter(|claim| claim.is_own);
        for request in own.flat_map(|claim| &claim.requests) {
            let [Alternative { wish, .. }] = &*request.alternatives else { continue };
            if let (DeviceCount::Exactly(count), false) = (wish.count, wish.admin) {
                match demand.iter_mut().find(|(class, _)| *class == wish.class) {
                    Some((_, total)) => *total = total.saturating_add(count),
                    None => demand.push((wish.class, count)),
                }
            }
        }
        demand
    }
}

// === impl WantedClaim ===

impl WantedClaim {
    fn new(
        source: Source,
        name: Symbol,
        spec: &ClaimSpec,
        objects: &Devices,
        looks: &mut Looks,
    ) -> Self {
        let mut problem = None;
        let mut alternative = |request: Symbol, name: Option<Symbol>, wish: &DeviceWish| {
            let class = objects.classes.get(&wish.class);
            if class.is_none() && problem.is_none() {
                let request =
                    name.map_or_else(|| request.to_string(), |name| format!("{request}/{name}"));
                let request = request.into_boxed_str();
                problem = Some(DeviceProblem::ClassMissing { request, class: wish.class });
            }
            let selectors = class.map_or(&[][..], |class| &class.selectors);
            Alternative {
                name,
                wish: wish.clone(),
                class: selectors.iter().map(|one| looks.expression(*one)).collect(),
                own: wish.selectors.iter().map(|one| looks.expression(*one)).collect(),
            }
        };
        let requests = spec.requests.iter().map(|request| Request {
            name: request.name,
            alternatives: match &request.wants {
                DeviceWants::Exactly(wish) => [alternative(request.name, None, wish)].into(),
                DeviceWants::FirstAvailable(wishes) => wishes
                    .iter()
                    .map(|(name, wish)| alternative(request.name, Some(*name), wish))
                    .collect(),
            },
        });
        let requests = requests.collect();
        let constraints = spec.constraints.clone();
        Self { source, name, is_own: false, requests, constraints, problem }
    }
}

fn find(
    namespace: Symbol,
    claim: PodClaim,
    objects: &Devices,
) -> Result<(Source, Symbol, &ClaimSpec), DeviceProblem> {
    match claim {
        PodClaim::Named(name) | PodClaim::Generated { claim: name, .. } => {
            let key = (namespace, name);
            match objects.claims.get(&key) {
                Some(claim) if claim.deleting => Err(DeviceProblem::ClaimDeleting { claim: name }),
                Some(claim) => Ok((Source::Named(key), name, &claim.spec)),
                None => Err(DeviceProblem::ClaimMissing { claim: name }),
            }
        }
        PodClaim::Template(template) => match objects.templates.get(&(namespace, template)) {
            Some(spec) => Ok((Source::Own, template, spec)),
            None => Err(DeviceProblem::TemplateMissing { template }),
        },
    }
}

/// The shape with claims that were made from a template, and have nothing yet, as the template has them: so pods of one kind
/// share a shape while they wait. Without the template the claim itself is all that is known.
pub(super) fn canonical(shape: &PodShape, objects: &Devices) -> Option<PodShape> {
    let mut changed = false;
    let settled = |claim: &PodClaim| match *claim {
        PodClaim::Generated { template, claim } => {
            let known = objects.claims.get(&(shape.namespace, claim));
            let has_template = objects.templates.contains_key(&(shape.namespace, template));
            let is_special = |known: &Arc<DeviceClaim>| {
                known.allocation.is_some() || known.deleting || !has_template
            };
            if known.is_some_and(is_special) {
                return PodClaim::Generated { template, claim };
            }
            changed = true;
            PodClaim::Template(template)
        }
        claim => claim,
    };
    let device_claims = shape.device_claims.iter().map(settled).collect();
    changed.then(|| PodShape { device_claims, ..shape.clone() })
}
