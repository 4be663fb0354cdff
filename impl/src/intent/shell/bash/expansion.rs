//! What `$` and backticks begin.

use super::Reader;
use super::commands::{is_name, is_name_byte};
use super::tree::{Change, Part, Script, Variable, Word};
use super::word::add_text;

/// The signs that are variables.
const SIGNS: &[u8] = b"@*#?-$!";

impl Reader<'_> {
    pub(super) fn dollar(&mut self, parts: &mut Vec<Part>, quoted: bool) {
        match self.cursor.peek(1) {
            b'(' if self.cursor.peek(2) == b'(' && self.is_arithmetic() => {
                self.cursor.skip(3);
                parts.push(Part::Arithmetic(self.arithmetic(b')')));
                self.cursor.takes("))");
            }
            b'(' => {
                self.cursor.skip(2);
                let script = self.closed_script();
                parts.push(Part::Substitution { script, quoted });
            }
            b'[' => {
                self.cursor.skip(2);
                parts.push(Part::Arithmetic(self.arithmetic(b']')));
                self.cursor.takes("]");
            }
            b'{' => {
                self.cursor.skip(2);
                let variable = self.deeper(|reader| Some(reader.braced(quoted)));
                parts.extend(variable.map(Part::Variable));
            }
            b'\'' if !quoted => self.escaped_quotes(parts),
            // A text that is to be translated.
            b'"' if !quoted => self.cursor.skip(1),
            byte if byte.is_ascii_digit() || SIGNS.contains(&byte) => {
                let name = char::from(byte).to_string();
                self.cursor.skip(2);
                parts.push(Part::Variable(Variable { name, change: Change::None, quoted }));
            }
            byte if is_name_byte(byte) => {
                self.cursor.skip(1);
                let name = self.cursor.until(|byte| !is_name_byte(byte)).to_owned();
                parts.push(Part::Variable(Variable { name, change: Change::None, quoted }));
            }
            _ => {
                self.cursor.skip(1);
                add_text(parts, "$", quoted);
            }
        }
    }

    /// A script up to the `)` that closes it.
    pub(super) fn closed_script(&mut self) -> Script {
        let script = self.deeper(Self::script);
        if !self.cursor.takes(")") {
            self.unclosed();
        }
        script
    }

    /// A script in backticks. Backslashes in it hide backticks, dollars and themselves.
    pub(super) fn backticks(&mut self, parts: &mut Vec<Part>, quoted: bool) {
        self.cursor.skip(1);
        let mut text = String::new();
        loop {
            text.push_str(self.cursor.until(|byte| matches!(byte, b'`' | b'\\')));
            if self.cursor.is_end() {
                self.unclosed();
                break;
            }
            if self.cursor.takes("`") {
                break;
            }
            self.cursor.skip(1);
            match self.cursor.peek(0) {
                b'`' | b'$' | b'\\' => {}
                b'"' if quoted => {}
                _ => text.push('\\'),
            }
            text.extend(self.cursor.next());
        }
        let mut inner = Reader::new(&text, self.depth);
        let script = inner.deeper(Self::whole_of);
        for note in inner.notes {
            self.note(note);
        }
        parts.push(Part::Substitution { script, quoted });
    }

    fn whole_of(reader: &mut Reader<'_>) -> Script {
        reader.whole()
    }

    /// Whether `$((` begins arithmetic: its parentheses are closed by two together. Otherwise it is
    /// a subshell in a substitution.
    fn is_arithmetic(&self) -> bool {
        let bytes = self.cursor.rest().as_bytes();
        let mut open = 0_usize;
        for (number, byte) in bytes.iter().enumerate().take(ARITHMETIC_MAX).skip(1) {
            match byte {
                b'(' => open += 1,
                b')' if open == 2 => return bytes.get(number + 1) == Some(&b')'),
                b')' => open = open.saturating_sub(1),
                _ => {}
            }
        }
        true
    }

    /// What stands in arithmetic, up to what closes it.
    fn arithmetic(&mut self, close: u8) -> Word {
        self.deeper(|reader| {
            let mut parts = Vec::new();
            let mut open = 0_usize;
            loop {
                let stops =
                    |byte| matches!(byte, b'(' | b')' | b']' | b'$' | b'`' | b'\\' | b'"' | b'\'');
                let plain = reader.cursor.until(stops);
                add_text(&mut parts, plain, true);
                match reader.cursor.peek(0) {
                    _ if reader.cursor.is_end() => {
                        reader.unclosed();
                        break;
                    }
                    b'(' => open += 1,
                    byte if byte == close && open == 0 => break,
                    b')' => open = open.saturating_sub(1),
                    b']' => {}
                    _ => {
                        reader.special(&mut parts);
                        continue;
                    }
                }
                reader.cursor.skip(1);
            }
            Word { parts }
        })
    }

    /// `$'…'`
    fn escaped_quotes(&mut self, parts: &mut Vec<Part>) {
        self.cursor.skip(2);
        let mut text = String::new();
        loop {
            text.push_str(self.cursor.until(|byte| matches!(byte, b'\'' | b'\\')));
            if self.cursor.is_end() {
                self.unclosed();
                break;
            }
            if self.cursor.takes("'") {
                break;
            }
            self.cursor.skip(1);
            self.escape(&mut text);
        }
        add_text(parts, &text, true);
    }

    /// One escape of `$'…'`, behind its backslash.
    fn escape(&mut self, text: &mut String) {
        let Some(letter) = self.cursor.next() else {
            return;
        };
        let (digits, radix) = match letter {
            'x' => (2, 16),
            'u' => (4, 16),
            'U' => (8, 16),
            '0'..='7' => (2, 8),
            _ => (0, 0),
        };
        if radix > 0 {
            let mut value = letter.to_digit(8).filter(|_| radix == 8).unwrap_or(0);
            for _ in 0..digits {
                let Some(digit) = char::from(self.cursor.peek(0)).to_digit(radix) else {
                    break;
                };
                value = value * radix + digit;
                self.cursor.skip(1);
            }
            text.extend(char::from_u32(value));
            return;
        }
        match letter {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'a' => text.push('\x07'),
            'b' => text.push('\x08'),
            'e' | 'E' => text.push('\x1b'),
            'f' => text.push('\x0c'),
            'v' => text.push('\x0b'),
            '\\' | '\'' | '"' | '?' => text.push(letter),
            other => {
                text.push('\\');
                text.push(other);
            }
        }
    }

    /// A variable behind `${`.
    fn braced(&mut self, quoted: bool) -> Variable {
        // `${#name}` is a length, `${!name}` another variable: nobody but the shell knows.
        let is_other = matches!(self.cursor.peek(0), b'#' | b'!')
            && (is_name_byte(self.cursor.peek(1)) || SIGNS.contains(&self.cursor.peek(1)));
        if is_other {
            let change = Change::Other(self.until_brace(quoted));
            return Variable { name: String::new(), change, quoted };
        }
        let mut name = self.cursor.until(|byte| !is_name_byte(byte)).to_owned();
        if name.is_empty() && SIGNS.contains(&self.cursor.peek(0)) {
            name.extend(self.cursor.next());
        }
        let change = if self.cursor.takes("[@]") || self.cursor.takes("[*]") {
            Change::All
        } else {
            Change::None
        };
        if self.cursor.takes("}") {
            return Variable { name, change, quoted };
        }
        if change == Change::All || !(is_name(&name) || name.len() == 1) {
            let change = Change::Other(self.until_brace(quoted));
            return Variable { name, change, quoted };
        }
        let change = self.change(quoted);
        Variable { name, change, quoted }
    }

    fn change(&mut self, quoted: bool) -> Change {
        let colon = self.cursor.peek(0) == b':';
        let operator = self.cursor.peek(usize::from(colon));
        let build: fn(Word) -> Change = match operator {
            b'-' => Change::Default,
            b'=' => Change::Assign,
            b'+' => Change::Alternative,
            b'%' | b'#' if !colon => {
                self.cursor.skip(1);
                let most = self.cursor.peek(0) == operator;
                self.cursor.skip(usize::from(most));
                let pattern = self.until_brace(quoted);
                return Change::Cut { end: operator == b'%', most, pattern };
            }
            _ => return Change::Other(self.until_brace(quoted)),
        };
        self.cursor.skip(1 + usize::from(colon));
        build(self.until_brace(quoted))
    }

    /// What stands up to the closing brace, and goes on behind that.
    fn until_brace(&mut self, quoted: bool) -> Word {
        let mut parts = Vec::new();
        loop {
            let stops = |byte| matches!(byte, b'}' | b'\\' | b'\'' | b'"' | b'$' | b'`');
            let plain = self.cursor.until(stops);
            if !plain.is_empty() {
                add_text(&mut parts, plain, quoted);
            }
            if self.cursor.is_end() {
                self.unclosed();
                break;
            }
            match self.cursor.peek(0) {
                b'}' => {
                    self.cursor.skip(1);
                    break;
                }
                // In double quotes a single one is no quote.
                b'\'' if quoted => {
                    self.cursor.skip(1);
                    add_text(&mut parts, "'", true);
                }
                _ => self.special(&mut parts),
            }
        }
        Word { parts }
    }
}

/// So far is looked for the end of arithmetic.
const ARITHMETIC_MAX: usize = 2000;
