//! Scripts, and what they write.

use super::{Outcome, Site, read};
use crate::intent::shell::disk::{Disk, Entry, Kind};
use crate::intent::shell::place::{Place, Style};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// A disk that is made up.
struct Fake(BTreeMap<&'static str, Kind>);

impl Disk for Fake {
    fn kind(&self, path: &Path) -> Kind {
        let path = path.to_string_lossy();
        self.0.get(path.trim_end_matches('\\')).copied().unwrap_or(Kind::Absent)
    }

    fn list(&self, path: &Path) -> Vec<Entry> {
        let path = path.to_string_lossy();
        let path = path.trim_end_matches('\\');
        let inside = |(name, kind): (&&str, &Kind)| {
            let name = name.strip_prefix(path)?.strip_prefix('\\')?;
            let direct = !name.is_empty() && !name.contains('\\');
            direct.then(|| Entry { name: name.to_owned(), kind: *kind })
        };
        self.0.iter().filter_map(inside).collect()
    }

    fn read(&self, _path: &Path, _at_most: usize) -> Option<String> {
        None
    }
}

/// Reads a script in a repository.
fn cmd(script: &str) -> Outcome {
    let place = Place::new(Some("C:\\repo"), Style::Windows);
    let disk = Fake(BTreeMap::from([
        ("C:\\repo", Kind::Directory),
        ("C:\\repo\\a.txt", Kind::File),
        ("C:\\repo\\b.txt", Kind::File),
        ("C:\\repo\\c[1].log", Kind::File),
        ("C:\\repo\\out", Kind::Directory),
        ("C:\\repo\\src", Kind::Directory),
        ("C:\\repo\\src\\x.c", Kind::File),
        ("C:\\repo\\src\\sub", Kind::Directory),
    ]));
    read(script, &Site { place: &place, home: Some("C:\\Users\\me"), disk: &disk })
}

/// What an outcome writes: paths in the repository without it, trees with a `T` before them.
fn written(outcome: &Outcome) -> Vec<String> {
    let short = |path: &str| path.strip_prefix("C:\\repo\\").unwrap_or(path).to_owned();
    let mut found: Vec<String> =
        outcome.findings.files.iter().map(|target| short(&target.path)).collect();
    found.extend(outcome.findings.trees.iter().map(|tree| format!("T {}", short(&tree.path))));
    found.sort();
    found.dedup();
    found
}

/// Checks rows of scripts with what they write, separated by bars.
fn check(rows: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (script, expected) in rows {
        let mut expected: Vec<String> =
            expected.split('|').filter(|one| !one.is_empty()).map(str::to_owned).collect();
        expected.sort();
        let found = written(&cmd(script));
        if found != expected {
            wrong.push(format!("{script}\n  expected {expected:?}\n  found    {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn redirections() {
    check(&[
        ("echo x>f", "f"),
        ("echo x > f", "f"),
        ("echo x>>f", "f"),
        ("type a.txt > g", "g"),
        ("dir 2>err", "err"),
        ("dir 1>f 2>&1", "f"),
        ("dir >nul 2>&1", ""),
        ("dir >NUL", ""),
        ("dir >nul.txt", ""),
        ("dir > C:\\x\\nul", ""),
        ("dir > con:", ""),
        ("dir > com1", ""),
        ("dir > com10", "com10"),
        ("dir > lpt1.log", ""),
        ("dir > nullish", "nullish"),
        ("echo x2>f", "f"),
        ("echo x ^> f", ""),
        ("echo \"x > f\"", ""),
        ("echo \"a\" > \"b c.txt\"", "b c.txt"),
        ("> f echo x", "f"),
        (">f (echo a & echo b)", "f"),
        ("(echo a & echo b) > f", "f"),
        ("echo a > f & echo b > g", "f|g"),
        ("echo a > f && echo b > g || echo c > h", "f|g|h"),
        ("type a.txt | sort > s", "s"),
        ("echo a > %X%", ""),
        ("echo a > D:\\q\\f", "D:\\q\\f"),
        ("echo a > sub/f", "sub\\f"),
        ("echo a^\n b > f", "f"),
        ("sort < a.txt > f", "f"),
        ("@echo x > f", "f"),
        ("@echo off\necho x > f", "f"),
        ("dir > f&type f", "f"),
        ("echo.> f", "f"),
        ("if 1==1 (echo x)> f", "f"),
    ]);
}

#[test]
fn comments_and_variables() {
    check(&[
        ("rem echo x > f", ""),
        ("REM x\necho x > f", "f"),
        (":: echo x > f", ""),
        (":label\necho x > f", "f"),
        ("remove > f", "f"),
        ("set X=f\necho a > %X%", "f"),
        ("set \"X=f g\"\necho a > \"%x%\"", "f g"),
        ("set X=f& echo a > %X%", ""),
        ("set /a X=1+1\necho a > %X%", ""),
        ("set /p X=Name?\necho a > %X%", ""),
        ("if exist q set X=f\necho a > %X%", ""),
        ("echo a > %USERPROFILE%\\f", "C:\\Users\\me\\f"),
        ("echo a > %HOMEDRIVE%%HOMEPATH%\\f", "C:\\Users\\me\\f"),
        ("echo a > %CD%\\f", "f"),
        ("echo a > %TEMP%\\f", ""),
        ("echo a > %~dp0\\f", ""),
        ("echo a > %1", ""),
        ("echo 100% > f", "f"),
        ("echo %X:a=b% > f", "f"),
    ]);
}

#[test]
fn places() {
    check(&[
        ("cd src\necho x > f", "src\\f"),
        ("cd src && echo x > f", "src\\f"),
        ("cd /d D:\\q && echo x > f", "D:\\q\\f"),
        ("cd D:\\q && echo x > f", "f"),
        ("cd \"my dir\" & echo x > f", "my dir\\f"),
        ("cd my dir & echo x > f", "my dir\\f"),
        ("cd.. & echo x > f", "..\\f"),
        ("cd\\ & echo x > f", "C:\\f"),
        ("cd & echo x > f", "f"),
        ("cd %X% & echo x > f", ""),
        ("pushd src & echo x > f & popd & echo x > g", "src\\f|g"),
        ("D: & echo x > f", ""),
        ("c: & echo x > f", "f"),
        ("if exist src cd src\necho x > f", ""),
        ("cd src || exit /b 1\necho x > f", "src\\f"),
        ("exit /b\necho x > f", ""),
        ("if 1==2 exit /b\necho x > f", "f"),
    ]);
}

#[test]
fn files() {
    check(&[
        ("copy a.txt z.txt", "z.txt"),
        ("copy /y a.txt out", "out\\a.txt"),
        ("copy/y a.txt out\\", "out\\a.txt"),
        ("copy a.txt+b.txt c.txt", "c.txt"),
        ("copy a.txt + b.txt", "a.txt"),
        ("copy *.txt out", "out\\a.txt|out\\b.txt"),
        ("copy *.txt *.bak", "a.bak|b.bak"),
        ("copy src out", "out\\x.c"),
        ("copy D:\\q\\f.txt", "f.txt"),
        ("copy a.txt nul", ""),
        ("copy con f", "f"),
        ("copy nul f", "f"),
        ("copy a.txt %X%", ""),
        ("copy \"a.txt\" \"b c.txt\"", "b c.txt"),
        ("xcopy src out /s /e", "T out"),
        ("xcopy a.txt out\\ /y", "out\\a.txt"),
        ("xcopy a.txt new /i", "new\\a.txt"),
        ("xcopy src new /l", ""),
        ("robocopy src new /mir", "T new"),
        ("robocopy src new /move /e", "T new|T src"),
        ("robocopy src new /l", ""),
        ("robocopy src new /log:r.log", "T new|r.log"),
        ("move a.txt z.txt", "a.txt|z.txt"),
        ("move /y a.txt out", "a.txt|out\\a.txt"),
        ("move *.txt out", "a.txt|b.txt|out\\a.txt|out\\b.txt"),
        ("move src lib", "T src|T lib"),
        ("ren a.txt z.txt", "a.txt|z.txt"),
        ("ren src\\x.c y.c", "src\\x.c|src\\y.c"),
        ("rename *.txt *.md", "a.txt|b.txt|a.md|b.md"),
        ("ren src lib", "T src|T lib"),
        ("del a.txt b.txt", "a.txt|b.txt"),
        ("del /q *.txt", "a.txt|b.txt"),
        ("del *.*", "a.txt|b.txt|c[1].log"),
        ("del c[1].log", "c[1].log"),
        ("del /f/q a.txt", "a.txt"),
        ("erase a.txt", "a.txt"),
        ("del *.none", ""),
        ("del src", "src\\x.c"),
        ("del /s *.obj", "T C:\\repo"),
        ("del /s /q src", "T src"),
        ("del %X%", ""),
        ("rd /s /q src", "T src"),
        ("rmdir/s/q src", "T src"),
        ("rd out", "out"),
        ("mkdir d", ""),
        ("mkdir d & copy a.txt d", "d\\a.txt"),
        ("md d & echo x > d\\f", "d\\f"),
        ("mklink l a.txt", "l"),
        ("mklink /d l src", "l"),
        ("fsutil file createnew f 100", "f"),
        ("fsutil dirty query C:", ""),
        ("call build.bat", ""),
        ("call :sub", ""),
        ("sort a.txt /o s.txt", "s.txt"),
        ("sort a.txt", ""),
        ("findstr /s x *.txt", ""),
        ("type a.txt", ""),
        ("echo copy a b", ""),
        ("echo del a.txt", ""),
    ]);
}

#[test]
fn statements() {
    check(&[
        ("if exist a.txt del a.txt", "a.txt"),
        ("if not exist f (echo x > f) else (echo y > g)", "f|g"),
        ("if not exist f (\n echo x > f\n) else (\n echo y > g\n)", "f|g"),
        ("if /i \"%X%\"==\"a b\" echo x > f", "f"),
        ("if %X% equ 1 echo x > f", "f"),
        ("if defined X echo x > f", "f"),
        ("if errorlevel 1 echo x > f", "f"),
        ("if exist a if exist b echo x > f", "f"),
        ("for %i in (a b) do echo x > %i.md", "a.md|b.md"),
        ("for %%i in (a,b) do (echo x > %%i.md)", "a.md|b.md"),
        ("for %i in (*.txt) do copy %i out", "out\\a.txt|out\\b.txt"),
        ("for %i in (*.txt) do echo x > %~ni.md", "a.md|b.md"),
        ("for /l %i in (1,1,3) do echo x > f%i", "f1|f2|f3"),
        ("for /f %i in (list.txt) do echo x > %i", ""),
        ("for /f \"tokens=*\" %i in ('dir /b') do echo x > log", "log"),
        ("for /d %d in (s*) do rd /s /q %d", "T src"),
        ("for %i in (%X%) do echo > %i", ""),
        ("(echo a > f", "f"),
        ("(((echo a > f)))", "f"),
        ("echo (a) > f", "f"),
        ("cmd /c \"echo x > f\"", ""),
    ]);
}

#[test]
fn programs() {
    let rows = [
        ("git add a.txt", "git add a.txt"),
        ("npm run build && git push", "npm run build|git push"),
        ("\"C:\\p q\\x.exe\" a \"b c\"", "C:\\p q\\x.exe a b c"),
        ("cmd /c \"echo x > f\"", "cmd /c echo x > f"),
        ("powershell -Command \"sc a b\"", "powershell -Command sc a b"),
        ("call npm test", "npm test"),
        ("start \"t\" /wait python x.py", "python x.py"),
        ("python %X%.py", "python ?.py"),
        ("git log | findstr x", "git log"),
        ("for %i in (a b) do git add %i", "git add a|git add b"),
        ("echo git add", ""),
        ("curl -o f http://x?a=1,2", "curl -o f http://x?a=1,2"),
    ];
    for (script, expected) in rows {
        let outcome = cmd(script);
        let lines: Vec<String> = outcome
            .runs
            .iter()
            .map(|run| {
                run.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
            })
            .collect();
        assert_eq!(lines.join("|").replace('\u{FFFC}', "?"), expected, "{script}");
    }
    let found = cmd("cd src & git add x");
    let place = found.runs[0].place.as_ref().and_then(|place| place.directory());
    assert_eq!(place, Some("C:\\repo\\src"));
}

#[test]
fn hostile() {
    let length = if cfg!(debug_assertions) { 1 << 17 } else { 1 << 20 };
    let pieces = [
        "(",
        ")",
        "%",
        "%%",
        "%a",
        "%~",
        "^",
        "\"",
        "&",
        "|",
        "||",
        "\0",
        "\n",
        ">",
        "> a ",
        "2>",
        "if a==b ",
        "for %i in (",
        "for %i in (1) do ",
        "for /l %i in (1,1,60) do ",
        "rem ",
        "@",
        ":",
        ",",
        "<",
        "a ",
        "copy a b\n",
        "del *\n",
        "set a=%a%%a%\n",
        "%a%",
        "call ",
        "start ",
        "é",
        "cd..\n",
        "cd a\n",
        "pushd a\n",
        "cd a\necho > a\n",
        "^\n",
        "(a\n",
        "a&",
        "%~n",
        "for %i in (*) do (",
        "if (",
        "else ",
        "/",
        "+",
    ];
    for piece in pieces {
        let script = piece.repeat(length / piece.len());
        let start = Instant::now();
        cmd(&script);
        let took = start.elapsed();
        assert!(took < Duration::from_secs(2), "{piece:?} took {took:?}");
        println!("{took:?} {piece:?}");
    }
    let mut script = "echo %i > f%i".to_owned();
    for _ in 0..12 {
        script = format!("for /l %i in (1,1,60) do ({script})");
    }
    let start = Instant::now();
    cmd(&script);
    assert!(start.elapsed() < Duration::from_secs(4));
}

#[test]
fn noise() {
    let alphabet: Vec<char> = "()%^\"&|<>@:,;=/\\~ \n+*?aif0é.".chars().collect();
    let mut state = 7_u64;
    for _ in 0..5000 {
        let mut script = String::new();
        for _ in 0..40 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let index = usize::try_from(state >> 40).unwrap_or(0) % alphabet.len();
            script.push(alphabet[index]);
        }
        cmd(&script);
    }
}

#[test]
fn nesting() {
    let deep = |count: usize| format!("{}echo x > f{}", "(".repeat(count), ")".repeat(count));
    assert_eq!(written(&cmd(&deep(20))), ["f"]);
    let found = cmd(&deep(40));
    assert!(written(&found).is_empty());
    assert!(!found.findings.notes.is_empty());
}
