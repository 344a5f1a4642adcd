// Made by `everthread install` for this machine. `everthread uninstall` removes it.
// It carries events to the Everthread daemon and gives back what it answers. It never holds up the
// harness for long and never fails: whatever goes wrong, the session goes on without it.
import http from "node:http";
import { spawn } from "node:child_process";

const HARNESS = @HARNESS@;
const SOCKET = @SOCKET@;
const COMMANDS = @COMMANDS@; // the client for each event: where no daemon listens, it starts one or spools
const LIMITS = @LIMITS@; // milliseconds
const LARGEST = 8_000_000;
const MOST = 5; // of what the last prompts were given, so many are given again

function text(payload) {
  try {
    const whole = JSON.stringify(payload);
    if (whole.length <= LARGEST) return whole;
    const messages = payload?.event?.messages;
    if (!Array.isArray(messages)) return null;
    return JSON.stringify({ ...payload, event: { ...payload.event, messages: messages.slice(-20) } });
  } catch {
    return null;
  }
}

function post(event, body, ms) {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "x-everthread-ms": String(ms),
      "x-everthread-environ": Buffer.from(`PWD=${process.cwd()}`).toString("hex"),
    };
    if (process.env.EVERTHREAD_PRIVATE) headers["x-everthread-private"] = process.env.EVERTHREAD_PRIVATE;
    const path = `/hook/${HARNESS}/${encodeURIComponent(event)}`;
    const timer = setTimeout(() => (resolve(""), request.destroy()), ms);
    const request = http.request({ socketPath: SOCKET, path, method: "POST", headers, agent: false }, (answer) => {
      const parts = [];
      answer.on("data", (part) => parts.push(part));
      answer.on("error", () => resolve(""));
      answer.on("end", () => {
        clearTimeout(timer);
        resolve(answer.statusCode === 200 ? Buffer.concat(parts).toString("utf8") : "");
      });
    });
    request.on("error", (error) => (clearTimeout(timer), reject(error)));
    request.end(body);
  });
}

// The same event by way of the client.
function carry(event, body, ms) {
  return new Promise((resolve) => {
    const [program, ...words] = COMMANDS[event] ?? [];
    if (!program) return resolve("");
    const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"] });
    const timer = setTimeout(() => resolve(""), ms + 500);
    const parts = [];
    child.stdout.on("data", (part) => parts.push(part));
    child.stdin.on("error", () => {});
    child.on("error", () => resolve(""));
    child.on("close", () => (clearTimeout(timer), resolve(Buffer.concat(parts).toString("utf8"))));
    child.stdin.end(body);
  });
}

async function tell(event, payload) {
  try {
    const body = text(payload);
    if (body === null) return {};
    const ms = LIMITS[event] ?? 1000;
    const far = process.env.EVERTHREAD_URL;
    const said = far ? await carry(event, body, ms) : await post(event, body, ms).catch(() => carry(event, body, ms));
    const answer = said ? JSON.parse(said) : {};
    return answer && typeof answer === "object" ? answer : {};
  } catch {
    return {};
  }
}

// What a session was given since its context began: the harness does not keep it, so it is given again.
const sessions = new Map();

function given(id) {
  if (!sessions.has(id)) {
    if (sessions.size >= 200) sessions.delete(sessions.keys().next().value);
    sessions.set(id, { begun: false, start: "", prompts: [], compacting: false });
  }
  return sessions.get(id);
}

function begin(id, answer) {
  Object.assign(given(id), { begun: true, start: answer.context ?? "", prompts: [], compacting: false });
}

function prompted(id, answer) {
  if (answer.context) given(id).prompts = [...given(id).prompts, answer.context].slice(-MOST);
}
