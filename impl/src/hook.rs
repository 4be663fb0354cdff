//! The hook: one tool call or life-cycle event of a client, from the payload to the reply.
//!
//! Data flows one way: payload → event → intent → resources → store → decision → reply.
//!
//! R15: a call that writes and cannot be judged is denied with one sentence. A hook before a tool
//! call ends with 0 or 2, whatever happens: clients let the call go ahead after any other code.
//! A life-cycle event ends with 0, whatever happens. A panic and a passed deadline are answers too.

mod args;
mod caller;
mod judge;
mod life_cycle;
mod watchdog;

use std::io;
use std::panic;
use std::process;
use std::time::{Duration, Instant};

pub use args::HookArgs;

use crate::client::{Client, Reply};
use crate::clock::{Clock as _, SystemClock};
use crate::counter::Entry;
use crate::decision::Decision;
use crate::event::{Event, Kind};
use crate::payload::{self, Payload};
use crate::settings::{HOOK_DEADLINE, OnError, Settings};
use crate::text::printable;

/// Codex kills the hook of an interrupt after one second.
const INTERRUPT_DEADLINE: Duration = Duration::from_millis(600);
/// Claude Code kills the hook of a session's end after one and a half.
const SESSION_END_DEADLINE: Duration = Duration::from_secs(1);
/// What a message shows of an error's text, in characters.
const DETAIL_CHARS_MAX: usize = 400;

/// Answers one call of the hook and ends the process.
pub fn run(args: &HookArgs) -> ! {
    let started = Instant::now();
    // Until the payload says more, the event is the one that the command line names; a hook without
    // one may stand before a write.
    let named = args.event.as_deref().filter(|name| !name.is_empty()).map(Kind::of);
    let kind = named.unwrap_or(Kind::PreTool);
    answer_panics(kind, args.client.unwrap_or_default());
    let settings = Settings::from_env();
    let deadline = settings.as_ref().map_or(HOOK_DEADLINE, |settings| settings.deadline);
    watchdog::start(bounded(kind, deadline), too_late(kind, args.client, settings.as_ref().ok()));

    let mut entry = Entry { event: "hook", outcome: "no-write", ..Entry::default() };
    let reply = match &settings {
        Ok(settings) => answer(args, settings, started, &mut entry),
        Err(error) => {
            // Another setting that cannot be used does not make this one unread.
            refuse(kind, args.client.unwrap_or_default(), &error.to_string(), OnError::from_env())
        }
    };
    let exit = watchdog::answer(&reply);
    if let Ok(settings) = &settings {
        log(entry, settings, started);
    }
    process::exit(exit)
}

/// The reply to the payload on standard input.
fn answer(args: &HookArgs, settings: &Settings, started: Instant, entry: &mut Entry) -> Reply {
    let named = args.event.as_deref().filter(|name| !name.is_empty());
    let bytes = payload::read(&mut io::stdin().lock());
    let parsed = bytes
        .as_ref()
        .map_err(ToString::to_string)
        .and_then(|bytes| Payload::parse(bytes).map_err(|error| error.to_string()));
    let payload = match parsed {
        Ok(payload) => payload,
        Err(why) => {
            let guessed = bytes.ok().and_then(|bytes| payload::guess_event(&bytes));
            let name = named.or(guessed.as_deref());
            let kind = name.map_or(Kind::PreTool, Kind::of);
            entry.outcome = "error";
            entry.note = Some(why.clone());
            return refuse(kind, args.client.unwrap_or_default(), &why, settings.on_error);
        }
    };
    let event = Event::of(&payload, named, args.client);
    let client = event.client;
    describe(entry, &event);
    let time_left = |kind| bounded(kind, settings.deadline).saturating_sub(started.elapsed());
    if event.kind != Kind::PreTool {
        return match life_cycle::live(&event, settings, time_left(event.kind), entry) {
            Ok(None) => client.allow(),
            Ok(Some(told)) => client.inform(&event.name, &told),
            Err(why) => {
                entry.outcome = "error";
                entry.note = Some(why.clone());
                refuse(event.kind, client, &why, settings.on_error)
            }
        };
    }
    match judge::judge(&event, settings, time_left(event.kind), entry) {
        Ok(Decision::Allow) => client.allow(),
        Ok(Decision::AllowWith { warning }) => client.warn(&format!("leasehold: {warning}")),
        Ok(Decision::Deny { reason }) => client.deny(&event.name, &reason),
        Err(why) => {
            entry.note = Some(why.clone());
            refuse(Kind::PreTool, client, &why, settings.on_error)
        }
    }
}

/// The answer to what cannot be judged.
fn refuse(kind: Kind, client: Client, why: &str, on_error: OnError) -> Reply {
    let why = printable(why, DETAIL_CHARS_MAX);
    if kind.is_life_cycle() {
        return client.warn(&format!("leasehold: {why}"));
    }
    match on_error {
        OnError::Deny => {
            client.deny("PreToolUse", &format!("leasehold: this call was stopped: {why}"))
        }
        OnError::Allow => client.warn(&format!("leasehold: this call goes ahead unguarded: {why}")),
    }
}

/// The reply that the watchdog gives.
fn too_late(kind: Kind, client: Option<Client>, settings: Option<&Settings>) -> Reply {
    let on_error = settings.map_or_else(OnError::from_env, |settings| settings.on_error);
    let why = "no answer within the deadline (LEASEHOLD_DEADLINE_MS): the payload did not end, or \
               the disk or the lease database is very slow; try again";
    refuse(kind, client.unwrap_or_default(), why, on_error)
}

/// The deadline of an event: some clients kill the hooks of some events early.
fn bounded(kind: Kind, deadline: Duration) -> Duration {
    match kind {
        Kind::Interrupt => deadline.min(INTERRUPT_DEADLINE),
        Kind::SessionEnd => deadline.min(SESSION_END_DEADLINE),
        _ => deadline,
    }
}

/// A panic ends the process with the code that the client obeys, and a text.
fn answer_panics(kind: Kind, client: Client) {
    panic::set_hook(Box::new(move |panic| {
        let why = format!("an internal error ({panic}); please report it");
        let reply = refuse(kind, client, &why, OnError::from_env());
        // After the answer is out, a fault in what comes after it changes nothing.
        process::exit(watchdog::answer(&reply));
    }));
}

fn describe(entry: &mut Entry, event: &Event) {
    entry.session.clone_from(&event.session);
    entry.epoch = Some(event.epoch.clone());
    entry.client = Some(event.client.label());
    entry.agent = Some(event.client.label().to_owned());
    entry.tool = event.tool.as_ref().map(|tool| tool.name.clone());
}

/// Counts the call, unless it could not have written: readers are free (R16).
fn log(mut entry: Entry, settings: &Settings, started: Instant) {
    if entry.event == "reader" {
        return;
    }
    #[expect(clippy::cast_precision_loss, reason = "exact up to the year 287396")]
    let seconds = SystemClock.now_ms() as f64 / 1000.0;
    entry.ts = seconds;
    entry.ms = Some(started.elapsed().as_secs_f64() * 1000.0);
    entry.append(&settings.counter);
}
