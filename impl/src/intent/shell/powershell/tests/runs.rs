//! The programs that scripts start.

use super::{unix, windows};
use crate::intent::shell::invocation::Input;

/// Checks scripts with the programs that they start, a space between the words and a bar between
/// the programs.
fn check(rows: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (script, expected) in rows {
        let outcome = windows(script);
        let lines: Vec<String> = outcome
            .runs
            .iter()
            .map(|run| {
                run.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
            })
            .collect();
        let found = lines.join("|").replace('\u{FFFC}', "?");
        if found != *expected {
            wrong.push(format!("{script}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn programs() {
    check(&[
        ("git add a.txt", "git add a.txt"),
        ("git commit -m \"a b\" --amend", "git commit -m a b --amend"),
        ("& 'C:\\x y.exe' a", "C:\\x y.exe a"),
        ("& \"git\" status", "git status"),
        ("$f = 'a'; git add $f", "git add a"),
        ("git add $f", "git add ?"),
        ("git add \"x$f\"", "git add x?"),
        ("git add a,b", "git add a b"),
        ("curl -o f http://x", "curl -o f http://x"),
        ("curl.exe -o f http://x", "curl.exe -o f http://x"),
        ("rm -rf build", "rm -rf build"),
        ("cp a b c out", "cp a b c out"),
        ("Get-Date", ""),
        ("Foo-Bar", "Foo-Bar"),
        ("docker-compose up", "docker-compose up"),
        ("cmd /c \"echo x > f\"", "cmd /c echo x > f"),
        ("cmd --% /c echo x > f", "cmd /c echo x > f"),
        ("foo -a:b -c: d", "foo -a:b -c: d"),
        ("npm run build; python x.py", "npm run build|python x.py"),
        ("git log | Select-String x", "git log"),
        ("if (git diff --quiet) { npm test }", "git diff --quiet|npm test"),
        ("$v = git rev-parse HEAD", "git rev-parse HEAD"),
        ("1..2 | % { git tag v$_ }", "git tag v1|git tag v2"),
        ("Start-Process python -ArgumentList 'x.py','-v'", "python x.py -v"),
        ("Start-Process git 'add \"a b\"'", "git add a b"),
        (".\\build.ps1 -Fast", ".\\build.ps1 -Fast"),
        ("powershell -Command \"sc a b\"", "powershell -Command sc a b"),
        ("pwsh -Command { git log }", "git log"),
        ("echo $(git status)", "git status"),
        ("7z x a.zip", "7z x a.zip"),
        ("sc.exe query", "sc.exe query"),
        ("sc query x", "sc query x"),
        ("git show HEAD:a > b", "git show HEAD:a"),
        ("git log -1 --format=%H", "git log -1 --format=%H"),
        ("git checkout -- a.txt", "git checkout -- a.txt"),
        ("tar -xf a.tar", "tar -xf a.tar"),
    ]);
}

#[test]
fn places_and_input() {
    let found = windows("cd src; git add x");
    let place = found.runs[0].place.as_ref().and_then(|place| place.directory());
    assert_eq!(place, Some("C:\\repo\\src"));
    let found = windows("cd $unknown; git add x");
    assert_eq!(found.runs[0].place.as_ref().and_then(|place| place.directory()), None);
    assert_eq!(windows("'a' | python -").runs[0].input, Input::Text("a\n".into()));
    assert_eq!(windows("git x | python -").runs[0].input, Input::Unknown);
    let names = Input::Names(vec!["C:\\repo\\c.log".into()]);
    assert_eq!(windows("gci *.log | xargs rm").runs[0].input, names);
    let found = windows("Start-Process git pull -WorkingDirectory out");
    let place = found.runs[0].place.as_ref().and_then(|place| place.directory());
    assert_eq!(place, Some("C:\\repo\\out"));
}

#[test]
fn wildcards_on_unix() {
    let words = |script: &str| -> Vec<String> {
        unix(script).runs[0].words.iter().map(|word| word.text.clone()).collect()
    };
    assert_eq!(words("rm *.txt"), ["rm", "a.txt", "b.txt"]);
    assert_eq!(words("rm '*.txt'"), ["rm", "*.txt"]);
    assert_eq!(words("rm *.none"), ["rm", "*.none"]);
    assert_eq!(words("cp a.txt ~/x"), ["cp", "a.txt", "/home/me/x"]);
}
