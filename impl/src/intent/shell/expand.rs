//! Words as the program gets them: variables, braces, `~`, splitting and patterns.

use crate::intent::shell::bash::tree::{Change, Part, Variable, Word};
use crate::intent::shell::braces;
use crate::intent::shell::field::Field;
use crate::intent::shell::glob;
use crate::intent::shell::scope::{Scope, Value};
use crate::intent::shell::walk::Walk;

/// A field that is being put together.
#[derive(Default)]
struct Draft {
    /// Its text.
    text: String,
    /// The same as a pattern: a backslash before what is quoted and means something in patterns.
    pattern: String,
    /// Whether only the shell knows a part of it.
    has_hole: bool,
    /// Whether there is a field even if it is empty.
    stands: bool,
}

impl Draft {
    fn add(&mut self, text: &str, quoted: bool) {
        self.text.push_str(text);
        self.stands |= quoted || !text.is_empty();
        if !quoted {
            self.pattern.push_str(text);
            return;
        }
        for character in text.chars() {
            if matches!(character, '*' | '?' | '[' | ']' | '\\' | '-' | '!') {
                self.pattern.push('\\');
            }
            self.pattern.push(character);
        }
    }

    fn add_field(&mut self, field: &Field, quoted: bool) {
        self.has_hole |= !field.exact;
        self.add(&field.text, quoted);
    }

    fn hole(&mut self) {
        self.add_field(&Field::unknown(), true);
    }
}

impl Walk<'_> {
    /// The fields that a word becomes.
    pub(super) fn fields(&mut self, word: &Word, scope: &mut Scope) -> Vec<Field> {
        let mut fields = Vec::new();
        for one in braces::expand(word) {
            let mut drafts = Vec::new();
            let mut draft = Draft::default();
            self.draft(&one, scope, &mut draft, Some(&mut drafts));
            if draft.stands {
                drafts.push(draft);
            }
            for draft in drafts {
                self.matched(draft, scope, &mut fields);
            }
        }
        fields
    }

    /// A word that stays one field: what is assigned, redirected to, or a here-document's text.
    pub(super) fn field(&mut self, word: &Word, scope: &mut Scope) -> Field {
        let mut draft = Draft::default();
        self.draft(word, scope, &mut draft, None);
        Field { text: draft.text, exact: !draft.has_hole }
    }

    /// Adds a word's pieces to a draft; where there is a list, what splits goes there.
    fn draft(
        &mut self,
        word: &Word,
        scope: &mut Scope,
        draft: &mut Draft,
        mut split: Option<&mut Vec<Draft>>,
    ) {
        for (number, part) in word.parts.iter().enumerate() {
            match part {
                Part::Text { text, quoted: false } if number == 0 && text.starts_with('~') => {
                    self.tilde(text, word.parts.len() == 1, draft);
                }
                Part::Text { text, quoted } => draft.add(text, *quoted),
                Part::Variable(variable) => {
                    let values = self.value(variable, scope);
                    let all = variable.name == "@" || variable.change == Change::All;
                    if variable.quoted && !(all && split.is_some()) {
                        add_joined(&values, draft);
                    } else {
                        split_values(&values, variable.quoted, draft, split.as_deref_mut());
                    }
                }
                Part::Substitution { script, quoted } => {
                    let value = self.substituted(script, scope);
                    if *quoted {
                        draft.add_field(&value, true);
                    } else {
                        split_values(&[value], false, draft, split.as_deref_mut());
                    }
                }
                Part::Process { script, .. } => {
                    self.process(script, scope);
                    draft.add("/dev/fd/63", true);
                }
                Part::Arithmetic(inner) => {
                    self.field(inner, scope);
                    draft.hole();
                }
                Part::Array(words) => {
                    for word in words {
                        self.fields(word, scope);
                    }
                    draft.hole();
                }
            }
        }
    }

    /// `~` and `~/…`; of other users nothing is known.
    fn tilde(&mut self, text: &str, is_whole: bool, draft: &mut Draft) {
        let user = text.find('/').unwrap_or(text.len());
        match self.home() {
            Some(home) if user == 1 && (is_whole || user < text.len()) => {
                draft.add(home, true);
                draft.add(&text[1..], false);
            }
            _ if text.len() > 1 && user == 1 => draft.hole(),
            _ => draft.add(text, false),
        }
    }

    /// What a variable comes to.
    fn value(&mut self, variable: &Variable, scope: &mut Scope) -> Vec<Field> {
        let known = self.known(&variable.name, scope);
        let is_empty = known
            .as_ref()
            .is_some_and(|all| all.iter().all(|one| one.exact && one.text.is_empty()));
        // What is not set in the script may be set around it.
        let is_unset = known.is_none() || is_empty;
        match &variable.change {
            Change::None | Change::All => {
                if variable.change == Change::None
                    && let Some([first, _, ..]) = known.as_deref()
                    && !matches!(variable.name.as_str(), "@" | "*")
                {
                    return vec![first.clone()];
                }
                known.unwrap_or_else(|| vec![Field::unknown()])
            }
            Change::Default(word) if is_unset => vec![self.field(word, scope)],
            Change::Assign(word) if is_unset => {
                let value = self.field(word, scope);
                scope.variables.insert(variable.name.clone(), Value::Text(value.clone()));
                vec![value]
            }
            Change::Default(_) | Change::Assign(_) => known.unwrap_or_default(),
            Change::Alternative(word) => {
                let value = self.field(word, scope);
                if is_empty { Vec::new() } else { vec![value] }
            }
            Change::Cut { end, most, pattern } => {
                let pattern = self.pattern(pattern, scope);
                let cut = |field: &Field| match (&pattern, field.exact) {
                    (Some(pattern), true) => cut(&field.text, pattern, *end, *most),
                    _ => Field::unknown(),
                };
                known.map_or_else(|| vec![Field::unknown()], |all| all.iter().map(cut).collect())
            }
            Change::Other(word) => {
                self.field(word, scope);
                vec![Field::unknown()]
            }
        }
    }

    /// The values of a variable, where they are known.
    fn known(&self, name: &str, scope: &Scope) -> Option<Vec<Field>> {
        if let Some(value) = scope.variables.get(name) {
            return Some(value.fields().to_vec());
        }
        match name {
            "PWD" => scope.place.directory().map(|one| vec![Field::known(one)]),
            "HOME" => self.home().map(|one| vec![Field::known(one)]),
            "@" | "*" => scope.arguments.clone(),
            _ => match name.parse::<usize>() {
                Ok(0) => None,
                Ok(number) => {
                    let arguments = scope.arguments.as_ref()?;
                    Some(arguments.get(number - 1).cloned().into_iter().collect())
                }
                Err(_) => self.environment(name).map(|one| vec![Field::known(one)]),
            },
        }
    }

    /// A word as a pattern; none where only the shell knows it.
    pub(super) fn pattern(&mut self, word: &Word, scope: &mut Scope) -> Option<String> {
        let mut draft = Draft::default();
        self.draft(word, scope, &mut draft, None);
        (!draft.has_hole).then_some(draft.pattern)
    }

    /// Adds what a draft matches on the disk, or itself where that is nothing.
    fn matched(&mut self, draft: Draft, scope: &Scope, fields: &mut Vec<Field>) {
        if draft.has_hole || !glob::is_pattern(&draft.pattern) {
            fields.push(Field { text: draft.text, exact: !draft.has_hole });
            return;
        }
        match glob::paths(&draft.pattern, scope.place.directory(), self.disk()) {
            Some(paths) if !paths.is_empty() => {
                fields.extend(paths.into_iter().map(Field::known));
            }
            Some(_) => fields.push(Field::known(draft.text)),
            None => {
                self.note(format!("only the shell knows what {:?} stands for", draft.text));
                fields.push(Field::unknown());
            }
        }
    }
}

/// Adds values as one text, with blanks between them.
fn add_joined(values: &[Field], draft: &mut Draft) {
    draft.stands = true;
    for (number, value) in values.iter().enumerate() {
        if number > 0 {
            draft.add(" ", true);
        }
        draft.add_field(value, true);
    }
}

/// Adds values that are split: at blanks where they are not quoted, and between each other.
fn split_values(values: &[Field], quoted: bool, draft: &mut Draft, split: Option<&mut Vec<Draft>>) {
    let Some(done) = split else { return add_joined(values, draft) };
    for (number, value) in values.iter().enumerate() {
        if number > 0 {
            end(draft, done);
        }
        if quoted {
            draft.add_field(value, true);
            draft.stands = true;
            continue;
        }
        let mut rest = value.text.as_str();
        loop {
            let blank = rest.find([' ', '\t', '\n']);
            let (word, more) = rest.split_at(blank.unwrap_or(rest.len()));
            let has_hole = !value.exact && word.contains(Field::HOLE);
            draft.has_hole |= has_hole;
            draft.add(word, has_hole);
            if blank.is_none() {
                break;
            }
            end(draft, done);
            rest = more.trim_start_matches([' ', '\t', '\n']);
        }
    }
}

fn end(draft: &mut Draft, done: &mut Vec<Draft>) {
    let ended = std::mem::take(draft);
    if ended.stands {
        done.push(ended);
    }
}

/// `${name%pattern}` and its like.
fn cut(text: &str, pattern: &str, end: bool, most: bool) -> Field {
    let places: Vec<usize> =
        text.char_indices().map(|(at, _)| at).chain([text.len()]).take(300).collect();
    if text.len() > 300 {
        return Field::unknown();
    }
    let rest = |at: usize| if end { &text[at..] } else { &text[..at] };
    let fits = |at: &&usize| glob::matches(pattern, rest(**at));
    // From the end the longest match begins first, and from the beginning it ends last.
    let place = if end == most { places.iter().find(fits) } else { places.iter().rev().find(fits) };
    match place {
        Some(at) => Field::known(if end { &text[..*at] } else { &text[*at..] }),
        None => Field::known(text),
    }
}
