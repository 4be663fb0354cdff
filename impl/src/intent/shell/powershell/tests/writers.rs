//! The commands that write.

use super::{Fake, Site, check, read, unix, windows, written};
use crate::intent::shell::place::{Place, Style};

#[test]
fn public_cases() {
    check(&[
        (
            "Set-Content file.txt \"data\"\n'x' | Out-File -Append -FilePath logs\\a.log\n\
             Get-Date >> append.txt\nac notes.md y\nCopy-Item a.txt -Destination b.txt",
            "file.txt|logs\\a.log|append.txt|notes.md|b.txt",
        ),
        (
            "gh issue list --state open 2>$null; chezmoi managed | Select-String -Pattern claude \
             2> $NULL; git grep tee; Get-Command Set-Content; if (3 -gt 2) { 'a > b' }; \
             Get-ChildItem *>&1 | Out-Null",
            "",
        ),
        (
            "Get-ChildItem -Path . -Recurse -Include *.pyc,*.pyo | Remove-Item -Force; \
             Move-Item -LiteralPath 'old [1].txt' -Destination new.txt -Force",
            "src\\x.pyc|src\\sub\\z.pyo|old [1].txt|new.txt",
        ),
    ]);
}

#[test]
fn contents() {
    check(&[
        ("Set-Content a.txt x", "a.txt"),
        ("set-content -path a.txt -value x", "a.txt"),
        ("Set-Content -Pa:a.txt x", "a.txt"),
        ("Set-Content x -Value:y", "x"),
        ("sc a.txt x", "a.txt"),
        ("sc query spooler", ""),
        ("sc.exe config foo", ""),
        ("'x' | Set-Content a.txt", "a.txt"),
        ("Set-Content a.txt,b.txt x", "a.txt|b.txt"),
        ("Set-Content a.txt, b.txt x", "a.txt|b.txt"),
        ("Set-Content *.txt x", "a.txt|b.txt|old [1].txt"),
        ("Set-Content *.none x", ""),
        ("Set-Content -LiteralPath 'q[1].txt' x", "q[1].txt"),
        ("Set-Content 'old `[1`].txt' x", "old [1].txt"),
        ("Set-Content -LiteralPath f.txt data", "f.txt"),
        ("Set-Content a.txt x -WhatIf", ""),
        ("Set-Content a.txt x -WhatIf:$false", "a.txt"),
        ("Set-Content a.txt x y z", ""),
        ("Set-Content -Nope a.txt x", ""),
        ("Get-Command Set-Content", ""),
        ("Get-Help Out-File -Full", ""),
        ("Set-Content Env:X y", ""),
        ("Set-Content Function:f y", ""),
        ("Set-Content HKLM:\\Software\\x y", ""),
        ("Set-Content out x", ""),
        ("Set-Content D:\\data\\x.txt y", "D:\\data\\x.txt"),
        ("Set-Content C:rel.txt y", "rel.txt"),
        ("Set-Content a.txt:stream y", "a.txt"),
        ("Set-Content FileSystem::C:\\repo\\z.txt y", "z.txt"),
        ("Set-Content $unknown y", ""),
        ("Set-Content \"$unknown\\x\" y", ""),
        ("Set-Content $PSScriptRoot\\x.txt y", ""),
        ("Set-Content $PWD\\x.txt y", "x.txt"),
        ("Set-Content ~\\x.txt y", "C:\\Users\\me\\x.txt"),
        ("Set-Content $HOME/x.txt y", "C:\\Users\\me\\x.txt"),
        ("Set-Content \"$env:USERPROFILE\\x.txt\" y", "C:\\Users\\me\\x.txt"),
        ("Set-Content $env:TEMP\\x.txt y", ""),
        ("Microsoft.PowerShell.Management\\Set-Content a.txt x", "a.txt"),
        ("Set-Content sub/dir/f.txt x", "sub\\dir\\f.txt"),
        ("Add-Content a.txt x", "a.txt"),
        ("Clear-Content a.txt", "a.txt"),
        ("clc b.txt", "b.txt"),
        ("gci *.txt | Clear-Content", "a.txt|b.txt|old [1].txt"),
        ("Get-Content a.txt", ""),
        ("cat a.txt | Select-String x", ""),
        ("Set-Item a.txt x", ""),
        ("Set-ItemProperty a.txt IsReadOnly $true", ""),
        ("Get-Content a.txt | ForEach-Object { $_ -replace 'a','b' } | Set-Content b.txt", "b.txt"),
        ("(Get-Content a.txt) -replace 'x','y' | Set-Content a.txt", "a.txt"),
    ]);
}

#[test]
fn output() {
    check(&[
        ("ls | Out-File x.txt", "x.txt"),
        ("ls | Out-File -Path x.txt", "x.txt"),
        ("ls | Out-File -Encoding utf8 x.txt", "x.txt"),
        ("ls | Out-File x.txt utf8", "x.txt"),
        ("ls | Out-Null", ""),
        ("ls | Out-String", ""),
        ("ls | Tee-Object x.txt", "x.txt"),
        ("ls | tee x.txt | sort", "x.txt"),
        ("ls | tee -Variable v", ""),
        ("Get-Process | Export-Csv p.csv -NoTypeInformation", "p.csv"),
        ("Get-Process | epcsv p.csv", "p.csv"),
        ("Get-Process | Export-Clixml -Path p.xml", "p.xml"),
        ("Get-Process | ConvertTo-Json | Out-File p.json", "p.json"),
        ("Get-Process | ConvertTo-Json", ""),
        ("Start-Transcript -Path t.log", "t.log"),
        ("Invoke-WebRequest http://x/y -OutFile y.zip", "y.zip"),
        ("iwr -Uri http://x/y -O y.zip", "y.zip"),
        ("iwr http://x/y", ""),
        ("curl http://x -OutFile y", "y"),
        ("wget http://x -OutFile y", "y"),
        ("curl -o f http://x", ""),
        ("Invoke-RestMethod http://x -OutFile r.json", "r.json"),
        ("Start-BitsTransfer -Source http://x/y.zip -Destination z.zip", "z.zip"),
        ("Start-BitsTransfer http://x/y.zip out", "out\\y.zip"),
        ("Save-Module Pester -Path mods", "T mods"),
        ("New-ModuleManifest -Path m.psd1", "m.psd1"),
        ("Expand-Archive a.zip -DestinationPath un", "T un"),
        ("Expand-Archive a.zip un", "T un"),
        ("Expand-Archive dl\\pkg.zip", "T pkg"),
        ("Compress-Archive src -DestinationPath s.zip", "s.zip"),
        ("Compress-Archive src s", "s.zip"),
    ]);
}

#[test]
fn items() {
    check(&[
        ("Copy-Item a.txt b.txt", "b.txt"),
        ("copy a.txt out", "out\\a.txt"),
        ("cp a.txt new\\", "new\\a.txt"),
        ("cpi a.txt,b.txt -Destination out", "out\\a.txt|out\\b.txt"),
        ("Copy-Item *.txt out", "out\\a.txt|out\\b.txt|out\\old [1].txt"),
        ("Copy-Item src out", ""),
        ("Copy-Item src out -Recurse", "T out\\src"),
        ("Copy-Item src fresh -Recurse", "T fresh"),
        ("Copy-Item src\\* out -Recurse", "out\\x.pyc|out\\y.py|T out\\sub"),
        ("Copy-Item D:\\data\\one.csv", "one.csv"),
        ("Copy-Item $x b.txt", "b.txt"),
        ("Copy-Item a.txt $x", ""),
        ("Copy-Item a.txt b.txt -WhatIf", ""),
        ("cp -r src out", "T out\\src"),
        ("Move-Item a.txt z.txt", "a.txt|z.txt"),
        ("mv a.txt out", "a.txt|out\\a.txt"),
        ("Move-Item src lib", "T src|T lib"),
        ("mi -Path a.txt -Dest out\\q.txt", "a.txt|out\\q.txt"),
        ("Rename-Item a.txt z.txt", "a.txt|z.txt"),
        ("ren src\\y.py z.py", "src\\y.py|src\\z.py"),
        ("rni -Path src -NewName lib", "T src|T lib"),
        ("Rename-Item $x z.txt", ""),
        ("gci *.log | Rename-Item -NewName { $_.Name -replace '\\.log$','.old' }", "c.log|c.old"),
        ("gci *.log | Rename-Item -NewName { $_.BaseName + '.bak' }", "c.log|c.bak"),
        ("Remove-Item a.txt", "a.txt"),
        ("del a.txt", "a.txt"),
        ("rm a.txt, b.txt -Force", "a.txt|b.txt"),
        ("ri *.log", "c.log"),
        ("Remove-Item src -Recurse -Force", "T src"),
        ("rmdir -Recurse src", "T src"),
        ("rm -r src", "T src"),
        ("Remove-Item out", "out"),
        ("Remove-Item Env:FOO", ""),
        ("Remove-Item Alias:cp", ""),
        ("Remove-Item a.txt -WhatIf", ""),
        ("Remove-Item a.txt b.txt", ""),
        ("Remove-Item * -Include *.log", "c.log"),
        ("Remove-Item * -Exclude *.txt,src,out", "c.log|src\\sub|src\\x.pyc|src\\y.py"),
        ("'a.txt','b.txt' | Remove-Item", "a.txt|b.txt"),
        ("New-Item n.txt", "n.txt"),
        ("New-Item -ItemType File -Path src -Name n.txt", "src\\n.txt"),
        ("ni n.txt -Value x", "n.txt"),
        ("New-Item -ItemType Directory d", ""),
        ("New-Item d -Type directory -Force | Out-Null", ""),
        ("New-Item -ItemType SymbolicLink -Path l -Target a.txt", "l"),
        ("Copy-Item build\\* dist -Recurse", "T dist"),
        ("Remove-Item build\\*.o", "T build"),
        ("Remove-Item src\\*.o", ""),
        ("mkdir d", ""),
        ("mkdir d; Copy-Item a.txt d", "d\\a.txt"),
        ("New-Item d -ItemType Directory; mv a.txt d", "a.txt|d\\a.txt"),
        ("md d; cd d; ni f", "d\\f"),
    ]);
}

#[test]
fn pipelines() {
    check(&[
        ("Get-ChildItem *.txt | Remove-Item", "a.txt|b.txt|old [1].txt"),
        ("gci -Filter *.log | ri", "c.log"),
        ("gci . *.log | ri", "c.log"),
        ("ls src -r -File | rm", "src\\x.pyc|src\\y.py|src\\sub\\z.pyo"),
        ("gci *.pyc -Recurse | Remove-Item", "src\\x.pyc"),
        ("gci src -Recurse | ? { $_.Extension -eq '.py' } | Remove-Item", "src\\y.py"),
        ("gci src -Recurse | where Name -like '*.py' | Remove-Item", "src\\y.py"),
        ("gci src | ? { !$_.PSIsContainer } | rm", "src\\x.pyc|src\\y.py"),
        ("gci src -File | ForEach-Object { Remove-Item $_ }", "src\\x.pyc|src\\y.py"),
        ("gci src -File | % { rm $_.FullName }", "src\\x.pyc|src\\y.py"),
        ("gci src -File | % { sc ($_.FullName + '.bak') x }", "src\\x.pyc.bak|src\\y.py.bak"),
        ("gci src -File | % { $_.Delete() }", "src\\x.pyc|src\\y.py"),
        ("gci src -File | % Delete", "src\\x.pyc|src\\y.py"),
        ("gci src -File | % FullName | rm", "src\\x.pyc|src\\y.py"),
        ("gci src -File | Select-Object -ExpandProperty FullName | rm", "src\\x.pyc|src\\y.py"),
        ("gci gone -Recurse | Remove-Item", "T gone"),
        ("gci $x -Recurse | Remove-Item", ""),
        ("gci src -Recurse -Include $x | Remove-Item", "T src"),
        ("gci src -Include *.py | Remove-Item", ""),
        ("gci src | Sort-Object Name | Select-Object -First 1", ""),
        ("gci D:\\data\\*.csv | Copy-Item -Destination out", "out\\one.csv"),
        (
            "gci D:\\data -Filter *.csv | Move-Item -Destination out",
            "D:\\data\\one.csv|out\\one.csv",
        ),
        ("$old = gci *.log; $old | Remove-Item", "c.log"),
        ("foreach ($f in gci *.log) { Remove-Item $f.FullName }", "c.log"),
        ("Get-Item a.txt | Remove-Item", "a.txt"),
        ("(Get-Item a.txt).Delete()", "a.txt"),
        ("Get-Content list.txt | Remove-Item", ""),
        ("1..3 | % { Set-Content \"f$_.txt\" x }", "f1.txt|f2.txt|f3.txt"),
        ("1..3 | ForEach-Object { Get-Date } | Out-File d.txt", "d.txt"),
        ("'p','q' | ForEach-Object -Process { ni \"$_.md\" }", "p.md|q.md"),
    ]);
}

#[test]
fn classes() {
    check(&[
        ("[IO.File]::WriteAllText('f.txt', 'x')", "f.txt"),
        ("[System.IO.File]::WriteAllLines(\"$PWD\\f.txt\", $l)", "f.txt"),
        ("[IO.File]::ReadAllText('f.txt')", ""),
        ("[IO.File]::WriteAllText($unknown, 'x')", ""),
        ("$p = 'f.txt'; [io.file]::AppendAllText($p, 'x')", "f.txt"),
        ("[IO.File]::Delete('a.txt')", "a.txt"),
        ("[IO.File]::Copy('a.txt', 'q.txt', $true)", "q.txt"),
        ("[IO.File]::Move('a.txt', 'q.txt')", "a.txt|q.txt"),
        ("cd src; [IO.File]::WriteAllText('f.txt', 'x'); sc g.txt x", "f.txt|src\\g.txt"),
        ("[IO.File]::Open('f.txt', 'Open', 'Read')", ""),
        ("[IO.File]::Open('f.txt', 'Create')", "f.txt"),
        ("$w = [IO.StreamWriter]::new('f.txt')", "f.txt"),
        ("$w = New-Object System.IO.StreamWriter 'f.txt'", "f.txt"),
        ("(New-Object Net.WebClient).DownloadFile('http://x', 'd.bin')", "d.bin"),
        ("[IO.Compression.ZipFile]::ExtractToDirectory('a.zip', 'un')", "T un"),
        ("[IO.Directory]::Delete('src', $true)", "T src"),
        ("[IO.Directory]::CreateDirectory('d')", ""),
        ("[IO.File]::WriteAllText([IO.Path]::Combine($PWD, 'q', 'f.txt'), 'x')", "q\\f.txt"),
        ("$doc = [xml](Get-Content a.xml); $doc.Save('b.xml')", "b.xml"),
        ("[Console]::WriteLine('a > b')", ""),
    ]);
}

#[test]
fn slashes() {
    let rows = [
        ("Set-Content a.txt x", vec!["a.txt"]),
        ("Set-Content sub\\a.txt x", vec!["sub/a.txt"]),
        ("Set-Content ~/x y", vec!["/home/me/x"]),
        ("echo x > out/y", vec!["out/y"]),
        ("echo x > /dev/null", vec![]),
        ("Copy-Item a.txt out", vec!["out/a.txt"]),
        ("Set-Content $HOME/x y", vec!["/home/me/x"]),
        ("Set-Content (Join-Path $PWD q f) y", vec!["q/f"]),
        ("gci *.txt | Remove-Item", vec!["a.txt", "b.txt"]),
        ("rm a.txt", vec![]),
    ];
    for (script, expected) in rows {
        assert_eq!(written(&unix(script), "/repo/"), expected, "{script}");
    }
}

#[test]
fn a_disk_that_tells_nothing() {
    let place = Place::new(Some("C:\\repo"), Style::Windows);
    let site = Site { place: &place, home: None, disk: &Fake::new(&[]) };
    let found = read("Get-ChildItem . -Recurse -Include *.pyc,*.pyo | Remove-Item -Force", &site);
    assert!(found.findings.files.is_empty());
    assert_eq!(found.findings.trees[0].path, "C:\\repo");
    assert!(found.findings.trees[0].words.contains("*.pyc"));
}

#[test]
fn words_and_rules() {
    let found = windows("gci gone -r -Include *.pyc | Remove-Item");
    let tree = &found.findings.trees[0];
    assert_eq!(tree.words, "gci gone -r -Include *.pyc | Remove-Item");
    assert_eq!(tree.rule, "Remove-Item");
    assert_eq!(windows("a > b").findings.files[0].rule, "redirection");
}
