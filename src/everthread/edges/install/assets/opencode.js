
export const Everthread = async ({ directory, worktree }) => {
  const data = process.env.XDG_DATA_HOME || `${process.env.HOME}/.local/share`;
  const about = { directory, worktree, database: `${data}/opencode/opencode.db` };
  const parents = new Map();
  const told = (event, sessionID, more = {}) =>
    tell(event, { sessionID, ...about, parentID: parents.get(sessionID), ...more });

  // Events are not waited for: whoever needs what a start is given waits for it there.
  const starting = (event, sessionID) => {
    const one = given(sessionID);
    one.begun = true;
    one.starting = told(event, sessionID).then((answer) => begin(sessionID, answer));
    return one.starting;
  };

  const heard = {
    "session.created": async ({ info }) => {
      if (info.parentID) return void parents.set(info.id, info.parentID);
      await starting("session.created", info.id);
    },
    "session.idle": async ({ sessionID }) => {
      await told("session.idle", sessionID);
    },
    "session.compacted": async ({ sessionID }) => {
      await starting("session.compacted", sessionID);
    },
  };

  const gate = {
    "tool.execute.before": async ({ tool, sessionID }, { args }) => {
      const why = await denied("tool.execute.before", { tool, args, sessionID, directory }, directory);
      if (why) throw new Error(why);
    },
  };

  return {
    ...(GATE ? gate : {}),
    event: async ({ event }) => {
      await heard[event.type]?.(event.properties ?? {});
    },
    "chat.message": async (input, output) => {
      const { sessionID, messageID, agent } = input;
      if (parents.has(sessionID)) return;
      await (given(sessionID).starting ?? starting("session.resumed", sessionID));
      const prompt = (output.parts ?? [])
        .filter((part) => part.type === "text" && !part.synthetic)
        .map((part) => part.text)
        .join("\n");
      prompted(sessionID, await told("chat.message", sessionID, { messageID, agent, prompt }));
    },
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      if (!sessionID || parents.has(sessionID) || !sessions.has(sessionID)) return;
      await given(sessionID).starting;
      const { start, prompts, compacting } = given(sessionID);
      // Titles and summaries are made under the same session, and need nothing from us.
      if (compacting || /title generator/i.test(output.system[0] ?? "")) return;
      output.system.push(...[start, ...prompts].filter(Boolean));
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      if (parents.has(sessionID)) return;
      given(sessionID).compacting = true;
      const answer = await told("experimental.session.compacting", sessionID);
      if (answer.instructions) output.context.push(answer.instructions);
    },
    dispose: async () => {
      const open = [...sessions].filter(([, { begun }]) => begun).map(([id]) => id);
      await Promise.all(open.map((id) => told("dispose", id, { reason: "exit" })));
    },
  };
};
