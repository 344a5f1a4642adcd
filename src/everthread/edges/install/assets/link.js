// Made by `everthread install` for this machine. `everthread uninstall` removes it.
// It carries events to the Everthread daemon and gives back what it answers. It never holds up the
// harness for long and never fails: whatever goes wrong, the session goes on without it.
import fs from "node:fs";
import http from "node:http";
import { spawn } from "node:child_process";

const HARNESS = @HARNESS@;
const SOCKET = @SOCKET@;
const COMMANDS = @COMMANDS@; // the client for each event: where no daemon listens, it starts one or spools
const LIMITS = @LIMITS@; // milliseconds
const GATE = @GATE@; // is a task open, so that tools are asked about?
const SANDBOX = @SANDBOX@; // is there while a project may only be read
const LARGEST = 8_000_000;
const MOST = 5; // of what the last prompts were given, so many are given again

const large = (body) => Buffer.byteLength(body) > LARGEST;

// An event as text. Of one that is too large the last messages are told; the transcript has the rest.
function text(payload) {
  try {
    const whole = JSON.stringify(payload);
    const messages = payload?.event?.messages;
    if (!large(whole) || !Array.isArray(messages)) return whole;
    for (const most of [20, 5, 1]) {
      const event = { ...payload.event, messages: messages.slice(-most) };
      const less = JSON.stringify({ ...payload, event });
      if (!large(less)) return less;
    }
    return JSON.stringify({ ...payload, event: { ...payload.event, messages: [] } });
  } catch {
    return null;
  }
}

// When an event was met, and by whom. Who sees the same ticket twice takes the event once.
let met = 0;

function ticket() {
  met = (met + 1) % 1_000_000;
  return `${(BigInt(Date.now()) * 1_000_000n + BigInt(met)).toString().padStart(20, "0")}-${process.pid}`;
}

function folder() {
  try {
    return process.cwd();
  } catch {
    return "/"; // it was removed under our feet
  }
}

// The daemon could not take it, or not in time: it is for the client to keep.
class Refused extends Error {}

function post(event, body, ms, mark) {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "x-everthread-ticket": mark,
      "x-everthread-ms": String(ms),
      // Whose process it is: should that be killed, the next session knows that nobody works here any more.
      "x-everthread-environ": Buffer.from(`PWD=${folder()}\0EVERTHREAD_HARNESS_PID=${process.pid}`).toString("hex"),
    };
    if (process.env.EVERTHREAD_PRIVATE) headers["x-everthread-private"] = process.env.EVERTHREAD_PRIVATE;
    const path = `/hook/${HARNESS}/${encodeURIComponent(event)}`;
    const refuse = () => (clearTimeout(timer), reject(new Refused()));
    const timer = setTimeout(() => (refuse(), request.destroy()), ms);
    const request = http.request({ socketPath: SOCKET, path, method: "POST", headers, agent: false }, (answer) => {
      const parts = [];
      answer.on("data", (part) => parts.push(part));
      answer.on("error", refuse);
      answer.on("aborted", refuse);
      answer.on("end", () => {
        if (answer.statusCode !== 200) return refuse();
        clearTimeout(timer);
        resolve(Buffer.concat(parts).toString("utf8"));
      });
    });
    request.on("error", (error) => (clearTimeout(timer), reject(error)));
    request.end(body);
  });
}

// The same event by way of the client.
function carry(event, body, ms, mark) {
  return new Promise((resolve) => {
    const [program, ...words] = COMMANDS[event] ?? [];
    if (!program) return resolve("");
    const child = spawn(program, [...words, mark], { stdio: ["pipe", "pipe", "ignore"], cwd: folder() });
    const timer = setTimeout(() => resolve(""), ms + 500);
    const parts = [];
    child.stdout.on("data", (part) => parts.push(part));
    child.stdin.on("error", () => {});
    child.on("error", () => (clearTimeout(timer), resolve("")));
    child.on("close", () => (clearTimeout(timer), resolve(Buffer.concat(parts).toString("utf8"))));
    child.stdin.end(body);
  });
}

// And so that nobody waits for it, nor for its answer; it may outlive the harness.
function leave(event, body, mark) {
  const [program, ...words] = COMMANDS[event] ?? [];
  if (!program) return "";
  const how = { stdio: ["pipe", "ignore", "ignore"], cwd: folder(), detached: true };
  const child = spawn(program, [...words, mark], how);
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.stdin.end(body);
  child.unref();
  return "";
}

async function said(event, body, ms) {
  const mark = ticket();
  if (process.env.EVERTHREAD_URL) return carry(event, body, ms, mark);
  if (large(body)) return leave(event, body, mark); // it carries the beginning, and says so
  try {
    return await post(event, body, ms, mark);
  } catch (error) {
    return error instanceof Refused ? leave(event, body, mark) : carry(event, body, ms, mark);
  }
}

async function tell(event, payload) {
  try {
    const body = text(payload);
    if (body === null) return {};
    const heard = await said(event, body, LIMITS[event] ?? 1000);
    const answer = heard ? JSON.parse(heard) : {};
    return answer && typeof answer === "object" ? answer : {};
  } catch {
    return {};
  }
}

// Why a tool may not run; "" if it may. In a sandbox the daemon says so; where it says nothing, none may.
async function denied(event, payload, place) {
  if (!fs.existsSync(SANDBOX)) return "";
  try {
    const answer = JSON.parse(await post(event, JSON.stringify(payload), 2000, ticket()));
    if (answer.allow === true) return "";
    if (answer.allow === false) return answer.reason;
  } catch {
    // Nobody answers.
  }
  if (!held(place)) return "";
  return "Everthread: this project is in a sandbox and its daemon does not answer, so no tool runs.";
}

// Is that folder in a project that has a mark, or above one?
function held(place) {
  try {
    const ended = (path) => path.replace(/\/*$/, "/");
    const here = ended(fs.realpathSync(place || folder()));
    return fs.readdirSync(SANDBOX).some((name) => {
      const [hex] = fs.readFileSync(`${SANDBOX}/${name}`, "utf8").split("\n");
      const project = ended(Buffer.from(hex, "hex").toString("utf8"));
      return here.startsWith(project) || project.startsWith(here);
    });
  } catch {
    return fs.existsSync(SANDBOX);
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
