//! Goal: the documents say what is so.
//! Method: the files and rules that ARCHITECTURE.md names are held against the tree, in both
//! directions; the README's examples and the demonstration run. Each checker is fed something bad
//! as well, and must say so.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use leasehold_tests::sandbox::Sandbox;
use serde_json::{Value, json};

/// The crates whose every source file has its line in ARCHITECTURE.md.
const CRATES: [&str; 4] = ["model", "impl", "sim", "tests"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The source files below a folder, as paths from the root with `/`.
fn sources(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join(folder)).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a name in UTF-8");
        let path = format!("{folder}/{name}");
        if entry.path().is_dir() {
            found.extend(sources(&path));
        } else if entry.path().extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

/// What stands in backticks in the lines of a text.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// The files and folders that a text names. A name that ends with `/*` is what lies in a folder, be
/// it nothing.
fn named_paths(text: &str) -> Vec<&str> {
    let is_path = |name: &&str| {
        let is_source = Path::new(name).extension().is_some_and(|ending| ending == "rs");
        name.contains('/')
            && (is_source || name.ends_with('/') || name.ends_with("/*"))
            && !name.contains(' ')
    };
    quoted(text).filter(is_path).collect()
}

/// Folders that have their files listed one by one: naming them covers nothing.
fn is_heading(folder: &str) -> bool {
    let of_crates = CRATES
        .iter()
        .any(|name| folder.strip_prefix(name).is_some_and(|rest| matches!(rest, "/" | "/src/")));
    of_crates || folder == "impl/src/store/"
}

/// The source files that a text neither names nor covers by their folder.
fn unnamed<'s>(text: &str, sources: &'s [String]) -> Vec<&'s str> {
    let names = named_paths(text);
    let covers = |name: &str, source: &str| {
        let folder = name.trim_end_matches('*');
        name == source
            || (folder.ends_with('/') && !is_heading(folder) && source.starts_with(folder))
    };
    let is_named = |source: &&str| names.iter().any(|name| covers(name, source));
    sources.iter().map(String::as_str).filter(|source| !is_named(source)).collect()
}

/// The names in a text that lead nowhere.
fn missing(text: &str) -> Vec<&str> {
    let certain = named_paths(text).into_iter().filter(|name| !name.ends_with('*'));
    certain.filter(|name| !root().join(name).exists()).collect()
}

#[test]
fn every_source_file_has_its_line() {
    let sources: Vec<String> =
        CRATES.iter().flat_map(|name| sources(&format!("{name}/src"))).collect();
    assert!(sources.len() > 80, "the tree was not found: {sources:?}");
    assert_eq!(unnamed(&read("ARCHITECTURE.md"), &sources), Vec::<&str>::new());
}

#[test]
fn every_named_path_exists() {
    assert_eq!(missing(&read("ARCHITECTURE.md")), Vec::<&str>::new());
}

#[test]
fn the_checks_of_names_can_fail() {
    let sources = ["impl/src/a.rs", "impl/src/b/c.rs"].map(str::to_owned);
    assert_eq!(unnamed("`impl/src/a.rs`, `impl/src/b/`", &sources), Vec::<&str>::new());
    assert_eq!(unnamed("`impl/src/*`, `impl/src/b/*`", &sources), ["impl/src/a.rs"]);
    assert_eq!(unnamed("`impl/src/`, `impl/src/b/c.rs`", &sources), ["impl/src/a.rs"]);
    assert_eq!(unnamed("impl/src/a.rs, `impl/src/b.rs`", &sources), sources);
    assert_eq!(
        missing("`none/*`, `impl/src/`, `impl/src/none.rs`, `none/`"),
        ["impl/src/none.rs", "none/"]
    );
}

/// How many rules there are: R1 and on.
const RULES: usize = 17;

/// One row of the table of rules.
struct Rule<'t> {
    number: usize,
    place: &'t str,
}

/// The rows of the table of rules in a text.
fn rules(text: &str) -> Vec<Rule<'_>> {
    let row = |line| -> Option<Rule<'_>> {
        let cells: Vec<&str> = str::split(line, '|').map(str::trim).collect();
        let ["", name, _, place, ""] = cells[..] else { return None };
        let number = name.strip_prefix('R')?.split(' ').next()?.parse().ok()?;
        Some(Rule { number, place })
    };
    text.lines().filter_map(row).collect()
}

/// The numbers of the rules that a text refers to: `R7`, or each of `R1–R5`.
fn rules_referred_to(text: &str) -> BTreeSet<usize> {
    let is_edge = |letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '–';
    let number = |word: &str| -> Option<usize> { word.strip_prefix('R')?.parse().ok() };
    let referred = |word: &str| match word.split_once('–') {
        Some((first, last)) => number(first)
            .zip(number(last))
            .map_or(Vec::new(), |(first, last)| (first..=last).collect()),
        None => number(word).into_iter().collect(),
    };
    text.split(is_edge).flat_map(referred).collect()
}

/// The rows whose place is neither a file that refers to the rule nor said to be missing.
fn misplaced<'t>(rules: &[Rule<'t>], refers: impl Fn(&str, usize) -> bool) -> Vec<&'t str> {
    let is_bad = |rule: &&Rule<'_>| {
        let mut places = named_paths(rule.place).into_iter().peekable();
        let is_built = places.peek().is_some();
        let is_missing = rule.place == "not built yet";
        is_built == is_missing || !places.all(|place| refers(place, rule.number))
    };
    rules.iter().filter(is_bad).map(|rule| rule.place).collect()
}

#[test]
fn every_rule_has_its_row() {
    let text = read("ARCHITECTURE.md");
    let rules = rules(&text);
    let numbers: Vec<usize> = rules.iter().map(|rule| rule.number).collect();
    assert_eq!(numbers, (1..=RULES).collect::<Vec<_>>());
    let mut seen = 0;
    for source in ["model/src", "impl/src"].into_iter().flat_map(sources) {
        let referred = rules_referred_to(&read(&source));
        let strange: Vec<_> = referred.iter().filter(|number| !numbers.contains(number)).collect();
        assert!(strange.is_empty(), "{source} refers to rules that are not there: {strange:?}");
        seen += referred.len();
    }
    assert!(seen > RULES, "the sources refer to only {seen} rules");
    let refers = |place: &str, number| rules_referred_to(&read(place)).contains(&number);
    assert_eq!(misplaced(&rules, refers), Vec::<&str>::new());
}

#[test]
fn the_checks_of_rules_can_fail() {
    let expected: BTreeSet<usize> = [1, 2, 3, 7, 18].into();
    assert_eq!(rules_referred_to("R1–R3, (R7) R18. AR4 R5x R_6 R R8a"), expected);
    let text = "| R1 One | x | `a/b.rs` |\n| R2 Two | x | not built yet |\n| rule | x | y |\n";
    let rules = rules(text);
    assert_eq!(rules.iter().map(|rule| rule.number).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(misplaced(&rules, |_, _| true), Vec::<&str>::new());
    assert_eq!(misplaced(&rules, |_, number| number == 2), ["`a/b.rs`"]);
    for place in ["", "soon", "`b.rs`"] {
        let rule = Rule { number: 1, place };
        assert_eq!(misplaced(&[rule], |_, _| true), [place]);
    }
}

/// One example: what is typed, and the lines that must come first.
#[derive(Debug, PartialEq, Eq)]
struct Example {
    arguments: Vec<String>,
    lines: Vec<String>,
}

/// The examples in the `console` blocks of a text.
fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
            continue;
        }
        if !inside {
            continue;
        }
        if let Some(command) = line.strip_prefix("$ leasehold ") {
            let arguments = command.split_whitespace().map(str::to_owned).collect();
            examples.push(Example { arguments, lines: Vec::new() });
        } else {
            let last = examples.last_mut().expect("a block begins with `$ leasehold `");
            last.lines.push(line.to_owned());
        }
    }
    examples
}

/// Whether a line is as expected; `…` stands for any text.
fn fits(expected: &str, line: &str) -> bool {
    let Some((start, rest)) = expected.split_once('…') else { return expected == line };
    let Some(mut left) = line.strip_prefix(start) else { return false };
    loop {
        if fits(rest, left) {
            return true;
        }
        let mut letters = left.chars();
        if letters.next().is_none() {
            return false;
        }
        left = letters.as_str();
    }
}

/// Runs examples one after the other in one sandbox. Returns what is not as expected.
fn differences(examples: &[Example]) -> Vec<String> {
    let sandbox = Sandbox::new();
    let mut differences = Vec::new();
    for example in examples {
        let arguments: Vec<&str> = example.arguments.iter().map(String::as_str).collect();
        let outcome = sandbox.cli(&arguments).run();
        let lines: Vec<&str> = outcome.stdout.lines().take(example.lines.len()).collect();
        let as_expected = lines.len() == example.lines.len()
            && example.lines.iter().zip(&lines).all(|(expected, line)| fits(expected, line));
        if !as_expected {
            differences.push(format!("{example:?}: {outcome:?}"));
        }
    }
    differences
}

#[test]
fn the_examples_of_the_readme_run() {
    let examples = examples(&read("README.md"));
    let shown = |word: &str| {
        examples.iter().any(|example| example.lines.iter().any(|line| line.starts_with(word)))
    };
    for word in ["FREE", "ACQUIRED ", "BUSY: ", "RELEASED "] {
        assert!(shown(word), "no example shows {word}");
    }
    assert!(examples.iter().all(|example| !example.lines.is_empty()), "{examples:?}");
    assert_eq!(differences(&examples), Vec::<String>::new());
}

#[test]
fn the_check_of_examples_can_fail() {
    let good = examples("```console\n$ leasehold check a\nFREE\n```\n$ leasehold no example\n");
    assert_eq!(good.len(), 1);
    assert_eq!(differences(&good), Vec::<String>::new());
    for line in ["BUSY", "FREE …", "FREE\nmore"] {
        let bad = examples(&format!("```console\n$ leasehold check a\n{line}\n```\n"));
        assert_eq!(differences(&bad).len(), 1, "{line}");
    }
}

#[test]
fn an_ellipsis_stands_for_any_text() {
    assert!(fits("BUSY: …/a held by …", "BUSY: /r/a/a held by ana, bo"));
    assert!(fits("a…", "a") && fits("…", ""));
    assert!(!fits("BUSY: …/a held by …", "BUSY: /r/b held by ana"));
    assert!(!fits("a…b", "ac") && !fits("FREE", "FREE "));
}

#[test]
fn the_demonstration_tells_its_steps_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    let folder = sandbox.root().join("temporary");
    fs::create_dir(&folder).expect("a folder");
    let outcome = sandbox.cli(&["demo"]).env("TMPDIR", &folder).run();
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{}", outcome.stdout);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    let steps = lines.iter().filter(|line| line.contains(" -> ")).count();
    let last = format!("all {steps} steps as expected; nothing left behind");
    assert!(steps >= 12 && lines.last() == Some(&last.as_str()), "{}", outcome.stdout);
    let long: Vec<_> = lines.iter().filter(|line| line.chars().count() > 80).collect();
    assert!(long.is_empty() && !outcome.stdout.contains('\x1b'), "{long:?}");
    let left: Vec<_> = fs::read_dir(&folder).expect("the folder").collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!sandbox.database().exists() && !sandbox.counter().exists());
}

#[test]
fn a_demonstration_that_cannot_go_on_ends_with_1() {
    let sandbox = Sandbox::new();
    let nowhere = sandbox.root().join("nowhere");
    let outcome = sandbox.cli(&["demo"]).env("TMPDIR", nowhere).run();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""));
    assert!(outcome.stderr.starts_with("leasehold: the demonstration stopped: "));
}

/// The settings in the `json` blocks of a text.
fn settings(text: &str) -> Vec<Value> {
    let blocks = text.split("```json\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap_or_default());
    blocks.map(|block| serde_json::from_str(block).expect("a block is JSON")).collect()
}

/// The hooks of one client's settings whose command does not name the event that runs it.
fn misnamed(settings: &Value) -> Vec<String> {
    let hooks = settings["hooks"].as_object().expect("hooks by event");
    let names_event = |event: &str, groups: &Value| {
        // Copilot's handlers stand in no group.
        let handler = groups[0]["hooks"].get(0).unwrap_or(&groups[0]);
        let args = &handler["args"];
        let command = handler["command"].as_str().unwrap_or_default();
        *args == json!(["hook", event])
            || *args == json!(["hook", event, "--client", "copilot"])
            || ["codex", "gemini", "qwen"]
                .iter()
                .any(|client| command == format!("leasehold hook {event} --client {client}"))
    };
    let bad = hooks.iter().filter(|(event, groups)| !names_event(event, groups));
    bad.map(|(event, _)| event.clone()).collect()
}

#[test]
fn the_settings_of_the_readme_name_their_events() {
    let settings = settings(&read("README.md"));
    assert_eq!(settings.len(), 5, "all but OpenCode, which has a plugin");
    for client in &settings {
        assert!(client["hooks"].as_object().is_some_and(|hooks| hooks.len() >= 5), "{client}");
        assert_eq!(misnamed(client), Vec::<String>::new());
    }
    let bad = r#"{"hooks":{"Stop":[{"hooks":[{"command":"leasehold","args":["hook"]}]}]}}"#;
    assert_eq!(misnamed(&serde_json::from_str(bad).expect("JSON")), ["Stop"]);
}

/// The rows that the table of mutants has to have, by their beginnings.
fn rows_of_mutants() -> BTreeSet<String> {
    let mut rows = BTreeSet::new();
    for entry in fs::read_dir(root().join("sim/mutants")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "patch") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a patch");
        let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key));
        let (mutant, what) = (value("Mutant: ").expect("a name"), value("What: ").expect("words"));
        let unseen = value("Unseen: ").map(|why| format!(" | not seen: {why} |"));
        rows.insert(format!("| {mutant} | {what} |{}", unseen.unwrap_or_default()));
    }
    rows
}

/// The rows that are missing in a text, and its rows of mutants that there are not.
fn differing_rows(text: &str, rows: &BTreeSet<String>) -> Vec<String> {
    let is_row = |line: &&str| {
        line.strip_prefix("| M").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let lines: Vec<&str> = text.lines().filter(is_row).collect();
    let missing = rows.iter().filter(|row| !lines.iter().any(|line| line.starts_with(*row)));
    let alone = lines.iter().filter(|line| !rows.iter().any(|row| line.starts_with(row.as_str())));
    missing.cloned().chain(alone.map(|line| (*line).to_owned())).collect()
}

#[test]
fn every_mutant_has_its_row_and_its_reason() {
    let rows = rows_of_mutants();
    assert!(rows.len() > 90, "{}", rows.len());
    assert_eq!(differing_rows(&read("README.md"), &rows), Vec::<String>::new());
}

#[test]
fn the_check_of_the_mutants_table_can_fail() {
    let rows = BTreeSet::from(["| M1 | a |".to_owned(), "| M2 | b | not seen: c |".to_owned()]);
    assert!(differing_rows("| M1 | a | 3 |\n| M2 | b | not seen: c |", &rows).is_empty());
    assert_eq!(differing_rows("| M1 | a | 3 |\n| M2 | b | 4 |", &rows).len(), 2);
    assert_eq!(differing_rows("| M1 | a |\n| M2 | b | not seen: c |\n| M3 | d |", &rows).len(), 1);
    assert_eq!(differing_rows("| M1 | a |", &rows).len(), 1);
}
