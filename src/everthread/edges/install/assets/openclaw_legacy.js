
const FILE = "EVERTHREAD.md";

// The older hooks of OpenClaw: one function for every event of HOOK.md.
export default async function everthread(event) {
  try {
    const name = [event.type, event.action].filter(Boolean).join(":");
    const { cfg, bootstrapFiles, ...context } = event.context ?? {};
    const answer = await tell(name, {
      sessionKey: event.sessionKey,
      sessionId: context.sessionId,
      workspaceDir: context.workspaceDir ?? cfg?.agents?.defaults?.workspace,
      event: { type: event.type, action: event.action, ...context },
    });
    if (name === "agent:bootstrap" && answer.context && Array.isArray(bootstrapFiles)) {
      bootstrapFiles.push({ name: FILE, path: FILE, content: answer.context, missing: false });
    }
  } catch {
    // The session goes on without us.
  }
}
