//! Whose node it is, where the inventory alone does not tell: what providers said when they were asked.

use plimsoll_cluster::mirror::Mirror;
use plimsoll_model::Symbol;
use plimsoll_provider::{Error, Inventory, NodeIdentity, Whose};
use rustc_hash::{FxHashMap, FxHashSet};
use tracing::debug;

/// How many questions may be open, so that orders do not have to wait behind them.
const AT_ONCE: usize = 16;

/// Answers of providers. An answer holds until the node or the inventory changes; while a new one is awaited the old one counts.
#[derive(Debug, Default)]
pub(crate) struct Owners {
    /// Raised with every change of the inventory.
    edition: u64,
    known: FxHashMap<Symbol, Known>,
    /// Nodes that somebody is being asked about.
    asked: FxHashSet<Symbol>,
    /// Nodes of which nobody has ever said whose they are.
    strange: FxHashSet<Symbol>,
}

/// A question to a provider.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub identity: NodeIdentity,
    pub node: Symbol,
    edition: u64,
}

#[derive(Debug)]
struct Known {
    identity: NodeIdentity,
    edition: u64,
    whose: Whose,
}

// === impl Owners ===

impl Owners {
    /// The inventory is another one.
    pub(crate) fn inventory_changed(&mut self) {
        self.edition += 1;
    }

    /// Whose node it is, as far as is known.
    pub(crate) fn whose(&self, node: Symbol) -> Option<&Whose> {
        self.known.get(&node).map(|known| &known.whose)
    }

    /// What has to be asked: nodes that the inventory does not explain and of which nothing is known, or something that may not
    /// hold any more. They count as asked from here on.
    pub(crate) fn ask(&mut self, mirror: &mut Mirror, inventory: &Inventory) -> Vec<Asked> {
        let machines: FxHashSet<&str> = (inventory.groups.iter())
            .flat_map(|state| &state.group.instances)
            .map(|instance| &*instance.id)
            .collect();
        let named: FxHashSet<Symbol> = (inventory.groups.iter())
            .flat_map(|state| &state.group.instances)
            .filter_map(|instance| instance.node)
            .collect();
        let unexplained: Vec<Symbol> = (mirror.world().nodes.iter())
            .filter(|node| !machines.contains(&*node.provider_id) && !named.contains(&node.name))
            .map(|node| node.name)
            .collect();
        let unexplained: FxHashSet<Symbol> = unexplained.into_iter().collect();
        self.known.retain(|node, _| unexplained.contains(node));
        self.strange.clear();
        let unheard = unexplained.iter().filter(|node| !self.known.contains_key(node));
        self.strange.extend(unheard.copied());
        let mut questions: Vec<Asked> = (unexplained.iter())
            .filter(|node| !self.asked.contains(node))
            .filter_map(|node| {
                let identity = mirror.identity(*node)?;
                let holds = self.known.get(node).is_some_and(|known| {
                    known.edition == self.edition && known.identity == *identity
                });
                let identity = identity.clone();
                (!holds).then_some(Asked { identity, node: *node, edition: self.edition })
            })
            .collect();
        // Those of whom least is known come first; the others have their turn in later passes.
        let age = |question: &Asked| self.known.get(&question.node).map(|known| known.edition);
        questions.sort_by_key(|question| (age(question), question.node));
        questions.truncate(AT_ONCE.saturating_sub(self.asked.len()));
        self.asked.extend(questions.iter().map(|question| question.node));
        questions
    }

    /// Takes an answer. Says whether it is another one than before.
    pub(crate) fn learn(&mut self, asked: Asked, answer: Result<Whose, Error>) -> bool {
        let Asked { identity, node, edition } = asked;
        self.asked.remove(&node);
        match answer {
            Ok(whose) => {
                let changed = self.whose(node).unwrap_or(&Whose::Nobodys) != &whose;
                self.known.insert(node, Known { identity, edition, whose });
                changed
            }
            Err(error) => {
                debug!(%node, %error, "nobody can tell whose node it is; asking again later");
                false
            }
        }
    }

    /// A node of which nobody has said yet whose it is. As long as there is one, a machine that seems to have no node may have it.
    pub(crate) fn stranger(&self) -> Option<Symbol> {
        self.strange.iter().min().copied()
    }

    /// Whether no question is open.
    pub(crate) fn is_idle(&self) -> bool {
        self.asked.is_empty()
    }

    /// Questions under way will not be answered.
    pub(crate) fn forget_questions(&mut self) {
        self.asked.clear();
    }
}
