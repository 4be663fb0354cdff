//! What the engine needs to know of the machine: its boot and its name.

use std::fs;
use std::sync::OnceLock;

/// The id of the machine's current boot, if this platform tells one. Without it every open begins
/// a new generation of fences (R14): slower, never wrong.
pub fn boot_id() -> Option<String> {
    // Fences and processes both ask, and no process outlives its boot.
    static BOOT: OnceLock<Option<String>> = OnceLock::new();
    BOOT.get_or_init(|| {
        let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let id = id.trim();
        if id.is_empty() { None } else { Some(id.to_owned()) }
    })
    .clone()
}

/// The machine's name, for the `host` column that every engine writes. It decides nothing.
pub fn host_name() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname")
        .ok()
        .or_else(|| std::env::var("HOSTNAME").ok())
        .or_else(|| std::env::var("COMPUTERNAME").ok())
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "localhost".to_owned())
}
