//! Links the unwinder into the binary where the C compiler has it as an archive.
//!
//! `std` asks for `libgcc_s`, which is a shared library: to find, map and relocate it at every
//! start costs a hook call more than its decision does. The linker takes the first `libgcc_s` on
//! its search path, so a linker script of that name, which names the archives, is put in front.

use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let is_glibc = env::var("CARGO_CFG_TARGET_OS")? == "linux"
        && env::var("CARGO_CFG_TARGET_ENV")? == "gnu"
        && env::var("HOST")? == env::var("TARGET")?;
    if !is_glibc {
        return Ok(());
    }
    // The compiler answers with a full path if it has the file, else with the bare name. Without
    // the archives the binary is linked as usual.
    let archives = ["libgcc_eh.a", "libgcc.a"].map(full_path_of);
    if let [Some(unwinder), Some(runtime)] = archives {
        let folder = env::var("OUT_DIR")?;
        fs::write(
            Path::new(&folder).join("libgcc_s.so"),
            format!("GROUP ( \"{unwinder}\" \"{runtime}\" )\n"),
        )?;
        println!("cargo::rustc-link-arg-bins=-L{folder}");
    }
    Ok(())
}

fn full_path_of(archive: &str) -> Option<String> {
    let output = Command::new("cc").arg(format!("-print-file-name={archive}")).output().ok()?;
    let path = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    Path::new(&path).is_absolute().then_some(path)
}
