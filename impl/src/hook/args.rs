//! The hook's own arguments, read without the command line's parser: that costs more than the
//! decision.

use std::ffi::OsString;

use crate::client::Client;

/// `hook [EVENT] [--client C]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookArgs {
    /// The event that the installed command names.
    pub event: Option<String>,
    /// The client, where the payload is not to be asked.
    pub client: Option<Client>,
}

impl HookArgs {
    /// Reads what follows `hook`. None for anything else, help among it: that is the parser's.
    pub fn quick(args: &[OsString]) -> Option<Self> {
        let mut read = Self::default();
        let mut args = args.iter().map(|arg| arg.to_str());
        while let Some(arg) = args.next() {
            let arg = arg?;
            if let Some(name) = arg.strip_prefix("--client=") {
                read.client = Some(name.parse().ok()?);
            } else if arg == "--client" {
                read.client = Some(args.next()??.parse().ok()?);
            } else if arg.starts_with('-') || read.event.is_some() {
                return None;
            } else {
                read.event = Some(arg.to_owned());
            }
        }
        Some(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quick(args: &[&str]) -> Option<HookArgs> {
        HookArgs::quick(&args.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn an_event_and_a_client_in_any_order() {
        let expected = HookArgs { event: Some("Stop".to_owned()), client: Some(Client::Codex) };
        assert_eq!(quick(&["Stop", "--client", "codex"]), Some(expected.clone()));
        assert_eq!(quick(&["--client=codex", "Stop"]), Some(expected));
        assert_eq!(quick(&[]), Some(HookArgs::default()));
    }

    #[test]
    fn everything_else_is_left_to_the_parser() {
        for args in [&["--help"][..], &["Stop", "Stop"], &["--client"], &["--client", "emacs"]] {
            assert_eq!(quick(args), None, "{args:?}");
        }
    }
}
