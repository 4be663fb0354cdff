//! The names of the clients, as labels and as `--client` takes them.

use std::fmt;
use std::str::FromStr;

use super::Client;

/// Every name of a client, its label first, each without the signs between its words.
const NAMES: &[(Client, &[&str])] = &[
    (Client::Claude, &["claude", "claudecode"]),
    (Client::Codex, &["codex", "codexcli"]),
    (Client::Gemini, &["gemini", "geminicli"]),
    (Client::Copilot, &["copilot", "copilotcli", "githubcopilot"]),
    (Client::Qwen, &["qwen", "qwencode"]),
    (Client::OpenCode, &["opencode"]),
];

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

impl FromStr for Client {
    type Err = UnknownClient;

    fn from_str(name: &str) -> Result<Self, UnknownClient> {
        let plain = name.replace(['-', '_', ' '], "").to_ascii_lowercase();
        let known = NAMES.iter().find(|(_, names)| names.contains(&plain.as_str()));
        known.map(|(client, _)| *client).ok_or_else(|| UnknownClient(name.to_owned()))
    }
}

/// A client name that is none of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownClient(String);

impl fmt::Display for UnknownClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown client {:?}: use claude, codex, gemini, copilot, qwen or opencode, or leave \
             --client out",
            self.0
        )
    }
}

impl std::error::Error for UnknownClient {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: the names of `--client` are read, and an unknown one says what to use.
    #[test]
    fn reads_names() {
        for (name, client) in [
            ("Claude-Code", Client::Claude),
            ("codex_cli", Client::Codex),
            ("gemini-cli", Client::Gemini),
            ("copilot-cli", Client::Copilot),
            ("github-copilot", Client::Copilot),
            ("qwen-code", Client::Qwen),
            ("OpenCode", Client::OpenCode),
        ] {
            assert_eq!(name.parse(), Ok(client), "{name}");
        }
        for client in Client::ALL {
            assert_eq!(client.to_string().parse(), Ok(client));
        }
        let error = "vim".parse::<Client>().unwrap_err().to_string();
        assert!(error.contains("\"vim\"") && error.contains("qwen or opencode"));
    }
}
