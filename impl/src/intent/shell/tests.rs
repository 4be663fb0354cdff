//! Scripts and what they write, with a made-up disk, and programs that only the shell's own words
//! tell of.

use std::collections::BTreeMap;
use std::path::Path;

use crate::intent::shell::disk::{Disk, Entry, Kind};
use crate::intent::shell::field::Field;
use crate::intent::shell::findings::{Findings, Target};
use crate::intent::shell::invocation::{Dialect, Effects, Input, Invocation, Nested};
use crate::intent::shell::place::{Place, Style};
use crate::intent::shell::walk::{World, findings};

/// A disk of a few names: a text for a file, none for a directory.
struct Made(BTreeMap<&'static str, Option<&'static str>>);

impl Disk for Made {
    fn kind(&self, path: &Path) -> Kind {
        match self.0.get(path.to_str().unwrap_or_default().trim_end_matches('/')) {
            None => Kind::Absent,
            Some(None) => Kind::Directory,
            Some(Some(_)) => Kind::File,
        }
    }

    fn list(&self, path: &Path) -> Vec<Entry> {
        let path = Path::new(path.to_str().unwrap_or_default().trim_end_matches('/'));
        let inside = self.0.keys().map(Path::new).filter(|name| name.parent() == Some(path));
        let name = |inside: &Path| Some(inside.file_name()?.to_str()?.to_owned());
        inside.filter_map(|one| Some(Entry { name: name(one)?, kind: self.kind(one) })).collect()
    }

    fn read(&self, path: &Path, at_most: usize) -> Option<String> {
        let text = (*self.0.get(path.to_str()?)?)?;
        (text.len() <= at_most).then(|| text.to_owned())
    }
}

fn disk() -> Made {
    Made(BTreeMap::from([
        ("/repo", None),
        ("/repo/a.txt", Some("a\n")),
        ("/repo/b.txt", Some("b\n")),
        ("/repo/.hidden.txt", Some("")),
        ("/repo/sub", None),
        ("/repo/sub/c.txt", Some("c\n")),
        ("/repo/list", Some("x\ny z\n")),
    ]))
}

/// `touch`, which writes its operands; `echo` and `cat`, which hand on what they are told; `bash`.
fn programs(invocation: &Invocation<'_>) -> Effects {
    let operands = &invocation.words[1..];
    let text =
        |words: &[Field]| words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    let mut effects = Effects { known: true, ..Effects::default() };
    match invocation.words[0].text.as_str() {
        "touch" => {
            let paths = operands.iter().filter_map(|one| invocation.place.join(one.exactly()?));
            let target = |path| Target { path, words: text(invocation.words), rule: "touch" };
            effects.files = paths.map(target).collect();
        }
        "echo" => effects.output = Input::Text(text(operands) + "\n"),
        "cat" if operands.is_empty() => effects.output = invocation.input.clone(),
        "bash" => {
            let (script, arguments) = match operands {
                [option, script, arguments @ ..] if option.text == "-c" => {
                    (script.text.clone(), arguments.to_vec())
                }
                _ => match invocation.input {
                    Input::Text(text) => (text.clone(), Vec::new()),
                    _ => return effects,
                },
            };
            effects.scripts = vec![Nested { dialect: Dialect::Bash, text: script, arguments }];
        }
        _ => effects.known = false,
    }
    effects
}

fn judged(script: &str) -> Findings {
    let place = Place::new(Some("/repo"), Style::Unix);
    let environment = |name: &str| (name == "OUT").then(|| "/out".to_owned());
    let world = World {
        disk: &disk(),
        home: Some("/home/ana"),
        environment: &environment,
        programs: &programs,
    };
    findings(script, place, &world)
}

/// The files that a script in `/repo` writes, those below it relative.
fn writes(script: &str) -> Vec<String> {
    let files = judged(script).files.into_iter();
    let short = |path: String| path.strip_prefix("/repo/").map(str::to_owned).unwrap_or(path);
    files.map(|target| short(target.path)).collect()
}

#[track_caller]
fn check(rows: &[(&str, &[&str])]) {
    for (script, expected) in rows {
        assert_eq!(writes(script), *expected, "{script}");
    }
}

/// Goal: every form of redirection names its file, and none that is no file.
#[test]
fn redirections() {
    check(&[
        (
            "echo x > f; echo x >> g; echo x >| h; x 2> i; x &> j; x >& k; x <> l",
            &["f", "g", "h", "i", "j", "k", "l"],
        ),
        ("> f", &["f"]),
        ("exec 3> f; exec > g", &["f", "g"]),
        (
            "{ a; } > f; ( a ) > g; while a; do b; done > h; if a; then b; fi > i",
            &["f", "g", "h", "i"],
        ),
        ("echo 2>&1 >&2 3>&- 2>/dev/null &> /dev/null > /dev/stderr", &[]),
        ("echo 'a > b' \"c > d\" e\\>f # > g", &[]),
        ("echo x > /dev/shm/f", &["/dev/shm/f"]),
        ("echo x > \"$UNKNOWN\"; echo x > $(unknown)", &[]),
        ("echo x > *.txt", &[]),
        ("echo x > s*/c.txt", &["sub/c.txt"]),
        ("x < in > f <<< \"> g\"", &["f"]),
        ("cat > f <<'EOF'\n> g\n$(touch h)\nEOF\n", &["f"]),
        ("cat > f <<EOF\n> g\n$(touch h)\nEOF\n", &["f", "h"]),
        ("echo x | touch f > g", &["g", "f"]),
        ("echo hi > >(touch f) 2> >(cat > g)", &["f", "g"]),
        ("diff <(touch f) <(cat)", &["f"]),
        ("[ a > b ]; [[ a > c ]]; (( a > d ))", &["b"]),
    ]);
}

/// Goal: names start where the shell is by then.
#[test]
fn directories() {
    check(&[
        ("cd sub && touch f; touch g", &["sub/f", "sub/g"]),
        ("(cd sub && touch f); touch g", &["sub/f", "g"]),
        ("cd sub | cat; touch f", &["f"]),
        ("cd sub & touch f", &["f"]),
        ("x=$(cd sub); touch f", &["f"]),
        ("pushd sub; touch f; popd; touch g", &["sub/f", "g"]),
        ("cd; touch f; cd ~/d; touch g", &["/home/ana/f", "/home/ana/d/g"]),
        ("cd \"$UNKNOWN\"; touch f /abs; cd /x; touch g", &["/abs", "/x/g"]),
        ("cd -; touch f", &[]),
        ("cd a.txt; touch f", &["f"]),
        ("cd ../x; touch f", &["../x/f"]),
        ("if [ -d sub ]; then cd sub; fi; touch f", &["sub/f"]),
        ("touch \"$PWD/f\"; cd sub; touch $PWD/g", &["f", "sub/g"]),
        ("touch ./f .//sub/./g", &["f", "sub/g"]),
    ]);
}

/// Goal: words are what the program gets.
#[test]
fn words() {
    check(&[
        ("touch 'a b' \"c d\" e\\ f", &["a b", "c d", "e f"]),
        ("touch *.txt", &["a.txt", "b.txt"]),
        ("touch '*.txt' \\*.txt nothing*", &["*.txt", "*.txt", "nothing*"]),
        (
            "touch .h*.txt */*.txt [ab].txt ?.txt",
            &[".hidden.txt", "sub/c.txt", "a.txt", "b.txt", "a.txt", "b.txt"],
        ),
        (
            "touch {x,y}{1..3} {a,b\\,c} {alone} {}",
            &["x1", "x2", "x3", "y1", "y2", "y3", "a", "b,c", "{alone}", "{}"],
        ),
        ("touch '{x,y}' {08..10} {c..a}", &["{x,y}", "08", "09", "10", "c", "b", "a"]),
        ("f=x; touch $f \"$f.y\" ${f}z ${f%x}q", &["x", "x.y", "xz", "q"]),
        ("f='x y'; touch $f; touch \"$f\"", &["x", "y", "x y"]),
        ("f=(x 'y z'); touch \"${f[@]}\"; touch ${f[@]}", &["x", "y z", "x", "y", "z"]),
        ("f=(x); f+=(y); g=a; g+=b; touch \"${f[@]}\" $g", &["x", "y", "ab"]),
        ("f=p/a.c; touch ${f%.c}.o ${f##*/} ${f#p/} ${f%%.*}", &["p/a.o", "a.c", "a.c", "p/a"]),
        ("touch ${X:-d} ${Y:=e} $Y; f=g; touch ${f:-h} ${f:+i}", &["d", "e", "e", "g", "i"]),
        ("touch $OUT/f ~/g ~ana/h '~'/i", &["/out/f", "/home/ana/g", "~ana/h", "~/i"]),
        ("touch $UNKNOWN \"$UNKNOWN/f\" $RANDOM ${#f} $((1+1))", &[]),
        ("touch $(echo x y) \"$(echo z)\" `echo w`", &["x", "y", "z", "w"]),
        ("touch \"$(unknown)\" $(touch inner)", &["inner"]),
        ("touch a\\\nb", &["ab"]),
        ("touch $'a\\tb' \"\" ''", &["a\tb"]),
    ]);
}

/// Goal: what may run counts, each way; what never runs does not.
#[test]
fn control() {
    check(&[
        ("a && touch f || touch g", &["f", "g"]),
        ("if a; then touch f; elif b; then touch g; else touch h; fi", &["f", "g", "h"]),
        ("if false; then touch f; else touch g; fi", &["g"]),
        ("if true; then touch f; elif a; then touch g; else touch h; fi", &["f"]),
        (
            "if ! true; then touch f; else touch g; fi; if ! false; then touch h; fi",
            &["f", "g", "h"],
        ),
        ("a[4>3]=y; [ x ] > f", &["f"]),
        ("case $x in a) touch f;; *) touch g; esac", &["f", "g"]),
        ("for i in x y; do touch $i.o; done", &["x.o", "y.o"]),
        ("for i in *.txt; do touch \"$i.bak\"; done", &["a.txt.bak", "b.txt.bak"]),
        ("for i in $UNKNOWN; do touch $i f; done", &["f"]),
        ("while a; do touch f; done; until b; do touch g; done", &["f", "g"]),
        ("while read -r i; do touch \"$i\"; done < list", &["x", "y z"]),
        ("echo x | while read i; do touch $i; done", &["x"]),
        ("unknown | while read i; do touch $i f; done", &["f"]),
        ("for ((i=0; i<2; i++)); do touch f; done", &["f"]),
        ("f() { touch \"$1\"; }; f x; f y", &["x", "y"]),
        ("f() { touch x; }", &[]),
        ("exit; touch f", &[]),
        ("a || exit 1; touch f", &["f"]),
        ("if a; then exit; fi; touch f", &["f"]),
        ("(exit); touch f", &["f"]),
        ("if a; then o=x; else o=y; fi; touch $o; o=z; touch $o", &["z"]),
        ("set -- x y; touch \"$@\"; shift; touch $1", &["x", "y", "y"]),
        ("eval 'touch f'; eval touch g", &["f", "g"]),
        ("export o=x; touch $o; unset o; touch $o", &["x"]),
    ]);
}

/// Goal: scripts in scripts count, in their own shell.
#[test]
fn scripts_in_scripts() {
    check(&[
        ("bash -c 'cd sub; touch f'; touch g", &["sub/f", "g"]),
        ("bash -c 'touch \"$1\"' _ x", &["x"]),
        ("bash <<'EOF'\ntouch f\nEOF\n", &["f"]),
        ("echo 'touch f' | bash", &["f"]),
        ("cat <<'EOF' | bash\ntouch f > g\nEOF\n", &["g", "f"]),
        ("bash -c \"bash -c 'touch f'\"", &["f"]),
        ("other -c 'touch f'", &[]),
    ]);
}

/// Goal: bounds end what never ends, and say so.
#[test]
fn bounds() {
    let loops = "for i in {1..200}; do for j in {1..200}; do touch f$i; done; done";
    assert!(judged(loops).notes.iter().any(|note| note.contains("too often")));
    assert!(judged("f() { f; }; f").notes.iter().any(|note| note.contains("too deep")));
    let nested = format!("{}touch f{}", "$(".repeat(100), ")".repeat(100));
    assert!(judged(&nested).notes.iter().any(|note| note.contains("too deep")));
    for shape in ["{a,b}", "$x", "~", "*", "[", "{1..9}", "${x%", "\"$@\"", "a=(", "$(echo x)"] {
        let _ = judged(&format!("touch {}", shape.repeat(2000)));
    }
}
