//! What stands between a caller and the books: the network, as far as it can be simulated.

use plimsoll_provider::Error;
use rand::RngExt as _;

use super::{Cloud, state::State};

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::simulated) enum Request {
    /// It changes nothing.
    Read,
    /// It changes something.
    Change,
}

/// What becomes of the answer to a request that takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reply {
    Arrives,
    Lost,
}

// === impl Cloud ===

impl Cloud {
    /// Sends a request: after the latency it fails, or takes effect and is answered, or takes effect and the answer is lost.
    pub(in crate::simulated) async fn send<T>(
        &self,
        request: Request,
        effect: impl FnOnce(&mut State, jiff::Timestamp) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        let latency = self.state().faults.latency;
        if !latency.is_zero() {
            tokio::time::sleep(latency).await;
        }
        self.change(|state, now| {
            let reply = admit(state, request)?;
            let answer = effect(state, now);
            match reply {
                Reply::Arrives => answer,
                Reply::Lost => Err(Error::retry("the answer of the simulated service was lost")),
            }
        })
    }
}

/// Whether the request takes effect, and what becomes of its answer.
fn admit(state: &mut State, request: Request) -> Result<Reply, Error> {
    let mut chance = state.chance_of_call();
    state.faults.check()?;
    let fails = chance.random::<f64>() < state.catalogue.call_failure_rate;
    let takes_effect = chance.random::<bool>();
    match request {
        Request::Change if state.faults.loses_reply() => Ok(Reply::Lost),
        Request::Change if fails && takes_effect => Ok(Reply::Lost),
        _ if fails => Err(Error::retry("the simulated service is overloaded")),
        Request::Read | Request::Change => Ok(Reply::Arrives),
    }
}
