//! Shell calls in both directions: patches that are applied, and text that only looks like one.

use proptest::prelude::*;

use super::super::tests::{judge, names, shell_intent};
use super::*;

const BODY: &str = "*** Begin Patch\n*** Delete File: a\n*** End Patch";

/// The files that a script in `/repo` will write; `BODY` stands for a small patch.
fn writes(script: &str) -> Vec<String> {
    let intent = shell_intent(&script.replace("BODY", BODY)).unwrap();
    assert!(!intent.reads_only);
    names(&intent.writes).into_iter().map(str::to_owned).collect()
}

/// Goal: every way to write the here-document is understood.
#[test]
fn openers() {
    for script in [
        "apply_patch <<'EOF'\nBODY\nEOF\n",
        "apply_patch <<EOF\nBODY\nEOF",
        "apply_patch <<\"E O F\"\nBODY\nE O F",
        "apply_patch <<\\EOF\nBODY\nEOF",
        "apply_patch << 'PATCH-1'\nBODY\nPATCH-1",
        "applypatch <<-EOF\n\t*** Begin Patch\n\t*** Delete File: a\n\tEOF",
        "/usr/bin/apply_patch <<EOF\nBODY\nEOF",
        "A=1 env -i timeout 5 apply_patch <<EOF\nBODY\nEOF",
        "apply_patch <<EOF\r\nBODY\r\nEOF\r\n",
        "apply_patch <<EOF\nBODY",
        "apply_patch 'BODY'",
        "cat <<'EOF' | apply_patch\nBODY\nEOF",
        "if true; then apply_patch <<EOF\nBODY\nEOF\nfi",
        "bash -lc \"apply_patch <<'EOF'\nBODY\nEOF\"",
        "out=$(apply_patch <<'EOF'\nBODY\nEOF\n)",
        "echo \"$(apply_patch <<'EOF'\nBODY\nEOF\n)\"",
    ] {
        assert_eq!(writes(script), ["/repo/a"], "{script}");
    }
}

/// Goal: a script that is one patch and nothing else is told from every other one.
#[test]
fn a_patch_alone() {
    let alone = |script: &str| {
        let intent = shell_intent(&script.replace("BODY", BODY)).unwrap();
        assert!(intent.shell);
        intent.patch_only
    };
    for script in [
        "apply_patch <<'EOF'\nBODY\nEOF\n",
        "\n apply_patch <<EOF\nBODY\nEOF\n\n",
        "applypatch <<\"EOF\"\nBODY\nEOF",
        "cd d && apply_patch <<'EOF'\nBODY\nEOF\n",
        "cd 'd e' && apply_patch <<EOF\nBODY\nEOF",
    ] {
        assert!(alone(script), "{script}");
    }
    for script in [
        "ls",
        "cd d",
        "cat <<EOF\nBODY\nEOF",
        "cd d; apply_patch <<EOF\nBODY\nEOF",
        "cd d || apply_patch <<EOF\nBODY\nEOF",
        "cd a && cd b && apply_patch <<EOF\nBODY\nEOF",
        "apply_patch <<EOF && make\nBODY\nEOF",
        "apply_patch <<EOF > log\nBODY\nEOF",
        "apply_patch <<EOF &\nBODY\nEOF",
        "apply_patch <<EOF\nBODY\nEOF\nmake",
        "time apply_patch <<EOF\nBODY\nEOF",
        "(apply_patch <<EOF\nBODY\nEOF\n)",
        "apply_patch 'BODY'",
    ] {
        assert!(!alone(script), "{script}");
    }
}

/// Goal: the directory of a patch is the one that the commands before it lead to.
#[test]
fn directories() {
    for (before, path) in [
        ("cd d && ", "/repo/d/a"),
        ("cd d; cd e; ", "/repo/d/e/a"),
        ("cd 'd e'\n", "/repo/d e/a"),
        ("cd -P -- d && ", "/repo/d/a"),
        ("cd ../x && ", "/repo/../x/a"),
        ("cd /abs && ", "/abs/a"),
        ("cd ~/d && ", "/home/ana/d/a"),
        ("cd '~' && ", "/repo/~/a"),
        ("cd && ", "/home/ana/a"),
        ("(cd d); ", "/repo/a"),
        ("(cd d && (cd e; pwd); ", "/repo/d/a"),
        ("{ cd d; } && ", "/repo/d/a"),
        ("cd d | cat; ", "/repo/a"),
        ("cd d & ", "/repo/a"),
        ("echo \"$(cd d)\"; ", "/repo/a"),
        ("x=$((1<<2)); # cd d\n", "/repo/a"),
        ("echo 'cd d && '; ", "/repo/a"),
    ] {
        let script = format!("{before}apply_patch <<'EOF'\nBODY\nEOF\n");
        assert_eq!(writes(&script), [path], "{script}");
    }
}

/// Goal: after a `cd` that only the shell can follow, a relative name is refused (R15) and an
/// absolute one is not.
#[test]
fn unknown_directories() {
    for cd in ["cd $D", "cd \"$(git root)\"", "cd -", "cd d*", "cd ~bob", "pushd d; popd"] {
        let patch = |name: &str| {
            let script = format!("{cd}; apply_patch <<E\n*** Begin Patch\n*** Add File: {name}\nE");
            shell_intent(&script)
        };
        assert_eq!(patch("a"), Err(IntentError::UnknownDirectory("a".into())), "{cd}");
        assert_eq!(names(&patch("/x/a").unwrap().writes), ["/x/a"], "{cd}");
    }
    assert_eq!(shell_intent("cd $D && make").unwrap().notes.len(), 2);
}

/// Goal: several patches in one command all count, each in its directory.
#[test]
fn several_patches() {
    let script = "cd d && apply_patch <<'A'\nBODY\nA\ncd ..\n\
                  apply_patch <<'B' && apply_patch <<'C'\n\
                  BODY\nB\n*** Begin Patch\n*** Add File: c\n+x\nC\n";
    assert_eq!(writes(script), ["/repo/d/a", "/repo/d/../a", "/repo/d/../c"]);
}

/// Goal: redirections from the patch to the end of its line count, and no others.
#[test]
fn redirections() {
    for (opener, expected) in [
        ("apply_patch <<'E' && echo z > z.txt", &["/repo/a", "/repo/z.txt"][..]),
        ("apply_patch > log <<'E'", &["/repo/a", "/repo/log"]),
        ("apply_patch <<'E' 2>&1 >> 'l og' | tee x", &["/repo/a", "/repo/l og"]),
        ("apply_patch <<'E' &> ~/log; cd d; echo > x", &["/repo/a", "/home/ana/log", "/repo/d/x"]),
        ("apply_patch <<'E' 2>/dev/null >&- < in", &["/repo/a"]),
        ("apply_patch <<'E' > $LOG", &["/repo/a"]),
        ("echo before > x; apply_patch <<'E'", &["/repo/a"]),
    ] {
        let script = format!("{opener}\nBODY\nE\necho after > y\n");
        assert_eq!(writes(&script), expected, "{script}");
    }
}

/// Goal: text that nobody applies is no patch.
#[test]
fn quoted_patches() {
    for script in [
        "cat <<'EOF' > doc.md\napply_patch <<'X'\nBODY\nX\nEOF",
        "git commit -m \"apply_patch <<'EOF'\nBODY\nEOF\"",
        "echo apply_patch <<'EOF'\nBODY\nEOF",
        "# apply_patch <<'EOF'\nBODY\nEOF",
        "apply_patch < p.patch",
        "apply_patch --help",
        "git commit -m \"$(cat <<'EOF'\nfix: don't (\nEOF\n)\" && ls",
    ] {
        let intent = shell_intent(&script.replace("BODY", BODY)).unwrap();
        assert!(intent.writes.is_empty(), "{script}");
        assert!(intent.notes.iter().any(|note| note == NOT_JUDGED), "{script}");
    }
}

/// Goal: quotes and brackets inside an earlier substitution do not hide a patch behind it.
#[test]
fn substitutions_before_a_patch() {
    let script = "x=\"$(cat <<'EOF'\nfix: don't (\nEOF\n)\" && apply_patch <<'E'\nBODY\nE";
    assert_eq!(writes(script), ["/repo/a"]);
}

/// Goal: arguments that come as a list are read without a shell, or by the shell they name.
#[test]
fn argument_lists() {
    let patch = "*** Begin Patch\\n*** Delete File: a\\n*** End Patch";
    for input in [
        format!(r#"{{"command":["bash","-lc","apply_patch <<'E'\n{patch}\nE"]}}"#),
        format!(r#"{{"command":["apply_patch","{patch}"]}}"#),
        format!(r#"{{"cmd":"apply_patch <<'E'\n{patch}\nE"}}"#),
    ] {
        let intent = judge("shell", &input).unwrap();
        assert_eq!(names(&intent.writes), ["/repo/a"], "{input}");
    }
    let literal = format!(r#"{{"command":["echo","apply_patch <<'E'\n{patch}\nE"]}}"#);
    assert!(judge("shell", &literal).unwrap().writes.is_empty());
    for input in ["{}", "null", r#"{"command":7}"#, r#"{"command":[]}"#] {
        assert_eq!(judge("Bash", input).unwrap().notes, [NOT_JUDGED], "{input}");
    }
}

/// Goal: a patch in a shell call that names no file is refused, as it is outside (R15).
#[test]
fn refuses_what_names_no_file() {
    let refused = |script: &str| shell_intent(script).unwrap_err();
    assert_eq!(refused("apply_patch <<E\nhello\nE"), IntentError::NoPatchBegin);
    assert_eq!(refused("apply_patch <<E\n*** Begin Patch\nE"), IntentError::NoPatchFile);
}

/// Goal: a patch for another environment counts as local here: the program ignores it.
#[test]
fn environments_do_not_count() {
    let script = "apply_patch <<E\n*** Begin Patch\n*** Environment ID: r\n*** Delete File: a\nE";
    let intent = shell_intent(script).unwrap();
    assert_eq!((names(&intent.writes), intent.notes.len()), (vec!["/repo/a"], 2));
}

/// Goal: scripts in scripts end at a bound, not at the end of the stack.
#[test]
fn nesting_is_bounded() {
    for unit in ["$(", "\"$(", "(", "<(", "`", "${", "((", "$(("] {
        let script = format!("echo {}", unit.repeat(20_000));
        assert!(shell_intent(&script).is_ok(), "{unit}");
    }
}

proptest! {
    /// Goal: no script makes the reader panic.
    #[test]
    fn never_panics(
        script in "(\\PC|\n|\t|\\$\\(|<<|<<-|'|\"|`|apply_patch |\\\\|[(){}|&;<>~]){0,60}",
    ) {
        let _ = shell_intent(&script);
    }
}
