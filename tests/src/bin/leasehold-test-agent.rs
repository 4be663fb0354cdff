//! An agent's process, as far as its hooks can tell: it runs the hook for each payload that it is
//! told, as its own child.
//!
//! Each line of standard input is one call in JSON: `event`, `payload`, and `how`: `named` (the
//! agent names itself, as Claude Code does), `unnamed`, or `helped` (a helper that lives as long as
//! the call stands between the two). Each line of standard output is one answer: `code`, `stdout`,
//! `stderr`. The first argument is the hook's program.

use std::env;
use std::error::Error;
use std::io::{self, BufRead as _, Write as _};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let hook = env::args_os().nth(1).ok_or("the hook's program is missing")?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let call: Value = serde_json::from_str(&line)?;
        let answer = if call["how"] == "helped" {
            let mut helped = call.clone();
            helped["how"] = "unnamed".into();
            let answer = run(Command::new(env::current_exe()?).arg(&hook), &format!("{helped}\n"))?;
            serde_json::from_str(answer["stdout"].as_str().unwrap_or_default())?
        } else {
            let mut command = Command::new(&hook);
            command.arg("hook").arg(call["event"].as_str().unwrap_or_default());
            if call["how"] == "named" {
                command.env("CLAUDE_PID", std::process::id().to_string());
            }
            run(&mut command, &call["payload"].to_string())?
        };
        println!("{answer}");
        io::stdout().flush()?;
    }
    Ok(())
}

/// Runs a program to its end, fed with this.
fn run(command: &mut Command, stdin: &str) -> Result<Value, Box<dyn Error>> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // A process that has ended before it read is judged by its answer.
    let _ = child.stdin.take().map(|mut pipe| pipe.write_all(stdin.as_bytes()));
    let output = child.wait_with_output()?;
    Ok(json!({
        "code": output.status.code(),
        "stdout": String::from_utf8_lossy(&output.stdout),
        "stderr": String::from_utf8_lossy(&output.stderr),
    }))
}
