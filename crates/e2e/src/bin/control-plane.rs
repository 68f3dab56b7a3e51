//! Says where the control plane's executable is, and builds it first if it is not there yet.

use std::io::Write as _;

use plimsoll_e2e::Program;

fn main() -> anyhow::Result<()> {
    let executable = Program::CONTROL_PLANE.build()?;
    writeln!(std::io::stdout(), "{}", executable.display())?;
    Ok(())
}
