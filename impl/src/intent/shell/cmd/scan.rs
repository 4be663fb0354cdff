//! The characters of a command: escapes, variables, redirections.

use super::parse::{Line, Parser, Piece, is_delimiter};

/// How long the name of a variable may be.
const NAME: usize = 128;

impl Parser<'_> {
    /// Whether the command ends here.
    pub(super) fn ends_line(&self) -> bool {
        match self.peek() {
            None | Some('\n' | '\r' | '&' | '|') => true,
            Some(')') => self.groups > 0,
            Some(_) => false,
        }
    }

    /// Reads a command to its end.
    pub(super) fn command(&mut self, redirections: &mut Vec<Line>) -> Line {
        let mut line = Line::with_capacity(1);
        let mut quoted = false;
        let mut fresh = true;
        while let Some(letter) = self.peek() {
            let ends = letter == '\n' || letter == '\r' || (!quoted && self.ends_line());
            if ends {
                break;
            }
            if !quoted && self.redirection(redirections, fresh) {
                fresh = true;
                continue;
            }
            if !quoted && letter == '<' {
                self.take();
                self.skip_delimiters();
                self.argument();
                continue;
            }
            quoted ^= letter == '"';
            fresh = is_delimiter(letter);
            if letter == '^' && !quoted {
                self.caret(&mut line);
            } else {
                self.piece(&mut line);
            }
        }
        line
    }

    /// Reads `^` and what it protects.
    fn caret(&mut self, line: &mut Line) {
        self.take();
        if self.take_text("\r\n") || self.take_text("\n") {
            return;
        }
        if let Some(letter) = self.take() {
            push(line, letter);
        }
    }

    /// Reads a redirection where one comes next. A number before it counts where a word could
    /// start.
    pub(super) fn redirection(&mut self, found: &mut Vec<Line>, fresh: bool) -> bool {
        let rest = self.rest();
        let digit = fresh && rest.starts_with(|one: char| one.is_ascii_digit());
        if !rest[usize::from(digit)..].starts_with('>') {
            return false;
        }
        self.at += usize::from(digit) + 1;
        if !self.take_text(">") && self.take_text("&") {
            if self.peek().is_some_and(|next| next.is_ascii_digit()) {
                self.take();
            }
            return true;
        }
        self.take_text("&");
        self.skip_delimiters();
        let target = self.argument();
        if !target.is_empty() {
            found.push(target);
        }
        true
    }

    /// Reads one argument, to a delimiter.
    pub(super) fn argument(&mut self) -> Line {
        let mut line = Line::with_capacity(1);
        let mut quoted = false;
        while let Some(letter) = self.peek() {
            let ends = matches!(letter, '\n' | '\r')
                || (!quoted
                    && (is_delimiter(letter) || matches!(letter, '<' | '>') || self.ends_line()));
            if ends {
                break;
            }
            quoted ^= letter == '"';
            if letter == '^' && !quoted {
                self.caret(&mut line);
            } else {
                self.piece(&mut line);
            }
        }
        line
    }

    /// Reads a character, or what stands in its place.
    pub(super) fn piece(&mut self, line: &mut Line) {
        if self.peek() != Some('%') {
            if let Some(letter) = self.take() {
                push(line, letter);
            }
            return;
        }
        let rest = self.rest();
        let bare = rest.strip_prefix("%%").unwrap_or(&rest[1..]);
        let signs = rest.len() - bare.len();
        // `%i`, `%~nxi`: the variable of a loop.
        let asked = bare.strip_prefix('~').map_or("", |asked| {
            let length = asked.bytes().take(8).take_while(u8::is_ascii_alphabetic).count();
            &asked[..length]
        });
        if bare.starts_with('~') {
            let known = asked.char_indices().rev().find(|(_, one)| self.loops.contains(one));
            if let Some((end, variable)) = known {
                self.at += signs + 1 + end + variable.len_utf8();
                line.push(Piece::Loop(variable, format!("~{}", &asked[..end])));
            } else {
                // `%~dp0`: something about the script itself.
                let digit = bare[1 + asked.len()..].starts_with(|one: char| one.is_ascii_digit());
                self.at += signs + 1 + asked.len() + usize::from(digit);
                line.push(Piece::Unknown);
            }
            return;
        }
        let first = bare.chars().next();
        if let Some(variable) = first.filter(|one| self.loops.contains(one)) {
            let next = bare[variable.len_utf8()..].chars().next();
            if signs == 2 || next.is_none_or(|next| !(next.is_alphanumeric() || next == '_')) {
                self.at += signs + variable.len_utf8();
                line.push(Piece::Loop(variable, String::new()));
                return;
            }
        }
        if signs == 2 {
            self.at += 2;
            push(line, '%');
            return;
        }
        if first.is_some_and(|one| one.is_ascii_digit() || one == '*') {
            self.at += 2;
            line.push(Piece::Unknown);
            return;
        }
        let mut end = NAME.min(bare.len());
        while !bare.is_char_boundary(end) {
            end -= 1;
        }
        let length = bare[..end].find(['%', '\n', '\r']);
        if let Some(length) = length.filter(|&length| bare[length..].starts_with('%')) {
            let name = &bare[..length];
            self.at += length + 2;
            let plain = !name.contains(':');
            line.push(if plain { Piece::Variable(name.to_uppercase()) } else { Piece::Unknown });
        } else {
            self.at += 1;
            push(line, '%');
        }
    }
}

/// Adds a character.
fn push(line: &mut Line, letter: char) {
    if let Some(Piece::Text(text)) = line.last_mut() {
        text.push(letter);
    } else {
        line.push(Piece::Text(letter.to_string()));
    }
}
