//! Names of commands that programs have too, or that write nothing.

/// Names that other programs have too: these commands need arguments that fit.
pub(super) const SHADOWING: [&str; 25] = [
    "curl", "wget", "tee", "sort", "cp", "mv", "rm", "cat", "ls", "echo", "diff", "sc", "rmdir",
    "mkdir", "del", "copy", "move", "type", "start", "write", "ac", "kill", "ps", "man", "where",
];

/// Aliases that the shell does not have on Unix.
pub(super) const WINDOWS_ONLY: [&str; 20] = [
    "curl", "wget", "tee", "sort", "cp", "mv", "rm", "cat", "ls", "diff", "rmdir", "mkdir",
    "start", "write", "ac", "ps", "man", "sleep", "mount", "compare",
];

/// Names of commands that write no files.
static READERS: &[&str] = &[
    "cat", "gc", "type", "gcm", "gm", "gps", "ps", "gsv", "gv", "gp", "gpv", "gal", "ghy", "h",
    "history", "group", "measure", "ft", "fl", "fw", "fc", "sls", "compare", "diff", "oh", "ogv",
    "sp", "si", "cli", "clp", "rp", "sleep", "clear", "cls", "man", "help", "kill", "spps", "ii",
    "ipmo", "rmo", "gmo", "exit", "throw", "return", "break", "continue", "rjb", "gjb", "wjb",
    "rcjb", "gin", "more", "cimv2", "prompt", "set", "rv", "clv", "ipcsv", "ipal", "sasv", "spsv",
    "rnp", "mp", "mount", "ndr", "gdr", "rdr", "shcm", "r", "ihy", "fhx", "gcb", "scb", "trcm",
];

/// The verbs that commands of the shell begin with.
const VERBS: &str = " add clear close copy enter exit find format get hide join lock move new open \
    optimize pop push redo remove rename reset resize search select set show skip split step \
    switch undo unlock watch backup checkpoint compare compress convert convertfrom convertto \
    dismount edit expand export group import initialize limit merge mount out publish restore \
    save sync unpublish update debug measure ping repair resolve test trace connect disconnect \
    read receive send write block grant protect revoke unblock unprotect use invoke register \
    request start stop submit suspend resume uninstall unregister wait where foreach sort tee \
    assert approve complete confirm deny deploy disable enable install build ";

/// Whether a name is that of a command of the shell that the table does not have, or of one that
/// only reads.
pub(super) fn is_reader(name: &str, windows: bool) -> bool {
    if READERS.contains(&name) {
        return windows || !WINDOWS_ONLY.contains(&name);
    }
    match name.split_once('-') {
        Some((verb, noun)) => {
            VERBS.contains(&format!(" {verb} "))
                && noun.bytes().all(|one| one.is_ascii_alphanumeric())
        }
        None => false,
    }
}
