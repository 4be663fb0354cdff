//! Input that is meant to hurt.

use super::{windows, written};
use std::time::{Duration, Instant};

/// How long the hostile scripts are.
const LENGTH: usize = if cfg!(debug_assertions) { 1 << 17 } else { 1 << 20 };

/// Pieces that are repeated.
const PIECES: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "$(",
    "\"$(",
    "@{",
    "@(",
    "${",
    "\"",
    "'",
    "\0",
    "`",
    "|",
    "&",
    "&&",
    "||",
    ";",
    "\n",
    ",",
    "a,",
    "$x.",
    "$x=",
    "$a+",
    "-",
    "--%",
    "<#",
    "#",
    "@'\n",
    "@\"\n",
    ">",
    "2>",
    "> a ",
    "%{",
    "if(",
    "if(1){} ",
    "else",
    "try{",
    "switch(1){",
    "function f{",
    "[a(",
    "::",
    "$",
    "$$",
    "a ",
    "-a:",
    "\u{201C}",
    "\u{2013}",
    "\u{FFFC}",
    "é",
    "sc a b;",
    "sc *.txt b;",
    "$x+='a';",
    "$x=\"$x$x\";",
    "cp a b;",
    "gci . -r|rm;",
    "foreach($a in 1..60){",
    "1..60|%{",
    "1,2,",
    "@x ",
    "!",
    "-not ",
    "$x[",
    "f ",
    "iex 'iex a';",
    "`\n",
    "`u{",
    "sc 'a[",
    "$x=1..64;",
    "if($a){$b=1}",
    "git a|",
    "$_.a",
    ".a",
    "? ",
    "&{",
    "*>",
    "{sc a b}",
    "cd ..;",
    "cd a;",
    "pushd a;",
    "$a=$a+1;",
    "sc \"$a\" b;",
    "'a',",
    "[a]",
    "[a",
    "@'",
    "..",
    "1..",
    "-f",
    "a`",
    "\r",
    "function a{};a;",
];

#[test]
fn repeated_pieces() {
    for piece in PIECES {
        let script = piece.repeat(LENGTH / piece.len());
        let start = Instant::now();
        windows(&script);
        let took = start.elapsed();
        assert!(took < Duration::from_secs(2), "{piece:?} took {took:?}");
        println!("{took:?} {piece:?}");
    }
}

#[test]
fn loops_in_loops() {
    let inner = "sc \"f$a\" x; git add $a; $y += 'x'; $z = \"$z$z$a\"";
    let mut script = inner.to_owned();
    for _ in 0..12 {
        script = format!("foreach ($a in 1..60) {{ {script} }}");
    }
    let start = Instant::now();
    windows(&script);
    assert!(start.elapsed() < Duration::from_secs(4));
}

#[test]
fn functions_that_call_each_other() {
    let start = Instant::now();
    windows("function a { b; b; b } function b { a; a; a } a; $x = { & $x; & $x }; & $x");
    assert!(start.elapsed() < Duration::from_secs(4));
}

#[test]
fn prefixes() {
    // Every beginning of a script is read without a panic.
    let script = "function f($a=1,[int]$b) { if ($a -eq 'x') { sc \u{2018}é\u{2019} \
        \"q$($a)`u{41}\" } }\n\
        @\"\nx $y ${z}\n\"@ | % { $_.Name.ToLower() } > a$b.txt 2>&1; git --% a\n\
        switch -regex (1) { 'a' { cd \u{201C}x\u{201D} } } [IO.File]::Delete(\"$PWD\\é\")";
    for (end, _) in script.char_indices() {
        windows(&script[..end]);
        windows(&script[end..]);
    }
}

#[test]
fn nesting() {
    let deep = |count: usize| format!("{}sc a.md x{}", "(".repeat(count), ")".repeat(count));
    assert_eq!(written(&windows(&deep(20)), "C:\\repo\\"), ["a.md"]);
    let found = windows(&deep(40));
    assert!(written(&found, "C:\\repo\\").is_empty());
    assert!(!found.findings.notes.is_empty());
}

#[test]
fn noise() {
    let alphabet: Vec<char> = "(){}[]$@\"'`|&;,.:-<>#%=+*?! \n\\aif0é\u{2019}".chars().collect();
    let mut state = 7_u64;
    for _ in 0..3000 {
        let mut script = String::new();
        for _ in 0..40 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let index = usize::try_from(state >> 40).unwrap_or(0) % alphabet.len();
            script.push(alphabet[index]);
        }
        windows(&script);
    }
}
