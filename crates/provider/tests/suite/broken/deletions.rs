//! What goes wrong with deletions.

use plimsoll_model::Symbol;
use plimsoll_provider::{
    Class, Deletion, Error, Provider,
    conformance::{Doing, Machine},
};

use super::{Broken, Flaw};
use crate::honest::service::Record;

impl Broken {
    pub(super) async fn remove(
        &self,
        group: Symbol,
        instances: &[Box<str>],
    ) -> Result<Vec<Deletion>, Error> {
        let Some(state) = self.truth().groups.get(&group).cloned() else {
            return self.honest.delete(group, instances).await;
        };
        let own = self.own(group);
        let ids = || own.iter().map(|machine| machine.id.clone());
        let doing = |id: &str| own.iter().find(|own| &*own.id == id).map(|own| own.doing);
        match self.flaw {
            Flaw::DeletesTheFirst => {
                let others: Vec<_> = ids().take(instances.len()).collect();
                let mut answers = self.honest.delete(group, &others).await?;
                for (answer, asked) in answers.iter_mut().zip(instances) {
                    answer.instance.clone_from(asked);
                }
                return Ok(answers);
            }
            Flaw::EmptyMeansAll if instances.is_empty() => {
                self.honest.delete(group, &ids().collect::<Vec<_>>()).await?;
                return Ok(Vec::new());
            }
            Flaw::DeletesAnything => {
                let mut truth = self.truth();
                for id in instances {
                    truth.machines.entry(id.clone()).and_modify(|record| {
                        record.machine.doing = Doing::Deleting;
                    });
                }
                return Ok(fine(instances));
            }
            Flaw::RefusesTheUnknown if instances.iter().any(|id| doing(id).is_none()) => {
                return Err(Error::not_found("one of them is not there"));
            }
            Flaw::ObeysTheMinimum | Flaw::KeepsTheBroken
                if state.target <= state.min && state.min > 0 =>
            {
                return Err(Error::invalid("the minimum is reached"));
            }
            Flaw::StopsAboveTheMinimum if state.target <= state.min + 1 && state.min > 0 => {
                return Err(Error::invalid("the minimum is near"));
            }
            Flaw::IgnoresItsMinimum => self.delete_all(instances),
            Flaw::DeletesStrangers => self.delete_strangers(instances),
            Flaw::DropsOverlappingDeletions if self.is_busy() => return Ok(fine(instances)),
            Flaw::DeletesTheRunningOnly => {
                let is_up = |id: &str| doing(id).is_none_or(|doing| doing == Doing::Running);
                if let Some(id) = instances.iter().find(|id| !is_up(id)) {
                    return Err(Error::invalid(format!("{id} does not run")));
                }
            }
            Flaw::AnswersSorted => {
                let mut sorted = instances.to_vec();
                sorted.sort_unstable();
                return self.honest.delete(group, &sorted).await;
            }
            _ => {}
        }
        let alive = self.alive(group);
        let answer = self.honest.delete(group, instances).await;
        let gone = alive.saturating_sub(self.alive(group));
        let answers = match (self.flaw, answer) {
            (Flaw::DeletesWhileRefusing, Err(error)) if error.class() == Class::Invalid => {
                for id in instances.iter().filter(|id| doing(id).is_some()) {
                    self.truth().delete(id).unwrap();
                }
                return Err(error);
            }
            (Flaw::ShrinksWhileRefusing, Err(error)) if error.class() == Class::Invalid => {
                self.delete_all(instances);
                return Err(error);
            }
            (Flaw::RefusesForNow, Err(error)) if error.class() == Class::Invalid => {
                return Err(Error::retry(error.to_string()));
            }
            (Flaw::TellsFailedDeletionsAsDone, Err(error)) if error.class() == Class::Retry => {
                fine(instances)
            }
            (_, answer) => answer?,
        };
        Ok(self.miscount(group, gone, answers))
    }

    /// What a flaw does to the target and the answers, when so many have gone.
    fn miscount(&self, group: Symbol, gone: u32, mut answers: Vec<Deletion>) -> Vec<Deletion> {
        let done = answers.iter().filter(|answer| answer.outcome.is_ok()).count();
        let done = u32::try_from(done).unwrap();
        let mut truth = self.truth();
        let state = truth.groups.get_mut(&group).unwrap();
        match self.flaw {
            Flaw::KeepsTheTarget => state.target += gone,
            Flaw::LowersTwice => state.target = state.target.saturating_sub(gone),
            Flaw::LowersAgain => {
                state.target = state.target.saturating_sub(done.saturating_sub(gone));
            }
            Flaw::LowersForEachCaller if self.is_busy() => {
                state.target = state.target.saturating_sub(gone);
            }
            Flaw::LowersForTheGone => {
                let missing = u32::try_from(answers.len()).unwrap() - done;
                state.target = state.target.saturating_sub(missing);
            }
            Flaw::BeginsDeletionsAnew => {
                for answer in &answers {
                    *truth.deletions.entry(answer.instance.clone()).or_default() += 1;
                }
            }
            Flaw::TellsStrangersAsDone => {
                for answer in &mut answers {
                    if truth.machines.get(&answer.instance).is_some_and(Record::is_strange) {
                        answer.outcome = Ok(());
                    }
                }
            }
            Flaw::OverridesProtection => {
                for answer in answers.iter_mut().filter(|answer| answer.outcome.is_err()) {
                    if let Some(record) = truth.machines.get_mut(&answer.instance) {
                        record.machine.doing = Doing::Deleting;
                        answer.outcome = Ok(());
                    }
                }
            }
            _ => {}
        }
        answers
    }

    /// Deletes what is there past all rules.
    fn delete_all(&self, instances: &[Box<str>]) {
        let mut truth = self.truth();
        for id in instances {
            // One that is not there cannot be deleted.
            let _ = truth.delete(id);
        }
    }

    fn delete_strangers(&self, instances: &[Box<str>]) {
        let mut truth = self.truth();
        let strangers = truth
            .machines
            .iter_mut()
            .filter(|(id, record)| instances.contains(id) && record.is_strange());
        for (_, record) in strangers {
            record.machine.doing = Doing::Deleting;
        }
    }

    fn own(&self, group: Symbol) -> Vec<Machine> {
        let truth = self.truth();
        let machines = truth.machines.values().map(|record| record.machine.clone());
        machines.filter(|machine| machine.group == Some(group)).collect()
    }

    fn alive(&self, group: Symbol) -> u32 {
        u32::try_from(self.truth().staying(group)).unwrap()
    }
}

/// As if all were well.
pub(super) fn fine(instances: &[Box<str>]) -> Vec<Deletion> {
    instances.iter().map(|id| Deletion { instance: id.clone(), outcome: Ok(()) }).collect()
}
