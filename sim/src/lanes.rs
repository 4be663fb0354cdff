//! A run drawn for a terminal: time goes down, and each process has a column.

use std::fmt::Write as _;

use crate::run::{Event, Point};

/// The width of a column.
const WIDTH: usize = 38;

/// Draws the events of a run.
pub fn draw(trace: &[Event]) -> String {
    let processes = trace.iter().map(Event::process).max().map_or(0, |last| last + 1);
    let mut out = String::new();
    let heads: Vec<String> = (0..processes).map(|number| format!("process {number}")).collect();
    row(&mut out, &heads);
    let mut rest = trace;
    while let Some(first) = rest.first() {
        let process = first.process();
        let same = rest.iter().take_while(|event| event.process() == process).count();
        let (block, after) = rest.split_at(same);
        for line in lines(block) {
            let mut cells = vec![String::new(); processes];
            cells[process] = line;
            row(&mut out, &cells);
        }
        rest = after;
    }
    out
}

/// What a process did without a break: what it said, and between that how many points it passed.
fn lines(block: &[Event]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut points: Vec<&Point> = Vec::new();
    let flush = |points: &mut Vec<&Point>, lines: &mut Vec<String>| {
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
        lines.push(if first.at == last.at {
            format!("#{} {}", first.at, name(first))
        } else {
            format!("#{} {} .. #{} {}", first.at, name(first), last.at, name(last))
        });
        points.clear();
    };
    for event in block {
        match event {
            Event::Point(point) => points.push(point),
            Event::WriteLock { held, .. } => {
                flush(&mut points, &mut lines);
                lines
                    .push(if *held { "[ takes the write lock" } else { "] lets it go" }.to_owned());
            }
            Event::Note { text, .. } => {
                flush(&mut points, &mut lines);
                lines.extend(wrapped(text));
            }
        }
    }
    flush(&mut points, &mut lines);
    lines
}

/// What a point is about, with its file.
pub(crate) fn name(point: &Point) -> String {
    let Point { kind, file, .. } = point;
    if file.is_empty() { kind.name().to_owned() } else { format!("{} {file}", kind.name()) }
}

fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        let full = lines[last].chars().count() + word.chars().count() + 1 > WIDTH;
        if full && !lines[last].is_empty() {
            lines.push(format!("  {word}"));
        } else {
            if !lines[last].is_empty() {
                lines[last].push(' ');
            }
            lines[last].push_str(word);
        }
    }
    lines
}

fn row(out: &mut String, cells: &[String]) {
    let mut line = String::new();
    for cell in cells {
        let cell: String = cell.chars().take(WIDTH).collect();
        let _ = write!(line, "{cell:<WIDTH$} | ");
    }
    let _ = writeln!(out, "{}", line.trim_end_matches([' ', '|']));
}
