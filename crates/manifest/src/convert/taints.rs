//! Taints and tolerations.

use plimsoll_model::{Effect, Symbol, Taint, Toleration};

use crate::{
    convert::meta::{given_symbol, required},
    problem::{At as _, Checked, Problem, Quoted},
    wire::{affinity, node},
};

const EFFECTS: [Effect; 3] = [Effect::NoSchedule, Effect::PreferNoSchedule, Effect::NoExecute];

/// A taint of a node.
pub(crate) fn taint(taint: &node::Taint<'_>) -> Checked<Taint> {
    Ok(Taint {
        key: Symbol::new(required(&taint.key, "key")?),
        value: Symbol::new(&taint.value),
        effect: effect(required(&taint.effect, "effect")?)?,
    })
}

/// A toleration of a pod.
pub(crate) fn toleration(toleration: &affinity::Toleration<'_>) -> Checked<Toleration> {
    let value = match &*toleration.operator {
        "" | "Equal" => Some(Symbol::new(&toleration.value)),
        "Exists" if toleration.value.is_empty() => None,
        "Exists" => {
            let text = format!("is {}, but operator Exists takes none", Quoted(&toleration.value));
            return Err(Problem::new(text)).at("value");
        }
        unknown => {
            let problem = Problem::unknown(unknown, "an operator", &["Equal", "Exists"]);
            return Err(problem).at("operator");
        }
    };
    if toleration.key.is_empty() && value.is_some() {
        return Err(Problem::new("has to be Exists when there is no key")).at("operator");
    }
    Ok(Toleration {
        key: given_symbol(&toleration.key),
        value,
        effect: toleration.effect.given().map(effect).transpose()?,
    })
}

fn effect(word: &str) -> Checked<Effect> {
    EFFECTS
        .into_iter()
        .find(|effect| effect.as_str() == word)
        .ok_or_else(|| Problem::unknown(word, "an effect", &EFFECTS.map(Effect::as_str)))
        .at("effect")
}
