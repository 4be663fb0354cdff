//! What an event means for leases, told by its name.

/// The kinds of events that the rules tell apart. The clients' names do not clash, and hosts run
/// each other's settings, so one table serves all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A tool is about to run.
    PreTool,
    /// A tool has run, well or not.
    PostTool,
    /// A prompt came in: a turn begins, or goes on (R8).
    Begin,
    /// The main thread's turn has ended.
    End,
    /// The user interrupted the turn.
    Interrupt,
    /// A sub-agent starts.
    SubagentStart,
    /// A sub-agent has ended.
    SubagentEnd,
    /// A session starts or is resumed.
    SessionStart,
    /// A session has ended.
    SessionEnd,
    /// Something is told, and no call waits for the answer.
    Notice,
    /// Anything else.
    Other,
}

/// Every event name that has a kind.
const KINDS: &[(&str, Kind)] = &[
    ("PreToolUse", Kind::PreTool),
    ("PostToolUse", Kind::PostTool),
    ("PostToolUseFailure", Kind::PostTool),
    ("UserPromptSubmit", Kind::Begin),
    ("Stop", Kind::End),
    ("StopFailure", Kind::End),
    ("Interrupt", Kind::Interrupt),
    ("SubagentStart", Kind::SubagentStart),
    ("SubagentStop", Kind::SubagentEnd),
    ("SessionStart", Kind::SessionStart),
    ("SessionEnd", Kind::SessionEnd),
    // Gemini CLI.
    ("BeforeTool", Kind::PreTool),
    ("AfterTool", Kind::PostTool),
    ("BeforeAgent", Kind::Begin),
    ("AfterAgent", Kind::End),
    // Copilot CLI.
    ("preToolUse", Kind::PreTool),
    ("postToolUse", Kind::PostTool),
    ("postToolUseFailure", Kind::PostTool),
    ("userPromptSubmitted", Kind::Begin),
    ("agentStop", Kind::End),
    ("subagentStart", Kind::SubagentStart),
    ("subagentStop", Kind::SubagentEnd),
    ("sessionStart", Kind::SessionStart),
    ("sessionEnd", Kind::SessionEnd),
    // It may be recoverable, so it ends nothing.
    ("errorOccurred", Kind::Notice),
];

impl Kind {
    /// The kind of an event name, which is compared exactly.
    pub fn of(event_name: &str) -> Self {
        KINDS.iter().find(|(name, _)| *name == event_name).map_or(Self::Other, |(_, kind)| *kind)
    }

    /// Whether this is known to be no call that could still be blocked.
    pub fn is_life_cycle(self) -> bool {
        !matches!(self, Self::PreTool | Self::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: names have their kind, and look-alikes have none.
    #[test]
    fn tells_kinds() {
        assert_eq!(Kind::of("StopFailure"), Kind::End);
        assert_eq!(Kind::of("PostToolUseFailure"), Kind::PostTool);
        for (name, kind) in [
            ("BeforeTool", Kind::PreTool),
            ("AfterAgent", Kind::End),
            ("preToolUse", Kind::PreTool),
            ("userPromptSubmitted", Kind::Begin),
            ("subagentStop", Kind::SubagentEnd),
        ] {
            assert_eq!(Kind::of(name), kind, "{name}");
        }
        assert!(Kind::of("errorOccurred").is_life_cycle());
        for name in ["", "stop", "PreSkillShellCommand", "PermissionRequest", "PostToolBatch"] {
            assert_eq!(Kind::of(name), Kind::Other, "{name}");
        }
        assert!(Kind::End.is_life_cycle() && !Kind::PreTool.is_life_cycle());
    }
}
