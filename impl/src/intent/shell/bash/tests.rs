//! Tests of the reading alone.

use super::read;
use super::tree::{Command, Kind, Part, Script, Word};

/// A script as text: programs with their words, and redirections, in a form that is short to write.
fn shown(script: &Script) -> String {
    let lists: Vec<String> = script
        .lists
        .iter()
        .map(|list| {
            let pipelines: Vec<String> = list
                .pipelines
                .iter()
                .map(|(_, pipeline)| {
                    let all: Vec<String> = pipeline.commands.iter().map(command).collect();
                    all.join(" | ")
                })
                .collect();
            pipelines.join(" && ")
        })
        .collect();
    lists.join("; ")
}

fn command(command: &Command) -> String {
    let mut text = match &command.kind {
        Kind::Simple { assignments, words } => {
            let sets = assignments.iter().map(|one| format!("{}={}", one.name, word(&one.value)));
            sets.chain(words.iter().map(word)).collect::<Vec<_>>().join(" ")
        }
        Kind::Subshell(script) => format!("({})", shown(script)),
        Kind::Group(script) => format!("{{{}}}", shown(script)),
        Kind::If(arms, otherwise) => {
            let arms: Vec<String> =
                arms.iter().map(|(a, b)| format!("if {} then {}", shown(a), shown(b))).collect();
            let otherwise = otherwise.as_ref().map(|one| format!(" else {}", shown(one)));
            arms.join(" ") + &otherwise.unwrap_or_default()
        }
        Kind::While(a, b) => format!("while {} do {}", shown(a), shown(b)),
        Kind::For(name, words, body) => {
            let words = words.iter().flatten().map(word).collect::<Vec<_>>().join(" ");
            format!("for {name} in {words} do {}", shown(body))
        }
        Kind::Count(_, body) => format!("count {}", shown(body)),
        Kind::Case(value, arms) => {
            let arms: Vec<String> = arms.iter().map(|(_, body)| shown(body)).collect();
            format!("case {} {}", word(value), arms.join(" / "))
        }
        Kind::Function(name, body) => format!("{name}() {}", self::command(body)),
        Kind::Test(_) => "test".to_owned(),
    };
    for one in &command.redirections {
        let heredoc = one.text.get().map(|text| format!("[{}]", word(text))).unwrap_or_default();
        text = format!("{text} {:?}:{}{heredoc}", one.operator, word(&one.target));
    }
    text.trim_start().to_owned()
}

fn word(word: &Word) -> String {
    let part = |part: &Part| match part {
        Part::Text { text, .. } => text.clone(),
        Part::Variable(variable) => format!("${}", variable.name),
        Part::Substitution { script, .. } => format!("$({})", shown(script)),
        Part::Process { script, output } => {
            format!("{}({})", if *output { '>' } else { '<' }, shown(script))
        }
        Part::Arithmetic(_) => "$((…))".to_owned(),
        Part::Array(words) => {
            format!("({})", words.iter().map(self::word).collect::<Vec<_>>().join(" "))
        }
    };
    word.parts.iter().map(part).collect()
}

#[track_caller]
fn check(rows: &[(&str, &str)]) {
    for (text, expected) in rows {
        let reading = read(text);
        assert_eq!(shown(&reading.script), *expected, "{text:?}");
        assert!(reading.notes.is_empty(), "{text:?}: {:?}", reading.notes);
    }
}

/// Goal: each form of the shell's grammar is what bash takes it for.
#[test]
fn scripts_are_read() {
    check(&[
        ("echo a>b", "echo a Write:b"),
        ("echo a >| f 2>&1", "echo a Write:f DuplicateOut:1"),
        ("> f echo x", "echo x Write:f"),
        ("2>e >f echo x >> g y", "echo x y Write:e Write:f Write:g"),
        ("a | b |& c && d || e; f & g", "a | b | c && d && e; f; g"),
        (
            "cat <<EOF > out.txt\nhello > no\nEOF\n",
            "cat HereDocument:EOF[hello > no\n] Write:out.txt",
        ),
        (
            "cat <<A 3<<B > o\na > n\nA\nb > n\nB\necho after > p\n",
            "cat HereDocument:A[a > n\n] HereDocument:B[b > n\n] Write:o; echo after Write:p",
        ),
        (
            "cat <<-EOF > o\n\tx > n\n\tEOF\necho z > p\n",
            "cat HereDocument:EOF[x > n\n] Write:o; echo z Write:p",
        ),
        ("cat <<'EOF' | tee f\n$(x > n)\nEOF\n", "cat HereDocument:EOF[$(x > n)\n] | tee f"),
        (
            "cat <<EOF |\nbody > n\nEOF\ntee f > o\n",
            "cat HereDocument:EOF[body > n\n] | tee f Write:o",
        ),
        (
            "cat <<EOF; echo b > p\nbody $(date > q)\nEOF\n",
            "cat HereDocument:EOF[body $(date Write:q)\n]; echo b Write:p",
        ),
        (
            "git commit -m \"$(cat <<'EOF'\nmsg \"q > n\nEOF\n)\" > o\n",
            "git commit -m $(cat HereDocument:EOF[msg \"q > n\n]) Write:o",
        ),
        ("# c <<EOF\necho '<<EOF' a#b # > x\necho z", "echo <<EOF a#b; echo z"),
    ]);
}

/// Goal: the same of compound commands, words and quotes.
#[test]
fn compound_commands_and_words_are_read() {
    check(&[
        ("[[ a > b && $x =~ (a|b)>c ]] && echo x > f", "test && echo x Write:f"),
        ("(( a > b )) && echo $(( a > b )) > f", "test && echo $((…)) Write:f"),
        ("[ a > b ]", "[ a ] Write:b"),
        (
            "case x in a) echo > f;; (b|c) echo > g;& *) echo >h; esac > o",
            "case x echo Write:f / echo Write:g / echo Write:h Write:o",
        ),
        (
            "if true; then echo a; elif b; then c; else echo b > g; fi > f",
            "if true then echo a if b then c else echo b Write:g Write:f",
        ),
        ("for f in *.txt; do echo $f > $f.bak; done", "for f in *.txt do echo $f Write:$f.bak"),
        ("for f in a b\ndo\necho $f > o\ndone\n", "for f in a b do echo $f Write:o"),
        ("for f; do echo; done", "for f in  do echo"),
        ("for ((i=9;i>3;i--)); do echo > f; done", "count echo Write:f"),
        ("while read x; do echo $x > a; done < in", "while read x do echo $x Write:a Read:in"),
        ("f() { echo a > f; }\nf", "f() {echo a Write:f}; f"),
        ("function f { echo a; } > g; f-x () ( b )", "f() {echo a} Write:g; f-x() (b)"),
        ("echo a > >(tee f) 2> >(cat)", "echo a Write:>(tee f) Write:>(cat)"),
        ("diff <(a > b) <(c)", "diff <(a Write:b) <(c)"),
        ("echo <<< \"$x\" a", "echo a HereString:$x[$x]"),
        ("echo $'a\\'b\\x41' \"a $(b \"c > d\") e\"", "echo a'bA a $(b c > d) e"),
        ("echo `a \\`b > c\\`` d", "echo $(a $(b Write:c)) d"),
        ("echo ${x:-\"a > b\"} ${x//>/y} ${#x} ${x%.*}", "echo $x $x $ $x"),
        ("ec\\\nho a\\ b > f\\\noo", "echo a b Write:foo"),
        ("a=1 b=$(c > d) cmd e=2", "a=1 b=$(c Write:d) cmd e=2"),
        ("a=(x 'y z' >q)\nrm \"${a[@]}\"", "a=(x y z q); rm $a"),
        ("! time -p a; coproc b; { a; } 2> f", "a; (b); {a} Write:f"),
        ("ls !(a|b) *.@(c|d) > f", "ls !(a|b) *.@(c|d) Write:f"),
        (
            "cmd <> f; cmd 3>&-; exec {fd}> g; cmd >& w; cmd &> h &>> i",
            "cmd ReadWrite:f; cmd DuplicateOut:-; exec Write:g; cmd DuplicateOut:w; \
             cmd Both:h Both:i",
        ),
        ("echo é > ü.txt", "echo é Write:ü.txt"),
        ("((a); b) > f", "((a); b) Write:f"),
        ("echo $((a); b)", "echo $((a); b)"),
        ("echo done fi } ; echo x", "echo done fi }; echo x"),
    ]);
}

/// Goal: what bash does not run is left out, and what stands on the lines before it is not.
#[test]
fn broken_scripts_are_read_as_far_as_they_run() {
    let rows = [
        ("echo a > f\necho b > g; echo 'open > h", "echo a Write:f"),
        ("echo a > f\nif true; then echo > g\n", "echo a Write:f"),
        ("echo a > f; echo \"$(b", ""),
        ("echo a > f\n)\necho b > g", "echo a Write:f"),
        ("cat <<EOF > f\nno end", "cat HereDocument:EOF[no end\n] Write:f"),
    ];
    for (text, expected) in rows {
        assert_eq!(shown(&read(text).script), expected, "{text:?}");
    }
}

/// Goal: a megabyte of anything is read in time linear in its length, and nothing overflows.
#[test]
fn hostile_texts_are_read() {
    let shapes = [
        "(",
        "{ ",
        "$(",
        "\"$(",
        "`",
        "${",
        "${x:-",
        "$((",
        "((",
        "a|",
        "a;",
        "a&",
        "<<A ",
        "<<A\n",
        "<",
        ">",
        "a=(",
        "f() ",
        "f() {",
        "if ",
        "case x in ",
        "for x in ",
        "while ",
        "[[ ",
        "!",
        "time ",
        "coproc ",
        "\\",
        "'",
        "\"",
        "\0",
        ")",
        "}",
        "#",
        "\n",
        "&&",
        "||",
        "a \\\n",
        "$'",
        "@(",
        "x@(",
        "esac ",
        ";;",
        "<(",
        ">(",
        "é",
        "{a,",
        "$[",
        "function ",
        "\"${x:-\"",
        "`\\`",
    ];
    for shape in shapes {
        let text = shape.repeat((1 << 17) / shape.len());
        let _ = read(&text);
        let _ = read(&format!("echo a > f\n{text}"));
    }
}
