//! Operations and answers in words, for people who read a schedule or a fault.

use leasehold_model::{
    Busy, CallState, Context, End, Grant, Lease, Op, Outcome, Owner, Released, Resource, Running,
    ShellCall, Sighting,
};

/// An operation.
pub fn op(op: &Op) -> String {
    match op {
        Op::Open { boot } => format!("open, in {boot}"),
        Op::Acquire { owner, resources, trees, terms, call, context } => {
            let trees = if trees.is_empty() {
                String::new()
            } else {
                format!(", with the trees {}", paths(trees))
            };
            let call = call.as_ref().map(shell_call).unwrap_or_default();
            let (paths, owner, ttl_ms) = (paths(resources), name(owner), terms.ttl);
            format!("acquire {paths} for {owner}, {ttl_ms} ms{trees}{call}{}", known(context))
        }
        Op::Release { owner, hand_over: false } => format!("release {}", name(owner)),
        Op::Release { owner, hand_over: true } => {
            format!("release {} and what was migrated", name(owner))
        }
        Op::Begin { owner, context } => format!("begin {}{}", name(owner), known(context)),
        Op::SubagentStart { owner, context } => {
            format!("start {}{}", name(owner), known(context))
        }
        Op::Post { owner, resources, call, context } => {
            let call = call.as_ref().map(call_state).unwrap_or_default();
            format!("{} wrote {}{call}{}", name(owner), paths(resources), known(context))
        }
        Op::End { owner, how, context } => {
            format!("{} {}{}", end(how), name(owner), known(context))
        }
        Op::EndSession { session, context } => format!("end session {session}{}", known(context)),
        Op::Fate { process, standing } => format!("process {} is {standing:?}", process.0),
        Op::Check { resource } => format!("check {}", resource.path()),
        Op::CheckFence { resource, fence } => {
            format!("check {} with fence {}", resource.path(), fence.0)
        }
        Op::Reap => "reap".to_owned(),
        Op::OldUpsert(row) => {
            let (path, session) = (row.resource.path(), &row.session);
            format!("an old engine leases {path} for {session} until {}", row.expires)
        }
        Op::OldDelete { session } => format!("an old engine frees what {session} holds"),
    }
}

fn shell_call(ShellCall { id, background }: &ShellCall) -> String {
    format!(", in the {}shell call {id}", if *background { "background " } else { "" })
}

fn call_state((id, state): &(String, CallState)) -> String {
    match state {
        CallState::Ended => format!(", and its shell call {id} has ended"),
        CallState::GoesOn(Some(task)) => format!(", and its shell call {id} goes on as {task}"),
        CallState::GoesOn(None) => format!(", and its shell call {id} goes on"),
    }
}

fn end(how: &End) -> String {
    match how {
        End::Interrupt => "interrupt".to_owned(),
        End::Stop(None) => "stop".to_owned(),
        End::Stop(Some(Running { subagents, shells })) => {
            let all: Vec<&str> = subagents.iter().chain(shells).map(String::as_str).collect();
            let running = if all.is_empty() { "nothing".to_owned() } else { all.join(" and ") };
            format!("stop, while {running} still runs,")
        }
    }
}

/// An answer. What is rare is left as Rust prints it.
pub fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Opened { upgraded } => {
            if *upgraded { "opened, and upgraded" } else { "opened" }.to_owned()
        }
        Outcome::Acquired(grants) => format!("acquired {}", list(grants, grant)),
        Outcome::Reclaimed(grants, from) => {
            format!("acquired {}, reclaimed from {}", list(grants, grant), list(from, lease))
        }
        Outcome::Busy(Busy { holders }) => format!("busy: {}", list(holders, lease)),
        Outcome::Stale => "stale".to_owned(),
        Outcome::Held(holders) if holders.is_empty() => "free".to_owned(),
        Outcome::Held(holders) => format!("held: {}", list(holders, lease)),
        Outcome::FenceLeft(None) => "the fence does not stand".to_owned(),
        Outcome::FenceLeft(Some(left)) => format!("the fence stands for {left} ms"),
        Outcome::Released(Released::Count(count)) => format!("released {count}"),
        Outcome::Released(Released::EpochMismatch) => {
            "released nothing: the session holds leases of other epochs".to_owned()
        }
        Outcome::Released(Released::Absent) => "released nothing: there was nothing".to_owned(),
        Outcome::Reaped(count) => format!("reaped {count}"),
        Outcome::Done => "done".to_owned(),
        rare => format!("{rare:?}"),
    }
}

/// What was answered, and what would have been right: in words, and in full where words leave out
/// the difference.
pub fn beside(answer: &Outcome, right: &[Outcome]) -> String {
    let words = outcome(answer);
    let all: Vec<String> = right.iter().map(outcome).collect();
    let both = format!("\n  store: {words}\n  model: {}", all.join(", or "));
    if !all.contains(&words) {
        return both;
    }
    format!("{both}\n  in full\n  store: {answer:?}\n  model: {right:?}")
}

/// What is leased in some states of which one is right.
pub fn leases<'s>(states: impl IntoIterator<Item = &'s [Lease]>) -> String {
    let one = |leases: &[Lease]| {
        if leases.is_empty() { "nothing".to_owned() } else { list(leases, lease) }
    };
    states.into_iter().map(one).collect::<Vec<_>>().join(", or ")
}

/// An owner.
fn name(owner: &Owner) -> String {
    let Owner { session, epoch } = owner;
    if epoch.is_empty() { session.clone() } else { format!("{session}/{epoch}") }
}

fn paths(resources: &[Resource]) -> String {
    list(resources, Resource::path)
}

/// What a hook knows; nothing where it knows nothing.
fn known(context: &Context) -> String {
    let Context { minted, begins, sighting } = context;
    let mut words = vec![String::new()];
    if *minted {
        words.push("by a client without turn ids".to_owned());
    }
    if *begins {
        words.push("by a client that marks sub-agents".to_owned());
    }
    if let Some(Sighting { process, certain, call }) = sighting {
        let sure = if *certain { "surely" } else { "perhaps" };
        let call = call.as_ref().map(|call| format!(" (in {call})")).unwrap_or_default();
        words.push(format!("from {sure} agent process {}{call}", process.0));
    }
    words.join(", ")
}

/// A grant.
pub fn grant(grant: &Grant) -> String {
    let Grant { resource, fence, acquired, expires } = grant;
    format!("{} (fence {}, {acquired} to {expires})", resource.path(), fence.0)
}

fn lease(lease: &Lease) -> String {
    let fence = lease.fence.map_or("no fence".to_owned(), |fence| format!("fence {}", fence.0));
    let (path, owner) = (lease.resource.path(), name(&lease.owner));
    format!("{path} of {owner} ({fence}, {} to {})", lease.acquired, lease.expires)
}

fn list<T>(items: &[T], word: impl Fn(&T) -> String) -> String {
    items.iter().map(word).collect::<Vec<_>>().join(" and ")
}
