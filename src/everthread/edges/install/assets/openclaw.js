
const PLUGIN = "everthread";

export default {
  id: PLUGIN,
  name: "Everthread",
  description: "Keeps what was said, and gives it back after compaction, a reset or a new session.",
  register(api) {
    const folder = api?.config?.agents?.defaults?.workspace;
    const told = (name, event, ctx, keep = true) => {
      const { messages, ...rest } = event ?? {};
      const about = {
        sessionKey: ctx?.sessionKey ?? event?.sessionKey,
        sessionId: ctx?.sessionId ?? event?.sessionId,
        workspaceDir: ctx?.workspaceDir ?? folder,
      };
      return tell(name, { ...about, event: keep ? { ...rest, messages } : rest, ctx });
    };
    const key = (event, ctx) => ctx?.sessionId ?? event?.sessionId ?? ctx?.sessionKey ?? "";

    api.on("session_start", async (event, ctx) => {
      given(key(event, ctx)).begun = true;
      begin(key(event, ctx), await told("session_start", event, ctx));
    });
    api.on("before_prompt_build", async (event, ctx) => {
      const id = key(event, ctx);
      if (!given(id).begun) {
        // Without a gateway no session_start is told.
        given(id).begun = true;
        begin(id, await told("session_start", { sessionId: ctx?.sessionId, sessionKey: ctx?.sessionKey }, ctx));
      }
      prompted(id, await told("before_prompt_build", event, ctx, false));
      const { start, prompts } = given(id);
      const answer = {};
      if (start) answer.appendSystemContext = start;
      if (prompts.length) answer.prependContext = prompts.join("\n");
      return answer;
    });
    if (GATE) {
      api.on("before_tool_call", async ({ toolName, params }, ctx) => {
        const place = ctx?.workspaceDir ?? folder;
        const why = await denied("before_tool_call", { toolName, params, workspaceDir: place }, place);
        return why ? { block: true, blockReason: why } : undefined;
      });
    }
    api.on("agent_end", async (event, ctx) => void (await told("agent_end", event, ctx)));
    api.on("before_compaction", async (event, ctx) => void (await told("before_compaction", event, ctx)));
    api.on("after_compaction", async (event, ctx) => {
      begin(key(event, ctx), await told("after_compaction", event, ctx));
    });
    api.on("before_reset", async (event, ctx) => void (await told("before_reset", event, ctx)));
    api.on("session_end", async (event, ctx) => {
      await told("session_end", event, ctx);
      sessions.delete(key(event, ctx));
    });
  },
};
