// leasehold for OpenCode: every tool call asks the leasehold program first.
//
// Put this file into ~/.config/opencode/plugins/ or <project>/.opencode/plugins/. The program is
// the one that LEASEHOLD_BIN names, else `leasehold` on the PATH.
//
// A session that a tool started has a session id of its own here. Leases know the session that the
// user speaks with, so a child's calls go out under its root, with the child's id as `agent_id`. A
// child whose creation this process did not see is a session like any other.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";

// The program answers within its own deadline, three seconds. This is for one that does not run.
const PATIENCE_MS = 10_000;

// Runs the program for one event. Whatever happens, it resolves: `code` is null where the program
// did not run to its end.
function ask(event, payload) {
  return new Promise((resolve) => {
    const program = process.env.LEASEHOLD_BIN || "leasehold";
    const result = { code: null, stdout: "", stderr: "", why: "" };
    const args = ["hook", event, "--client", "opencode"];
    const child = spawn(program, args, { timeout: PATIENCE_MS, windowsHide: true });
    child.on("error", (error) => resolve({ ...result, why: error.message }));
    child.on("close", (code, signal) => {
      resolve({ ...result, code, why: code === null ? `ended by ${signal}` : `exit code ${code}` });
    });
    for (const name of ["stdout", "stderr"]) {
      child[name].setEncoding("utf8").on("data", (text) => (result[name] += text));
    }
    // A program that has ended before it read all is judged by its exit code.
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(payload));
  }).catch((error) => ({ code: null, stdout: "", stderr: "", why: String(error) }));
}

export const Leasehold = async ({ directory }) => {
  const parents = new Map(); // the session that started a session
  const directories = new Map(); // where a session works
  const turns = new Map(); // the turn that a root session is in

  const rootOf = (session) => {
    let root = session;
    for (const seen = new Set(); parents.has(root) && !seen.has(root); ) {
      seen.add(root);
      root = parents.get(root);
    }
    return root;
  };

  // The turn begins with the first message after the session was idle: a message that is typed into
  // a running turn belongs to it. A child begins none.
  const turnOf = (session, message) => {
    const root = rootOf(session);
    if (root === session && !turns.has(root)) turns.set(root, message ?? randomUUID());
    return turns.get(root);
  };

  const payloadOf = (event, session, turn, more) => ({
    client: "opencode",
    hook_event_name: event,
    session_id: rootOf(session),
    turn_id: turn,
    agent_id: parents.has(session) ? session : undefined,
    cwd: directories.get(session) ?? directory,
    ...more,
  });

  const callOf = (event, { tool, sessionID, callID }, args) =>
    payloadOf(event, sessionID, turnOf(sessionID), {
      call_id: callID,
      tool_name: tool,
      tool_input: args,
    });

  const end = async (session, event) => {
    const turn = turns.get(rootOf(session));
    turns.delete(session);
    const name = parents.has(session) ? "SubagentStop" : event;
    // Nothing outlives its turn here: a call that was rejected or aborted has no other end.
    await ask(name, payloadOf(name, session, turn, { background_tasks: [] }));
  };

  return {
    "chat.message": async ({ sessionID }, { message }) => {
      const turn = turnOf(sessionID, message?.id);
      const name = parents.has(sessionID) ? "SubagentStart" : "UserPromptSubmit";
      await ask(name, payloadOf(name, sessionID, turn));
    },

    "tool.execute.before": async (input, { args }) => {
      const { code, stderr, why } = await ask("PreToolUse", callOf("PreToolUse", input, args));
      if (code === 0) return;
      if (code === 2 && stderr.trim()) throw new Error(stderr.trim());
      throw new Error(
        `leasehold: this call was stopped: the leasehold program gave no answer (${why}): ` +
          "install it, or name it in LEASEHOLD_BIN, or remove the plugin",
      );
    },

    "tool.execute.after": async (input, output) => {
      const { code, stdout } = await ask("PostToolUse", callOf("PostToolUse", input, input.args));
      if (code === 0 && stdout.trim() && typeof output?.output === "string") {
        output.output += `\n\n${stdout.trim()}`;
      }
    },

    // An error alone ends nothing: `session.idle` follows it.
    event: async ({ event: { type, properties } }) => {
      const session = properties?.info?.id ?? properties?.sessionID;
      if (!session) return;
      if (type === "session.created") {
        const { parentID, directory: own } = properties.info ?? {};
        if (parentID) parents.set(session, parentID);
        if (own) directories.set(session, own);
      } else if (type === "session.idle") {
        // It comes twice after an error.
        if (parents.has(session) || turns.has(session)) await end(session, "Stop");
      } else if (type === "session.deleted") {
        await end(session, "SessionEnd");
        parents.delete(session);
        directories.delete(session);
      }
    },
  };
};
