//! Patches in both directions: every name is found, and nothing that is only quoted.

use proptest::prelude::*;

use super::super::tests::{judge, names};
use super::*;

fn targets(text: &str) -> Vec<String> {
    parse(text).unwrap().targets.into_iter().map(|target| target.name).collect()
}

/// Wraps lines into a whole patch.
fn patch(lines: &str) -> String {
    format!("{BEGIN}\n{lines}\n{END}\n")
}

/// Goal: content that looks like a header is never a target, behind any prefix.
#[test]
fn quoted_headers_are_content() {
    let text = patch(
        "*** Update File: a\n@@ *** Delete File: q0\n+*** Add File: q1\n-*** Add File: q2\n \
         *** Add File: q3\n\n  *** Delete File: q4\n*** End of File\n*** Add File: b\n+*** \
         Update File: q5\n+*** End Patch\n*** Delete File: c",
    );
    assert_eq!(targets(&text), ["a", "b", "c"]);
    assert_eq!(parse(&text).unwrap().notes, [""; 0]);
}

/// Goal: blanks around markers are tolerated just where Codex tolerates them.
#[test]
fn blanks_around_markers() {
    let text =
        "  *** Begin Patch \n\t*** Add File: n.txt \t\n+x\n  *** Delete File: v\n *** End Patch";
    assert_eq!(targets(text), ["n.txt", "v"]);
}

/// Goal: where clients disagree about blanks in a name, both files count.
#[test]
fn blanks_in_names() {
    assert_eq!(targets(&patch("*** Add File:   n.txt")), ["  n.txt", "n.txt"]);
    assert_eq!(targets(&patch("*** Add File:n.txt")), ["n.txt"]);
    assert_eq!(targets(&patch("*** Delete File: a b ")), ["a b"]);
}

/// Goal: a patch that Codex would refuse still has all its names, and says why in a note.
#[test]
fn broken_patches_keep_their_names() {
    let cut = parse("*** Begin Patch\n*** Update File: a\n@@\n-x").unwrap();
    assert_eq!((cut.targets.len(), cut.notes.len()), (1, 1));
    let odd = parse(&patch("*** Delete File: a\nodd line\n*** Move to: b")).unwrap();
    assert_eq!((odd.targets.len(), odd.notes.len()), (2, 1));
    let after = "*** Begin Patch\n*** Delete File: a\n*** End Patch\n*** Delete File: b";
    assert_eq!(targets(after), ["a", "b"]);
    let two = format!("{0}{0}", patch("*** Delete File: a"));
    assert_eq!(targets(&two), ["a", "a"]);
}

/// Goal: text that names no file is refused (R15).
#[test]
fn refuses_what_names_no_file() {
    assert_eq!(parse(""), Err(IntentError::NoPatchBegin));
    assert_eq!(parse("*** Add File: a"), Err(IntentError::NoPatchBegin));
    assert_eq!(parse(&patch("")), Err(IntentError::NoPatchFile));
    assert_eq!(parse(&patch("*** Add File: \n+x")), Err(IntentError::EmptyPatchName(2)));
    assert_eq!(parse(&patch("*** Move to:")), Err(IntentError::EmptyPatchName(2)));
    assert!(
        judge("apply_patch", r#"{"command":"*** Begin Patch\n*** Add File: a\u0000"}"#).is_err()
    );
    for input in ["{}", "7", r#"{"command":7}"#, r#"{"command":["a",7]}"#] {
        assert_eq!(judge("apply_patch", input), Err(IntentError::NoPatchText), "{input}");
    }
}

/// Goal: the patch is found in every field and form that clients use.
#[test]
fn finds_the_patch_text() {
    let text = "\"*** Begin Patch\\n*** Delete File: a\\n*** End Patch\"";
    for input in [
        text.to_owned(),
        format!(r#"{{"command":{text}}}"#),
        format!(r#"{{"input":{text}}}"#),
        format!(r#"{{"command":null,"patch":{text}}}"#),
        format!(r#"{{"patchText":{text}}}"#),
        format!(r#"{{"command":["apply_patch",{text}]}}"#),
        r#"{"command":"<<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF\n"}"#
            .into(),
    ] {
        let intent = judge("apply_patch", &input).unwrap();
        assert_eq!((names(&intent.writes), intent.notes.len()), (vec!["/repo/a"], 0), "{input}");
    }
    let shell = r#"{"command":"cd s && apply_patch <<E\n*** Begin Patch\n*** Delete File: a\nE"}"#;
    assert_eq!(names(&judge("apply_patch", shell).unwrap().writes), ["/repo/s/a"]);
}

/// Goal: a patch for another environment writes no local file; one for the local does.
#[test]
fn environments() {
    let remote = r#"{"command":"*** Begin Patch\n*** Environment ID: r-1\n*** Delete File: a"}"#;
    let intent = judge("apply_patch", remote).unwrap();
    assert!(intent.writes.is_empty() && !intent.reads_only);
    assert!(intent.notes[0].contains("\"r-1\""));
    for text in [
        "*** Begin Patch\n*** Environment ID: local\n*** Delete File: a",
        "*** Begin Patch\n*** Delete File: a\n*** Environment ID: r-1\n*** Delete File: a",
        "*** Begin Patch\n*** Environment ID: r-1\n*** Begin Patch\n*** Delete File: a",
    ] {
        let patch = parse(text).unwrap();
        assert!(patch.targets.iter().all(|target| target.environment.is_none()), "{text}");
    }
}

/// A file of a generated patch: its header lines and the names in them.
fn file() -> impl Strategy<Value = (String, Vec<String>)> {
    let name = || "[a-zA-Z0-9_][a-zA-Z0-9_ ./-]{0,12}[a-z]";
    let quoted = prop_oneof![
        "[ -~]{0,20}",
        Just("*** Add File: quoted".to_owned()),
        Just("*** Move to: quoted".to_owned()),
        Just(END.to_owned()),
        Just(BEGIN.to_owned()),
    ];
    let content = prop::collection::vec((prop::sample::select(vec!["+", "-", " "]), quoted), 1..6);
    (0..4u8, name(), name(), content).prop_map(|(form, name, moved, content)| {
        let body = |prefixes: Option<&str>| -> String {
            let line =
                |(prefix, text): &(&str, String)| format!("\n{}{text}", prefixes.unwrap_or(prefix));
            content.iter().map(line).collect()
        };
        match form {
            0 => (format!("*** Add File: {name}{}", body(Some("+"))), vec![name]),
            1 => (format!("*** Delete File: {name}"), vec![name]),
            2 => (format!("*** Update File: {name}\n@@{}", body(None)), vec![name]),
            _ => {
                let head = format!("*** Update File: {name}\n*** Move to: {moved}\n@@");
                (head + &body(None), vec![name, moved])
            }
        }
    })
}

proptest! {
    /// Goal: no text makes the parser panic, and every name that it finds is in the text.
    #[test]
    fn never_panics(
        text in "(\\PC|\n|\r\n|\\*{3} (Begin|End) Patch\n|\\*{3} Add File:){0,40}",
    ) {
        if let Ok(patch) = parse(&text) {
            prop_assert!(patch.targets.iter().all(|target| text.contains(&target.name)));
        }
    }

    /// Goal: of a well-formed patch exactly the named files are found, whatever its content quotes.
    #[test]
    fn finds_exactly_the_names(
        files in prop::collection::vec(file(), 1..6),
        ending in prop::sample::select(vec!["\n", "\r\n"]),
    ) {
        let (texts, expected): (Vec<String>, Vec<Vec<String>>) = files.into_iter().unzip();
        let text = patch(&texts.join("\n")).replace('\n', ending);
        prop_assert_eq!(targets(&text), expected.concat());
        prop_assert_eq!(parse(&text).unwrap().notes, Vec::<String>::new());
    }
}
