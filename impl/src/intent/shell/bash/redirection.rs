//! Redirections.

use std::cell::OnceCell;
use std::rc::Rc;

use super::Reader;
use super::commands::is_name_byte;
use super::heredoc::Pending;
use super::tree::{Operator, Part, Redirection};

/// Redirections as they are written, longer ones first.
const OPERATORS: &[(&str, Operator)] = &[
    ("&>>", Operator::Both),
    ("&>", Operator::Both),
    ("<<<", Operator::HereString),
    ("<<-", Operator::HereDocument),
    ("<<", Operator::HereDocument),
    ("<>", Operator::ReadWrite),
    ("<&", Operator::DuplicateIn),
    ("<", Operator::Read),
    (">>", Operator::Write),
    (">|", Operator::Write),
    (">&", Operator::DuplicateOut),
    (">", Operator::Write),
];

impl Reader<'_> {
    /// A redirection, if one stands here.
    pub(super) fn redirection(&mut self) -> Option<Redirection> {
        let rest = self.cursor.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let mut prefix = digits;
        if digits == 0 && rest.starts_with('{') {
            // `{name}>`: the shell puts the descriptor into the variable.
            let name = rest[1..].bytes().take_while(|byte| is_name_byte(*byte)).count();
            if name > 0 && rest[1 + name..].starts_with('}') {
                prefix = name + 2;
            }
        }
        let behind = &rest[prefix..];
        let (text, operator) = OPERATORS.iter().find(|(text, _)| behind.starts_with(text))?;
        let is_process = matches!(*text, "<" | ">") && behind[1..].starts_with('(');
        if is_process || (prefix > 0 && text.starts_with('&')) {
            return None;
        }
        let descriptor = rest[..digits].parse().ok();
        self.cursor.skip(prefix + text.len());
        self.cursor.blanks();
        let target = self.word().unwrap_or_default();
        let slot = Rc::new(OnceCell::new());
        match operator {
            Operator::HereDocument => self.pending.push(Pending {
                delimiter: target.parts.iter().map(text_of).collect(),
                tabs: *text == "<<-",
                quoted: target
                    .parts
                    .iter()
                    .any(|part| matches!(part, Part::Text { quoted: true, .. })),
                text: Rc::clone(&slot),
            }),
            Operator::HereString => {
                let _ = slot.set(target.clone());
            }
            _ => {}
        }
        Some(Redirection { operator: *operator, target, text: slot, descriptor })
    }
}

/// What a here-document's delimiter is made of: nothing is expanded in it.
pub(crate) fn text_of(part: &Part) -> &str {
    match part {
        Part::Text { text, .. } => text,
        _ => "",
    }
}
