//! The parameters that several commands have alike.

/// What all commands take.
pub(super) const COMMON: &str = "\
    Verbose=vb! Debug=db! ErrorAction=ea WarningAction=wa \
    InformationAction=infa ErrorVariable=ev WarningVariable=wv InformationVariable=iv \
    OutVariable=ov OutBuffer=ob PipelineVariable=pv ProgressAction=proga WhatIf=wi! Confirm=cf!";

/// What the commands take that write contents.
pub(super) const CONTENT: &str = "\
    Path LiteralPath=PSPath=LP Value Encoding Stream Filter Include Exclude \
    Credential PassThru! Force! NoNewline! AsByteStream! UseTransaction!";
/// What the commands take that copy and move.
pub(super) const COPY: &str = "\
    Path LiteralPath=PSPath=LP Destination Filter Include Exclude Credential \
    Recurse! Force! Container! PassThru! ToSession FromSession UseTransaction!";
/// What the commands take that find files.
pub(super) const LIST: &str = "\
    Path LiteralPath=PSPath=LP Filter Include Exclude Depth Attributes \
    Recurse=s! Force! Name! File=af! Directory=ad=d! Hidden=ah=h! ReadOnly=ar! System=as! \
    FollowSymlink! Credential Delimiter TotalCount=First=Head Tail=Last Encoding Raw! Wait! \
    ReadCount Stream AsByteStream!";
/// What the commands take that go elsewhere.
pub(super) const LOCATION: &str = "\
    Path LiteralPath=PSPath=LP StackName PassThru! UseTransaction!";
/// What the commands take that fetch from the web.
pub(super) const WEB: &str = "\
    Uri OutFile Method Headers Body ContentType UserAgent Credential Proxy \
    TimeoutSec InFile UseBasicParsing! UseDefaultCredentials! PassThru! Resume! SessionVariable=SV \
    WebSession MaximumRedirection DisableKeepAlive! SkipCertificateCheck! Certificate Form \
    Authentication Token SslProtocol MaximumRetryCount RetryIntervalSec ProxyCredential \
    AllowInsecureRedirect! CustomMethod=CM SkipHttpErrorCheck! SkipHeaderValidation! \
    NoProxy! ConnectionTimeoutSeconds OperationTimeoutSeconds HttpVersion TransferEncoding \
    FollowRelLink! MaximumFollowRelLink ResponseHeadersVariable=RHV StatusCodeVariable";
/// What the commands take that pick and sort.
pub(super) const SELECT: &str = "\
    Property InputObject ExcludeProperty ExpandProperty First Last Skip \
    SkipLast Index Unique! Wait! Descending! CaseSensitive! Culture Stable! Top Bottom";
/// What the command takes that filters.
pub(super) const FILTER: &str = "\
    FilterScript Property Value InputObject EQ! NE! Like! NotLike! Match! \
    NotMatch! GT! LT! GE! LE! Contains! NotContains! In! NotIn! Is! IsNot! Not! CEQ! CNE! CLike!";
/// What the commands take that export objects.
pub(super) const CSV: &str = "\
    Path LiteralPath=PSPath=LP Delimiter Encoding InputObject \
    NoTypeInformation=NTI! IncludeTypeInformation=ITI! Append! Force! NoClobber=NoOverwrite! \
    UseCulture! QuoteFields=QF UseQuotes=UQ NoHeader! Depth";
