//! Time. The engine reads it only through [`Clock`], once in each write transaction, after the
//! lock is held (R4): a clock read before the lock may be older than the decision it is used for.

use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970.
    fn now_ms(&self) -> i64;

    /// Lets so much time pass.
    fn pause(&self, span: Duration) {
        thread::sleep(span);
    }
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        // A clock before 1970 reads as 1970: no lease ends early by it, and R12 bounds it.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }
}

/// A moment for people: `2026-12-01T09:00:12Z`. What no calendar holds is named so.
pub fn timestamp(ms: i64) -> String {
    let seconds = u64::try_from(ms / 1000).unwrap_or(0);
    // humantime writes years of four digits and panics past them.
    let year_10000 = 253_402_300_800;
    if seconds >= year_10000 {
        return "after the year 9999".to_owned();
    }
    humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(seconds)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_in_utc() {
        assert_eq!(timestamp(0), "1970-01-01T00:00:00Z");
        assert_eq!(timestamp(1_796_115_612_999), "2026-12-01T09:00:12Z");
    }

    #[test]
    fn no_moment_panics() {
        assert_eq!(timestamp(i64::MIN), "1970-01-01T00:00:00Z");
        assert_eq!(timestamp(253_402_300_799_999), "9999-12-31T23:59:59Z");
        assert_eq!(timestamp(i64::MAX), "after the year 9999");
    }
}
