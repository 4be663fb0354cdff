//! The files that a patch in `apply_patch` form names.
//!
//! The reader follows Codex's own (measured with 0.171.0): markers may have blanks around them,
//! but a line that starts with a blank inside an update is content, and blanks after the colon
//! belong to the name. Where Codex would refuse the patch, all names still count.

use super::{Intent, IntentError, Place, heredoc};
use crate::event::ToolCall;
use crate::payload::Json;

/// The line that every patch starts with.
pub(super) const BEGIN: &str = "*** Begin Patch";

const END: &str = "*** End Patch";
const END_OF_FILE: &str = "*** End of File";
const ENVIRONMENT: &str = "*** Environment ID:";
const LOCAL_ENVIRONMENT: &str = "local";

/// Headers that name a file, and whether an update's content follows.
const HEADERS: &[(&str, Section)] = &[
    ("*** Add File:", Section::Addition),
    ("*** Delete File:", Section::Between),
    ("*** Update File:", Section::Update),
    ("*** Move to:", Section::Update),
];

/// Tools that apply a patch.
const PATCH_TOOLS: &[&str] = &["apply_patch", "applypatch"];

/// What Copilot calls its patch tool for hooks in Claude Code's form.
const EDIT_TOOL: &str = "Edit";

/// Fields of a tool's input that may hold the patch, best first.
const PATCH_FIELDS: &[&str] = &["command", "input", "patch", "patchText"];

/// A file that a patch names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) name: String,
    /// The environment that the patch is for, where it names another than the local one.
    pub(super) environment: Option<String>,
}

/// What a patch text names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Patch {
    pub(super) targets: Vec<Target>,
    pub(super) notes: Vec<String>,
}

/// Where in a patch a line stands: what decides whether it is content.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    /// Before the first line of a patch.
    Before,
    /// Right after that line.
    Begun,
    /// Where only headers may follow.
    Between,
    /// In the content of a new file.
    Addition,
    /// In the hunks of a file.
    Update,
    /// After the last line of a patch.
    After,
}

/// Whether a call hands over a patch: to a patch tool, or as the bare text that an edit never is.
pub(super) fn is_handed_over(call: &ToolCall) -> bool {
    let bare = || call.input.as_text().is_some_and(|text| text.trim_start().starts_with(BEGIN));
    PATCH_TOOLS.contains(&call.name.as_str()) || (call.name == EDIT_TOOL && bare())
}

/// Adds the files of a patch tool's call.
pub(super) fn judge(
    call: &ToolCall,
    place: &Place,
    intent: &mut Intent,
) -> Result<(), IntentError> {
    let text = patch_text(&call.input).ok_or(IntentError::NoPatchText)?;
    if !text.trim_start().starts_with(BEGIN) {
        // Models also hand over the whole shell command that would feed the patch.
        let mut shell = Intent::default();
        if heredoc::judge_script(&text, place, &mut shell)? {
            *intent = shell;
            return Ok(());
        }
    }
    let patch = parse(&text)?;
    for Target { name, environment } in patch.targets {
        match environment {
            None => intent.writes.push(place.join(&name)?),
            Some(id) => intent.note(format!("{name:?} is a file of the environment {id:?}")),
        }
    }
    intent.notes.extend(patch.notes);
    Ok(())
}

/// The patch text of a call: the input itself, or the first patch field that is there.
fn patch_text(input: &Json) -> Option<String> {
    let value = match input {
        Json::Map(_) => {
            let mut values = PATCH_FIELDS.iter().filter_map(|field| input.get(field));
            values.find(|value| !value.is_null())?
        }
        other => other,
    };
    match value {
        Json::Text(text) => Some(text.clone()),
        Json::List(items) => {
            let words: Option<Vec<&str>> = items.iter().map(Json::as_text).collect();
            words.map(|words| words.join("\n"))
        }
        _ => None,
    }
}

/// Reads every file name of a patch text.
pub(super) fn parse(text: &str) -> Result<Patch, IntentError> {
    let mut patch = Patch::default();
    let mut section = Section::Before;
    let mut environment = None;
    for (index, line) in text.lines().enumerate() {
        if is_content(section, line) {
            continue;
        }
        let marker = line.trim();
        if marker == BEGIN {
            section = Section::Begun;
            environment = None;
        } else if section == Section::Before {
            // A shell's opener, or chatter.
        } else if marker == END {
            section = Section::After;
        } else if let Some((rest, next)) = header(line) {
            add_names(rest, environment.as_ref(), index + 1, &mut patch)?;
            section = next;
        } else if section == Section::Begun && marker.starts_with(ENVIRONMENT) {
            let id = marker[ENVIRONMENT.len()..].trim();
            environment = (!id.is_empty() && id != LOCAL_ENVIRONMENT).then(|| id.to_owned());
        } else if section != Section::After && !marker.is_empty() && marker != END_OF_FILE {
            patch.notes.push(format!("line {} of the patch has no known form", index + 1));
        }
    }
    match section {
        Section::Before => return Err(IntentError::NoPatchBegin),
        _ if patch.targets.is_empty() => return Err(IntentError::NoPatchFile),
        Section::After => {}
        _ => patch.notes.push(format!("the patch has no line {END:?}: all names still count")),
    }
    Ok(patch)
}

/// Whether a line is a file's text, so that a header quoted in it is none.
fn is_content(section: Section, line: &str) -> bool {
    match section {
        Section::Addition => line.starts_with('+'),
        Section::Update => line.is_empty() || line.starts_with(['+', '-', ' ', '@']),
        _ => false,
    }
}

/// What follows a header's colon, and the section that the header opens.
fn header(line: &str) -> Option<(&str, Section)> {
    let marker = line.trim();
    HEADERS.iter().find_map(|(head, section)| Some((marker.strip_prefix(head)?, *section)))
}

/// Adds the name after a header's colon.
fn add_names(
    rest: &str,
    environment: Option<&String>,
    line: usize,
    patch: &mut Patch,
) -> Result<(), IntentError> {
    let trimmed = rest.trim();
    if trimmed.is_empty() {
        return Err(IntentError::EmptyPatchName(line));
    }
    // One blank ends the header. Codex takes further ones for the name's, other clients do not.
    let exact = rest.strip_prefix(' ').unwrap_or(rest);
    for name in [Some(exact), (exact != trimmed).then_some(trimmed)].into_iter().flatten() {
        let environment = environment.cloned();
        patch.targets.push(Target { name: name.to_owned(), environment });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
