//! Where this process spends its time, in the form that `go tool pprof` reads.
//!
//! A timer of the process's own CPU time interrupts whatever runs, a hundred times a second, and notes the stack. So a
//! profile costs next to nothing while it is taken, and nothing at all otherwise.

use std::{io::Write as _, time::Duration};

use flate2::{Compression, write::GzEncoder};
use pprof::{ProfilerGuard, ProfilerGuardBuilder, protos::Message as _};
use thiserror::Error;

/// Notes a second, as many as Go takes.
const FREQUENCY: i32 = 100;

/// Libraries in which the stack is not looked at: unwinding takes locks there that the interrupted code may hold.
const LEFT_ALONE: [&str; 4] = ["libc", "libgcc", "pthread", "vdso"];

/// A profile that was not taken.
#[derive(Debug, Error)]
pub enum ProfileError {
    /// Somebody else's is being taken, and a process has one timer: try again when it is over.
    #[error("another profile is being taken; try again when it is over")]
    Busy,
    /// The system does not let it.
    #[error("no profile can be taken: {0}")]
    Failed(String),
}

/// Profiles the whole process for so long. The answer is a `perftools.profiles.Profile`, compressed with gzip.
///
/// Whoever drops this before it is done ends the profile.
pub async fn cpu(length: Duration) -> Result<Vec<u8>, ProfileError> {
    let guard = ProfilerGuardBuilder::default()
        .frequency(FREQUENCY)
        .blocklist(&LEFT_ALONE)
        .build()
        .map_err(|error| match error {
            pprof::Error::Running => ProfileError::Busy,
            error => failed(error),
        })?;
    tokio::time::sleep(length).await;
    // Names of functions are looked up in the binary, which takes a while.
    let written = tokio::task::spawn_blocking(move || write(&guard));
    written.await.map_err(failed)?
}

fn write(guard: &ProfilerGuard<'_>) -> Result<Vec<u8>, ProfileError> {
    let profile = guard.report().build().and_then(|report| report.pprof()).map_err(failed)?;
    let profile = profile.write_to_bytes().map_err(failed)?;
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&profile).and_then(|()| packed.finish()).map_err(failed)
}

#[expect(clippy::needless_pass_by_value, reason = "errors are handed over where they happen")]
fn failed(error: impl ToString) -> ProfileError {
    ProfileError::Failed(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::{io::Read as _, time::Duration};

    use flate2::read::GzDecoder;
    use pprof::protos::{Message as _, Profile};

    use super::{ProfileError, cpu};

    /// One test, because a process has one profiler.
    #[tokio::test]
    async fn a_profile_can_be_read_and_there_is_one_at_a_time() {
        let first = tokio::spawn(cpu(Duration::from_millis(300)));
        tokio::task::yield_now().await;
        let second = cpu(Duration::from_millis(1)).await;
        assert!(matches!(second, Err(ProfileError::Busy)), "{second:?}");
        let packed = first.await.unwrap().unwrap();
        let mut bytes = Vec::new();
        GzDecoder::new(&*packed).read_to_end(&mut bytes).unwrap();
        let profile = Profile::parse_from_bytes(&bytes).unwrap();
        let text = |place: i64| profile.string_table[usize::try_from(place).unwrap()].as_str();
        let types: Vec<_> =
            profile.sample_type.iter().map(|one| (text(one.ty), text(one.unit))).collect();
        assert!(types.contains(&("cpu", "nanoseconds")), "{types:?}");
        assert!(profile.period > 0 && profile.duration_nanos > 0);
        // It is over, so another may begin; one that nobody waits for any more is over, too.
        drop(tokio::time::timeout(Duration::from_millis(1), cpu(Duration::from_mins(1))).await);
        assert!(cpu(Duration::from_millis(1)).await.is_ok());
    }
}
