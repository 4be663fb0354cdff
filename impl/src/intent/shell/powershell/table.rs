//! The commands of the shell: what they take, and what they write.

use super::parameters::{COMMON, CONTENT, COPY, CSV, FILTER, LIST, LOCATION, SELECT, WEB};
use std::collections::HashMap;
use std::sync::LazyLock;

/// How a parameter names what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A name, taken as it stands.
    Name,
    /// A name that may have wildcards, of files that are there.
    Pattern,
    /// A directory in which anything may be written.
    Tree,
}

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// It yields nothing.
    Silent,
    /// It yields what it gets.
    Pass,
    /// It writes what these parameters name.
    Writes(&'static [(&'static str, Form)]),
    /// It copies.
    Copy,
    /// It moves.
    Move,
    /// It removes.
    Remove,
    /// It renames.
    Rename,
    /// It makes a file, a directory or a link.
    Make,
    /// It unpacks an archive.
    Unpack,
    /// It packs an archive.
    Pack,
    /// It fetches files.
    Transfer,
    /// It goes to a directory.
    Enter,
    /// It goes to a directory, and keeps where it came from.
    Push,
    /// It goes back.
    Pop,
    /// It tells where it is.
    Where,
    /// It lists files.
    List,
    /// It finds one file.
    Get,
    /// It follows a block for each value.
    ForEach,
    /// It filters values.
    Filter,
    /// It picks parts of values.
    Select,
    /// It puts a path together.
    Join,
    /// It takes a path apart.
    Split,
    /// It makes a path absolute.
    Resolve,
    /// It yields its arguments.
    Echo,
    /// It starts a program.
    Start,
    /// It follows a text as a script.
    Evaluate,
    /// It follows a block.
    Block,
    /// It gives a command another name.
    Alias,
    /// It sets a variable.
    Variable,
    /// It makes an object of a class.
    Object,
}

/// A command. Its parameters are written as `Name=Alias`, with `!` behind those that take no value.
#[derive(Debug)]
pub(super) struct Cmdlet {
    /// Its names; the first says what it does.
    pub names: &'static [&'static str],
    /// Its parameters.
    pub parameters: &'static str,
    /// The parameters that arguments without a name go to, in order.
    pub positions: &'static str,
    /// The parameter that takes what comes down the pipeline.
    pub piped: &'static str,
    /// What it does.
    pub action: Action,
}

const PATH: &[(&str, Form)] = &[("Path", Form::Pattern), ("LiteralPath", Form::Name)];
const NAME: &[(&str, Form)] = &[("Path", Form::Name), ("LiteralPath", Form::Name)];
const FILE: &[(&str, Form)] = &[("FilePath", Form::Name), ("LiteralPath", Form::Name)];
const OUT_FILE: &[(&str, Form)] = &[("OutFile", Form::Name)];
const TREE: &[(&str, Form)] = &[("Path", Form::Tree), ("LiteralPath", Form::Tree)];
const HELP: &[(&str, Form)] = &[("DestinationPath", Form::Tree), ("LiteralPath", Form::Tree)];

const fn cmdlet(
    names: &'static [&'static str],
    parameters: &'static str,
    positions: &'static str,
    piped: &'static str,
    action: Action,
) -> Cmdlet {
    Cmdlet { names, parameters, positions, piped, action }
}

/// All commands that the shell itself has.
static CMDLETS: &[Cmdlet] = &[
    cmdlet(&["Set-Content", "sc"], CONTENT, "Path Value", "Value", Action::Writes(PATH)),
    cmdlet(&["Add-Content", "ac"], CONTENT, "Path Value", "Value", Action::Writes(PATH)),
    cmdlet(&["Clear-Content", "clc"], CONTENT, "Path", "LiteralPath", Action::Writes(PATH)),
    cmdlet(
        &["Out-File"],
        "FilePath=Path LiteralPath=PSPath=LP Encoding Width InputObject Append! Force! \
         NoClobber=NoOverwrite! NoNewline!",
        "FilePath Encoding",
        "InputObject",
        Action::Writes(FILE),
    ),
    cmdlet(
        &["Tee-Object", "tee"],
        "FilePath=Path LiteralPath=PSPath=LP Variable InputObject Encoding Append!",
        "FilePath",
        "InputObject",
        Action::Writes(FILE),
    ),
    cmdlet(&["Export-Csv", "epcsv"], CSV, "Path Delimiter", "InputObject", Action::Writes(NAME)),
    cmdlet(&["Export-Clixml"], CSV, "Path", "InputObject", Action::Writes(NAME)),
    cmdlet(
        &["Export-Alias", "epal"],
        "Path LiteralPath=PSPath=LP Name As Scope Description PassThru! Append! Force! NoClobber!",
        "Path Name",
        "",
        Action::Writes(NAME),
    ),
    cmdlet(
        &["Export-Certificate", "Export-PfxCertificate"],
        "FilePath Cert PFXData Password Type ChainOption NoProperties! Force! NoClobber! \
         CryptoAlgorithmOption ProtectTo",
        "",
        "Cert",
        Action::Writes(FILE),
    ),
    cmdlet(
        &["Start-Transcript"],
        "Path LiteralPath=PSPath=LP OutputDirectory Append! Force! NoClobber! \
         IncludeInvocationHeader! UseMinimalHeader!",
        "Path",
        "",
        Action::Writes(NAME),
    ),
    cmdlet(
        &["New-ModuleManifest", "Update-ModuleManifest", "New-ScriptFileInfo"],
        "Path RootModule Author CompanyName Copyright Description ModuleVersion Guid Tags \
         NestedModules RequiredModules FunctionsToExport CmdletsToExport AliasesToExport \
         PowerShellVersion ProjectUri LicenseUri Version PassThru! Force!",
        "Path",
        "",
        Action::Writes(NAME),
    ),
    cmdlet(
        &["Save-Module", "Save-Script", "Save-Package", "Save-PSResource"],
        "Name Path LiteralPath=PSPath RequiredVersion MinimumVersion MaximumVersion Version \
         Repository Credential InputObject Force! AllowPrerelease! AcceptLicense! Prerelease! \
         TrustRepository! Source ProviderName",
        "Name Path",
        "InputObject",
        Action::Writes(TREE),
    ),
    cmdlet(
        &["Save-Help"],
        "DestinationPath=Path LiteralPath=PSPath Module FullyQualifiedModule UICulture \
         Credential Force! Scope",
        "DestinationPath Module UICulture",
        "",
        Action::Writes(HELP),
    ),
    cmdlet(
        &["Set-AuthenticodeSignature"],
        "FilePath=Path LiteralPath=PSPath Certificate IncludeChain TimestampServer HashAlgorithm \
         Force!",
        "FilePath Certificate",
        "FilePath",
        Action::Writes(FILE),
    ),
    cmdlet(
        &["Protect-CmsMessage"],
        "To Content OutFile Path LiteralPath=PSPath",
        "To Content OutFile",
        "Content",
        Action::Writes(OUT_FILE),
    ),
    cmdlet(
        &["Invoke-WebRequest", "iwr", "curl", "wget"],
        WEB,
        "Uri",
        "Body",
        Action::Writes(OUT_FILE),
    ),
    cmdlet(&["Invoke-RestMethod", "irm"], WEB, "Uri", "Body", Action::Writes(OUT_FILE)),
    cmdlet(&["Copy-Item", "copy", "cp", "cpi"], COPY, "Path Destination", "Path", Action::Copy),
    cmdlet(&["Move-Item", "move", "mv", "mi"], COPY, "Path Destination", "Path", Action::Move),
    cmdlet(
        &["Remove-Item", "del", "erase", "rd", "ri", "rm", "rmdir"],
        "Path LiteralPath=PSPath=LP Filter Include Exclude Stream Credential Recurse! Force! \
         UseTransaction!",
        "Path",
        "Path",
        Action::Remove,
    ),
    cmdlet(
        &["Rename-Item", "ren", "rni"],
        "Path LiteralPath=PSPath=LP NewName Credential Force! PassThru! UseTransaction!",
        "Path NewName",
        "Path",
        Action::Rename,
    ),
    cmdlet(
        &["New-Item", "ni"],
        "Path Name ItemType=Type Value=Target Credential Force! UseTransaction! Options",
        "Path",
        "Value",
        Action::Make,
    ),
    cmdlet(&["mkdir", "md"], "Path Name Value Force! Credential", "Path", "", Action::Make),
    cmdlet(
        &["Expand-Archive"],
        "Path LiteralPath=PSPath DestinationPath Force! PassThru!",
        "Path DestinationPath",
        "Path",
        Action::Unpack,
    ),
    cmdlet(
        &["Compress-Archive"],
        "Path LiteralPath=PSPath DestinationPath CompressionLevel Update! Force! PassThru!",
        "Path DestinationPath",
        "Path",
        Action::Pack,
    ),
    cmdlet(
        &["Start-BitsTransfer"],
        "Source Destination DisplayName Description Priority TransferType Credential ProxyUsage \
         Asynchronous! Dynamic! RetryInterval RetryTimeout CustomHeaders Authentication Suspended!",
        "Source Destination",
        "",
        Action::Transfer,
    ),
    cmdlet(&["Set-Location", "cd", "chdir", "sl"], LOCATION, "Path", "Path", Action::Enter),
    cmdlet(&["Push-Location", "pushd"], LOCATION, "Path", "Path", Action::Push),
    cmdlet(&["Pop-Location", "popd"], LOCATION, "", "", Action::Pop),
    cmdlet(
        &["Get-Location", "gl", "pwd"],
        "PSProvider PSDrive Stack! StackName",
        "",
        "",
        Action::Where,
    ),
    cmdlet(&["Get-ChildItem", "gci", "dir", "ls"], LIST, "Path Filter", "Path", Action::List),
    cmdlet(&["Get-Item", "gi"], LIST, "Path", "Path", Action::Get),
    cmdlet(
        &["Resolve-Path", "rvpa", "Convert-Path", "cvpa"],
        "Path LiteralPath=PSPath=LP Relative! RelativeBasePath Credential Force!",
        "Path",
        "Path",
        Action::Resolve,
    ),
    cmdlet(
        &["Join-Path"],
        "Path=PSPath ChildPath AdditionalChildPath Resolve! Credential",
        "Path ChildPath AdditionalChildPath",
        "Path",
        Action::Join,
    ),
    cmdlet(
        &["Split-Path"],
        "Path LiteralPath=PSPath=LP Parent! Leaf! LeafBase! Extension! Qualifier! NoQualifier! \
         IsAbsolute! Resolve! Credential",
        "Path",
        "Path",
        Action::Split,
    ),
    cmdlet(
        &["ForEach-Object", "foreach", "%"],
        "Process Begin End RemainingScripts InputObject MemberName ArgumentList=Args Parallel \
         ThrottleLimit TimeoutSeconds AsJob! UseNewRunspace!",
        "Process",
        "InputObject",
        Action::ForEach,
    ),
    cmdlet(
        &["Where-Object", "where", "?"],
        FILTER,
        "FilterScript Value",
        "InputObject",
        Action::Filter,
    ),
    cmdlet(&["Select-Object", "select"], SELECT, "Property", "InputObject", Action::Select),
    cmdlet(&["Sort-Object", "sort"], SELECT, "Property", "InputObject", Action::Pass),
    cmdlet(&["Get-Unique", "gu"], SELECT, "", "InputObject", Action::Pass),
    cmdlet(
        &["Write-Output", "echo", "write"],
        "InputObject NoEnumerate!",
        "InputObject",
        "InputObject",
        Action::Echo,
    ),
    cmdlet(&["Out-Null"], "InputObject", "InputObject", "InputObject", Action::Silent),
    cmdlet(
        &["Start-Process", "saps", "start"],
        "FilePath=PSPath=Path ArgumentList=Args WorkingDirectory RedirectStandardOutput=RSO \
         RedirectStandardError=RSE RedirectStandardInput=RSI Verb WindowStyle Credential Wait! \
         NoNewWindow=nnw! PassThru! LoadUserProfile=Lup! UseNewEnvironment! Environment",
        "FilePath ArgumentList",
        "",
        Action::Start,
    ),
    cmdlet(&["Invoke-Expression", "iex"], "Command", "Command", "Command", Action::Evaluate),
    cmdlet(
        &["Invoke-Command", "icm", "Measure-Command", "Start-Job", "sajb", "Start-ThreadJob"],
        "ScriptBlock=Expression=Command ArgumentList=Args ComputerName=Cn Session HostName VMName \
         ContainerId FilePath InputObject Name Credential AsJob! NoNewScope! Port UserName \
         KeyFilePath InitializationScript WorkingDirectory ThrottleLimit StreamingHost",
        "ScriptBlock",
        "InputObject",
        Action::Block,
    ),
    cmdlet(
        &["Set-Alias", "sal", "New-Alias", "nal"],
        "Name Value Description Option Scope Force! PassThru!",
        "Name Value",
        "",
        Action::Alias,
    ),
    cmdlet(
        &["Set-Variable", "sv", "New-Variable", "nv"],
        "Name Value Description Option Scope Visibility Include Exclude Force! PassThru!",
        "Name Value",
        "Value",
        Action::Variable,
    ),
    cmdlet(
        &["New-Object"],
        "TypeName ArgumentList=Args ComObject Property Strict!",
        "TypeName ArgumentList",
        "",
        Action::Object,
    ),
];

/// A parameter: all its names, the full one first, and whether it takes no value.
type Row = (Vec<&'static str>, bool);

/// A command with its parameters.
#[derive(Debug)]
pub(super) struct Known {
    /// The command.
    pub cmdlet: &'static Cmdlet,
    /// Its parameters, and after them those that all commands have.
    pub rows: Vec<Row>,
}

/// The command of a name in small letters.
pub(super) fn find(name: &str) -> Option<&'static Known> {
    static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
        let row = |row: &'static str| {
            let switch = row.ends_with('!');
            (row.trim_end_matches('!').split('=').collect(), switch)
        };
        let known = CMDLETS.iter().map(|cmdlet| {
            let words = cmdlet.parameters.split_whitespace().chain(COMMON.split_whitespace());
            Known { cmdlet, rows: words.map(row).collect() }
        });
        known.collect()
    });
    static NAMES: LazyLock<HashMap<String, &Known>> = LazyLock::new(|| {
        let mut names = HashMap::new();
        for known in KNOWN.iter() {
            for name in known.cmdlet.names {
                names.insert(name.to_lowercase(), known);
            }
        }
        names
    });
    NAMES.get(name).copied()
}
