//! What the environment says, beside or in place of a file.

use super::{Bounds, Config, Environment, Refused, Token, check_token, file::Given, shown};
use crate::{document::quoted, rest::Endpoint};

/// The variables of the original.
const TOKEN: &str = "CLUSTER_API_TOKEN";
const BASE_URL: &str = "SPC_API_BASE_URL";
const ORGANIZATION: &str = "ORGANIZATION_ID";
const CLUSTER: &str = "CLUSTER_ID";

/// Bounds of all groups together, beside those.
const MIN_NODES: &str = "CLUSTER_MIN_NODES";
const MAX_NODES: &str = "CLUSTER_MAX_NODES";

/// The configuration: what the file leaves out, the environment says.
pub(super) fn complete(given: Given, environment: Environment<'_>) -> Result<Config, Refused> {
    let number = |given: Option<i64>, name: &'static str, field: &str| {
        given.map_or_else(|| number(environment, name, field), Ok)
    };
    Ok(Config {
        endpoint: given.endpoint.map_or_else(|| endpoint(environment), Ok)?,
        trust: given.trust,
        organization: number(given.organization, ORGANIZATION, "organization-id")?,
        cluster: number(given.cluster, CLUSTER, "cluster-id")?,
        token: given.token_file.map_or_else(|| token(environment), |file| Ok(Token::File(file)))?,
        node_pools_file: given.node_pools_file,
        hold_back: given.hold_back,
        bounds: common_bounds(given.min_nodes, given.max_nodes, environment)?,
        prices: given.prices,
        steering: given.steering,
        unknown_kinds: given.unknown_kinds,
        placement: given.placement,
        poll: given.poll,
        groups: given.groups,
    })
}

/// What a file says of the bounds of all groups together goes before the variables.
fn common_bounds(
    min: Option<u32>,
    max: Option<u32>,
    environment: Environment<'_>,
) -> Result<Bounds, Refused> {
    let (own_min, own_max) = (count(environment, MIN_NODES)?, count(environment, MAX_NODES)?);
    let bounds = Bounds { min: min.or(own_min).unwrap_or_default(), max: max.or(own_max) };
    match bounds.max {
        Some(max) if bounds.min > max => {
            let variable = if min.is_none() { MIN_NODES } else { MAX_NODES };
            let problem = format!(
                "contradicts another bound: the minimum of all groups together is {}, the maximum {max}",
                bounds.min
            );
            Err(wrong(variable, problem))
        }
        _ => Ok(bounds),
    }
}

/// A number of machines that a variable may give.
fn count(environment: Environment<'_>, name: &'static str) -> Result<Option<u32>, Refused> {
    let Some(text) = environment(name).map(|text| text.trim().to_owned()) else { return Ok(None) };
    match text.parse() {
        _ if text.is_empty() => Ok(None),
        Ok(count) => Ok(Some(count)),
        Err(_) => {
            Err(wrong(name, format!("is {}, which is not a number of machines", quoted(&text))))
        }
    }
}

fn endpoint(environment: Environment<'_>) -> Result<Endpoint, Refused> {
    let url = variable(environment, BASE_URL, "base-url")?;
    let refuse = |why: String| wrong(BASE_URL, format!("is {}, which {why}", shown(&url)));
    Endpoint::parse(&url).map_err(refuse)
}

fn number(environment: Environment<'_>, name: &'static str, field: &str) -> Result<i64, Refused> {
    let text = variable(environment, name, field)?;
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| {
        wrong(name, format!("is {}, which is not the number of anything", quoted(&text)))
    })
}

fn token(environment: Environment<'_>) -> Result<Token, Refused> {
    let token = variable(environment, TOKEN, "token-file")?;
    check_token(&token).map(Token::Fixed).map_err(|why| wrong(TOKEN, why))
}

fn variable(
    environment: Environment<'_>,
    name: &'static str,
    field: &str,
) -> Result<String, Refused> {
    let value = environment(name).map(|value| value.trim().to_owned());
    value.filter(|value| !value.is_empty()).ok_or_else(|| {
        wrong(name, format!("is not set; set it, or {field} in a file that --cloud-config names"))
    })
}

fn wrong(variable: &'static str, problem: String) -> Refused {
    Refused::Environment { variable, problem }
}
