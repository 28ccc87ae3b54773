// Hooks that remember: a script in its folder for the session, a function in a map. Requests over the bus count as well.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHooks, defineHook, requestHooks } from 'hookwright';

const atMostTwo = {
  type: 'command',
  name: 'at-most-two',
  command: `
    echo call >> "$HOOKWRIGHT_STATE_DIR/calls"
    [ "$(wc -l < "$HOOKWRIGHT_STATE_DIR/calls")" -le 2 ] || { echo "only two calls in a session" >&2; exit 2; }
  `,
};

const counts = defineHook({
  event: 'BeforeTool',
  name: 'counts',
  run: (_input, { state }) => {
    const calls = (state.get('calls') ?? 0) + 1;
    state.set('calls', calls);
    return { systemMessage: `call ${calls}` };
  },
});

const home = mkdtempSync(join(tmpdir(), 'hookwright-'));
const hooks = await createHooks({ home, cwd: home, hooks: [{ event: 'BeforeTool', hook: atMostTwo }, counts] });
const call = { tool_name: 'shell', tool_input: { command: 'ls' } };

const session = async () => {
  for (let at = 0; at < 3; at += 1) {
    const { finalOutput } = await requestHooks(hooks.bus, 'BeforeTool', call);
    const { decision = 'no opinion', reason = '', systemMessage } = finalOutput;
    console.log(`${systemMessage}: ${decision} ${reason}`.trim());
  }
  await requestHooks(hooks.bus, 'SessionEnd', { reason: 'exit' });
  console.log(`${readdirSync(join(home, '.hookwright/state')).length} folders after the session`);
};

await session();
await session();
await hooks.close();
rmSync(home, { recursive: true });
