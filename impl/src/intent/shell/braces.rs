//! Brace expansion: `{a,b}` and `{1..3}`.

use crate::intent::shell::bash::tree::{Part, Word};

/// So many words does one become at most.
const WORDS_MAX: usize = 256;

/// A piece that braces are looked for in.
#[derive(Clone)]
enum Piece {
    /// An unquoted character.
    Plain(char),
    /// Anything else.
    Whole(Part),
}

/// The words that one word stands for; the word itself where there are no braces, or too many.
pub(super) fn expand(word: &Word) -> Vec<Word> {
    let has_brace =
        |part: &Part| matches!(part, Part::Text { text, quoted: false } if text.contains('{'));
    if !word.parts.iter().any(has_brace) {
        return vec![word.clone()];
    }
    let mut pieces = Vec::new();
    for part in &word.parts {
        match part {
            Part::Text { text, quoted: false } => pieces.extend(text.chars().map(Piece::Plain)),
            other => pieces.push(Piece::Whole(other.clone())),
        }
    }
    let mut done = Vec::new();
    let mut open = vec![pieces];
    while let Some(pieces) = open.pop() {
        if open.len() + done.len() > WORDS_MAX {
            return vec![word.clone()];
        }
        match first(&pieces) {
            None => done.push(joined(pieces)),
            Some((start, end, choices)) => {
                for choice in choices.into_iter().rev() {
                    let mut one = pieces[..start].to_vec();
                    one.extend(choice);
                    one.extend_from_slice(&pieces[end + 1..]);
                    open.push(one);
                }
            }
        }
    }
    done
}

/// The first braces that mean something: where they begin and end, and what they stand for.
fn first(pieces: &[Piece]) -> Option<(usize, usize, Vec<Vec<Piece>>)> {
    let opens = pieces.iter().enumerate().filter(|(_, piece)| is(piece, '{'));
    // One that closes nothing costs the whole rest of the word.
    for (start, _) in opens.take(16) {
        let Some((end, commas)) = closed(pieces, start) else { continue };
        if !commas.is_empty() {
            let mut choices = Vec::new();
            let mut from = start + 1;
            for comma in commas.iter().copied().chain([end]) {
                choices.push(pieces[from..comma].to_vec());
                from = comma + 1;
            }
            return Some((start, end, choices));
        }
        if let Some(choices) = range(&pieces[start + 1..end]) {
            return Some((start, end, choices));
        }
    }
    None
}

fn is(piece: &Piece, character: char) -> bool {
    matches!(piece, Piece::Plain(one) if *one == character)
}

/// Where the brace that begins here is closed, and the commas right in it.
fn closed(pieces: &[Piece], start: usize) -> Option<(usize, Vec<usize>)> {
    let mut open = 0_usize;
    let mut commas = Vec::new();
    for (at, piece) in pieces.iter().enumerate().skip(start) {
        if is(piece, '{') {
            open += 1;
        } else if is(piece, '}') {
            open -= 1;
            if open == 0 {
                return Some((at, commas));
            }
        } else if is(piece, ',') && open == 1 {
            commas.push(at);
        }
    }
    None
}

/// `1..5`, `a..e`, `01..10..3`.
fn range(pieces: &[Piece]) -> Option<Vec<Vec<Piece>>> {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Plain(character) => text.push(*character),
            Piece::Whole(_) => return None,
        }
    }
    let mut ends = text.split("..");
    let (from, to, by) = (ends.next()?, ends.next()?, ends.next());
    let by: i64 = by.map_or(Ok(1), str::parse).ok()?;
    if ends.next().is_some() {
        return None;
    }
    let letter = |text: &str| {
        let mut letters = text.chars();
        letters.next().filter(|one| one.is_ascii_alphabetic() && letters.next().is_none())
    };
    let (first, last, letters) = match (from.parse::<i64>(), to.parse::<i64>()) {
        (Ok(first), Ok(last)) => (first, last, false),
        _ => (i64::from(u32::from(letter(from)?)), i64::from(u32::from(letter(to)?)), true),
    };
    let padded = [from, to].iter().any(|end| {
        let digits = end.trim_start_matches('-');
        digits.len() > 1 && digits.starts_with('0')
    });
    let width = if padded { from.len().max(to.len()) } else { 0 };
    let step = by.unsigned_abs().max(1);
    let count = usize::try_from(first.abs_diff(last) / step).ok()?.saturating_add(1);
    if count > WORDS_MAX {
        return None;
    }
    let one = |number: usize| {
        let offset = i64::try_from(number as u64 * step).unwrap_or(0);
        let value = if first <= last { first + offset } else { first - offset };
        let text = match u32::try_from(value).ok().and_then(char::from_u32).filter(|_| letters) {
            Some(letter) => letter.to_string(),
            None => format!("{value:0width$}"),
        };
        text.chars().map(Piece::Plain).collect()
    };
    Some((0..count).map(one).collect())
}

fn joined(pieces: Vec<Piece>) -> Word {
    let mut parts: Vec<Part> = Vec::new();
    for piece in pieces {
        match (piece, parts.last_mut()) {
            (Piece::Plain(character), Some(Part::Text { text, quoted: false })) => {
                text.push(character);
            }
            (Piece::Plain(character), _) => {
                parts.push(Part::Text { text: character.to_string(), quoted: false });
            }
            (Piece::Whole(part), _) => parts.push(part),
        }
    }
    Word { parts }
}
