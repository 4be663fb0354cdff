//! Whether a script is one patch and nothing else. Codex applies such a patch by itself instead of
//! running a shell, and sends no event after it (measured with 0.171.0).

use super::command::PATCH_PROGRAMS;
use super::lexer::{Operator, Token};
use super::word::Word;

/// Whether the tokens are `apply_patch <<EOF`, with nothing before it but perhaps `cd d &&`.
pub(super) fn is_patch(tokens: &[Token]) -> bool {
    let tokens = trimmed(tokens);
    let after_cd = match tokens {
        [Token::Word(cd), Token::Word(target), Token::Operator(Operator::And), rest @ ..]
            if is(cd, "cd") && target.plain =>
        {
            rest
        }
        all => all,
    };
    matches!(after_cd, [Token::Word(program), Token::Heredoc(_)]
        if PATCH_PROGRAMS.iter().any(|name| is(program, name)))
}

/// The tokens without line ends around them.
fn trimmed(mut tokens: &[Token]) -> &[Token] {
    const END: Token = Token::Operator(Operator::Newline);
    while let [END, rest @ ..] | [rest @ .., END] = tokens {
        tokens = rest;
    }
    tokens
}

fn is(word: &Word, name: &str) -> bool {
    word.plain && !word.quoted && word.text == name
}
