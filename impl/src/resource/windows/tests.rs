use super::*;

/// The normal form of `path` in a session that works in `C:\repo`.
fn in_repo(path: &str) -> String {
    normalize(path, Some(r"c:\repo")).unwrap_or_else(|error| panic!("{path}: {error}"))
}

// Goal: every spelling of one file on a drive is one text.
#[test]
fn spellings_of_one_file_agree() {
    for path in [
        r"C:\repo\a.txt",
        r"c:\repo\a.txt",
        "C:/repo//a.txt",
        "/c/repo/a.txt",
        "/C/repo/a.txt",
        r"\\?\C:\repo\a.txt",
        r"\\.\c:\repo\a.txt",
        r"\??\C:\repo\a.txt",
        "//?/C:/repo/a.txt",
        r"C:\repo\.\sub\..\a.txt",
        r"C:\repo.\a.txt",
        r"C:\repo \a.txt",
        r"C:\repo\a.txt\",
        r"\repo\a.txt",
        "/repo/a.txt",
        "a.txt",
        r".\a.txt",
        "C:a.txt",
        "c:.\\a.txt",
        r"..\repo\a.txt",
        "a.txt.",
        "a.txt. . ",
        "a.txt::$DATA",
        "a.txt:note",
        "a.txt:note:$DATA",
        r"C:\repo::$INDEX_ALLOCATION\a.txt",
    ] {
        assert_eq!(in_repo(path), "C:/repo/a.txt", "{path}");
    }
}

// Goal: spellings that look alike and are not the same stay apart.
#[test]
fn other_files_stay_apart() {
    assert_eq!(in_repo(r"\c\repo\a.txt"), "C:/c/repo/a.txt");
    assert_eq!(in_repo("/cc/a.txt"), "C:/cc/a.txt");
    assert_eq!(in_repo("/d/a.txt"), "D:/a.txt");
    assert_eq!(in_repo("/mnt/c/a.txt"), "C:/mnt/c/a.txt");
    assert_eq!(in_repo(".a"), "C:/repo/.a");
    assert_eq!(in_repo("a..b"), "C:/repo/a..b");
    assert_eq!(in_repo(" a"), "C:/repo/ a");
    assert_ne!(in_repo("a"), in_repo("b"));
}

// Goal: `..` stops at the root of a drive or a share.
#[test]
fn roots_hold() {
    assert_eq!(in_repo(r"C:\"), "C:/");
    assert_eq!(in_repo("/c"), "C:/");
    assert_eq!(in_repo(r"\\?\C:"), "C:/");
    assert_eq!(in_repo(r"..\..\..\x"), "C:/x");
    assert_eq!(in_repo(r"C:\..\..\x"), "C:/x");
    assert_eq!(in_repo(r"\\server\share\..\..\x"), "//server/share/x");
    assert_eq!(in_repo("C:"), "C:/repo");
}

// Goal: shares are places of their own, also as a working directory.
#[test]
fn shares_are_places() {
    for path in
        [r"\\server\share\d\a.txt", "//server/share/d/a.txt", r"\\?\UNC\server\share\d\a.txt"]
    {
        assert_eq!(in_repo(path), "//server/share/d/a.txt", "{path}");
    }
    let cwd = Some(r"\\server\share\d");
    assert_eq!(normalize("a.txt", cwd).as_deref(), Ok("//server/share/d/a.txt"));
    assert_eq!(normalize(r"\a.txt", cwd).as_deref(), Ok("//server/share/a.txt"));
    assert!(normalize(r"\\server", None).is_err());
    assert!(normalize(r"\\server\", None).is_err());
}

// Goal: what has no file is refused, with a sentence that says what to do.
#[test]
fn refusals_say_what_to_do() {
    let refused = |path, cwd| normalize(path, cwd).expect_err(path);
    assert!(refused("a.txt", None).is_relative());
    assert!(refused(r"\a.txt", None).is_relative());
    assert!(refused("C:a.txt", None).is_relative());
    assert!(refused("D:a.txt", Some(r"C:\repo")).is_relative());
    assert!(refused("a.txt", Some("repo")).is_relative());
    for path in ["", "a\0b", r"\\.\PhysicalDrive0", r"\\?\Volume{1}\a", r"C:\...\a", "C:\\. .\\a"] {
        let error = refused(path, Some(r"C:\repo"));
        assert!(!error.is_relative(), "{path:?}");
        assert!(!error.to_string().contains('\0'));
    }
    assert_eq!(
        refused("a\n.txt", None).to_string(),
        "the path `a\\n.txt` is relative and its working directory is not known; \
         give an absolute path"
    );
}

// Goal: letter case is folded for comparison alone.
#[test]
fn case_folds_for_comparison() {
    assert_eq!(in_repo(r"C:\Repo\A.TXT"), "C:/Repo/A.TXT");
    assert_eq!(fold_case("C:/Repo/A.TXT"), fold_case("C:/repo/a.txt"));
    assert_eq!(fold_case("C:/ΣΑΣ"), fold_case("C:/σας"));
    assert_ne!(fold_case("C:/a"), fold_case("C:/b"));
}

// Goal: only what looks like an alias is asked about, and with its whole path.
#[test]
fn short_names_expand() {
    let known = |path: &str| (path == "C:/PROGRA~1").then(|| "Program Files".to_string());
    assert_eq!(expand_short_names("C:/PROGRA~1/a", known), "C:/Program Files/a");
    assert_eq!(expand_short_names("C:/x/PROGRA~1", known), "C:/x/PROGRA~1");
    for name in ["A~1", "LONGER~1.TXT", "ABCDE~12"] {
        assert!(is_short_name(name), "{name}");
    }
    for name in ["a.txt", "~", "backup~", "toolong~1", "A~1.text", "A~1.a.b", "~b", ".bak~1x"] {
        assert!(!is_short_name(name), "{name}");
    }
}
