//! A run as a page: time goes down, each process has a column, the write lock is a bar beside what
//! its holder does, and a block tells all of its points to who hovers over it.

use std::fmt::Write as _;

use crate::lanes;
use crate::run::{Event, Report};

/// What all pages look like.
const STYLE: &str = "
body{font:14px/1.4 system-ui,sans-serif;margin:2em;color:#222;background:#fff}
table{border-collapse:collapse}
th{position:sticky;top:0;background:#fff;text-align:left;padding:.3em .8em}
td{vertical-align:top;padding:0 .8em;border-left:1px solid #ddd;min-width:14em}
td div{margin:2px 0;padding:1px 6px}
.points{color:#777;background:#f4f4f4;border-radius:3px;cursor:help}
.says{font-weight:600}
.fault{background:#fde0dc;border-radius:3px}
.held{border-left:5px solid #3b6ea5}
.violated{background:#fde0dc;padding:.6em;white-space:pre-wrap;font-family:monospace}
";

/// Draws the run as HTML that needs nothing else.
pub fn draw(what: &str, report: &Report) -> String {
    let trace = &report.trace;
    let processes = trace.iter().map(Event::process).max().map_or(0, |last| last + 1);
    let mut out = String::new();
    let _ = write!(
        out,
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>A run</title>\
         <style>{STYLE}</style><p>{}</p><table><tr>",
        escaped(what)
    );
    for process in 0..processes {
        let _ = write!(out, "<th>process {process}</th>");
    }
    out.push_str("</tr>\n");
    let mut holder = None;
    let mut rest = trace.as_slice();
    while let Some(first) = rest.first() {
        let process = first.process();
        let same = rest.iter().take_while(|event| event.process() == process).count();
        let (block, after) = rest.split_at(same);
        out.push_str("<tr>");
        for column in 0..processes {
            out.push_str("<td>");
            if column == process {
                cell(&mut out, block, &mut holder);
            } else if holder == Some(column) {
                out.push_str("<div class=\"held\">&nbsp;</div>");
            }
            out.push_str("</td>");
        }
        out.push_str("</tr>\n");
        rest = after;
    }
    out.push_str("</table>");
    if let Some(violation) = &report.violation {
        let _ = write!(
            out,
            "<p class=\"violated\">violated: {}: {}</p>",
            violation.oracle,
            escaped(&violation.detail)
        );
    }
    out.push_str("</html>\n");
    out
}

/// What a process did without a break.
fn cell(out: &mut String, block: &[Event], holder: &mut Option<usize>) {
    let mut points: Vec<String> = Vec::new();
    for event in block {
        match event {
            Event::Point(point) => points.push(format!("#{} {}", point.at, lanes::name(point))),
            Event::Note { process, text } => {
                flush(out, &mut points, *holder == Some(*process));
                let class = if text.starts_with("**") { "says fault" } else { "says" };
                let _ = write!(out, "<div class=\"{class}\">{}</div>", escaped(text));
            }
            Event::WriteLock { process, held } => {
                flush(out, &mut points, *holder == Some(*process));
                *holder = held.then_some(*process);
            }
        }
    }
    let process = block.first().map(Event::process);
    flush(out, &mut points, holder.is_some() && *holder == process);
}

fn flush(out: &mut String, points: &mut Vec<String>, is_held: bool) {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
    let held = if is_held { " held" } else { "" };
    let shown = if points.len() == 1 { first.clone() } else { format!("{first} … {last}") };
    let all = escaped(&points.join("\n"));
    let _ = write!(out, "<div class=\"points{held}\" title=\"{all}\">{}</div>", escaped(&shown));
    points.clear();
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_stays_text() {
        assert_eq!(escaped("<a b=\"c\">&"), "&lt;a b=&quot;c&quot;&gt;&amp;");
    }
}
