//! Foreign text made safe to show (R17).
//!
//! Names, notes and paths come from payloads, and most messages are read by another model. A name
//! must therefore not break out of its line, hide a part of itself, or fill a whole context.

use std::ops::RangeInclusive;
use std::path::Path;

/// `text` on one line, in at most `chars_max` characters.
///
/// Control characters, line breaks and characters without a visible form (bidirectional marks,
/// zero-width characters, tags) become escapes such as `\n` or `\u{202e}`; what is too long ends
/// with `…`. Meant for people and models, not for reading back: a backslash stays as it is.
pub fn printable(text: &str, chars_max: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(chars_max.saturating_mul(4)));
    let mut chars = 0;
    let mut cut = 0;
    for character in text.chars() {
        if is_unsafe(character) {
            chars += push_escape(&mut shown, character);
        } else {
            shown.push(character);
            chars += 1;
        }
        if chars > chars_max {
            shown.truncate(cut);
            if chars_max > 0 {
                shown.push('…');
            }
            return shown;
        }
        if chars < chars_max {
            cut = shown.len();
        }
    }
    shown
}

/// A path as [`printable`] text; bytes that are not UTF-8 show as `�`.
pub fn printable_path(path: &Path, chars_max: usize) -> String {
    printable(&path.to_string_lossy(), chars_max)
}

/// Appends the escape of `character`; returns its length in characters.
fn push_escape(shown: &mut String, character: char) -> usize {
    let before = shown.len();
    shown.extend(character.escape_default());
    shown.len() - before // the escape is ASCII: bytes are characters
}

/// Characters that have no visible form or change how others show, beside the control characters.
const HIDDEN: [RangeInclusive<char>; 15] = [
    '\u{ad}'..='\u{ad}',       // soft hyphen
    '\u{34f}'..='\u{34f}',     // grapheme joiner
    '\u{61c}'..='\u{61c}',     // direction
    '\u{115f}'..='\u{1160}',   // Hangul fillers
    '\u{17b4}'..='\u{17b5}',   // Khmer vowels without a form
    '\u{180b}'..='\u{180f}',   // Mongolian selectors
    '\u{200b}'..='\u{200f}',   // zero width, direction
    '\u{2028}'..='\u{202e}',   // line and paragraph separators, direction
    '\u{2060}'..='\u{206f}',   // invisible operators, direction
    '\u{3164}'..='\u{3164}',   // Hangul filler
    '\u{fe00}'..='\u{fe0f}',   // variation selectors: they can spell a hidden message
    '\u{feff}'..='\u{feff}',   // byte order mark
    '\u{ffa0}'..='\u{ffa0}',   // Hangul filler
    '\u{fff0}'..='\u{fffb}',   // annotations
    '\u{e0000}'..='\u{e0fff}', // tags and more selectors: a hidden alphabet
];

/// Whether a character breaks a line, steers a terminal or cannot be seen.
fn is_unsafe(character: char) -> bool {
    !matches!(character, ' '..='~')
        && (character.is_control() || HIDDEN.iter().any(|range| range.contains(&character)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // Goal: ordinary names of any script pass unchanged.
    #[test]
    fn ordinary_text_is_kept() {
        for text in ["", "src/main.rs", "C:\\repo\\a b.txt", "café", "日本語", "a…b"] {
            assert_eq!(printable(text, 80), text);
        }
    }

    // Goal: nothing in a name can start a line, move a cursor or hide.
    #[test]
    fn unsafe_text_is_escaped() {
        assert_eq!(printable("a\nb\tc\rd", 80), "a\\nb\\tc\\rd");
        assert_eq!(printable("\u{1b}[2J", 80), "\\u{1b}[2J");
        assert_eq!(printable("x\u{202e}txt.exe", 80), "x\\u{202e}txt.exe");
        assert_eq!(printable("\u{200b}\u{2028}\u{e0041}", 80), "\\u{200b}\\u{2028}\\u{e0041}");
        assert_eq!(printable("\u{85}\u{7f}", 80), "\\u{85}\\u{7f}");
    }

    // Goal: the limit counts characters, and an escape is never cut in half.
    #[test]
    fn long_text_is_cut() {
        assert_eq!(printable("abcdef", 6), "abcdef");
        assert_eq!(printable("abcdef", 5), "abcd…");
        assert_eq!(printable("éééé", 3), "éé…");
        assert_eq!(printable("a\nbcdef", 3), "a…");
        assert_eq!(printable("abc", 1), "…");
        assert_eq!(printable("abc", 0), "");
    }

    proptest! {
        // Goal: whatever comes in, the result is one visible line within the limit.
        #[test]
        fn never_unsafe_never_longer(text in any::<String>(), chars_max in 0_usize..40) {
            let shown = printable(&text, chars_max);
            prop_assert!(!shown.chars().any(is_unsafe), "{shown:?}");
            prop_assert!(!shown.chars().any(char::is_control));
            prop_assert!(shown.chars().count() <= chars_max);
        }
    }
}
