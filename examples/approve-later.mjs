// A hook asks before a push, and no person is there to answer: the call is parked. Another process runs it once it is approved.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHooks, fileTokenStore, parkedCalls } from 'hookwright';

// The example leaves nothing behind in your home directory, and its key ends with it.
const home = mkdtempSync(join(tmpdir(), 'approve-later-'));
const key = process.env.APPROVAL_KEY ?? randomBytes(32);
const tools = { push: ({ branch }) => `pushed ${branch}` };
const asks = { name: 'asks', type: 'rule', if: 'push(*)', verdict: 'ask', reason: 'a push is visible to others' };
const guards = [{ hooks: [asks] }];

const start = (hooks) => {
  const parking = parkedCalls({ key, store: fileTokenStore({ home }), runTool: (name, args) => tools[name](args) });
  return createHooks({ hooks: { BeforeTool: hooks }, deps: { parking, confirm: (_question, { park }) => park() } });
};

const agent = await start(guards);
const { blocked, asked } = await agent.callTool('push', { branch: 'main' }, tools.push);
console.log(`Not run: ${blocked.reason}`);
await agent.close();

// Days later, in the process that heard the answer of a person.
const hooks = await start(guards);
const called = await hooks.resume(asked.parked, { approved: true, by: 'ann' });
console.log(called.output, called.asked);

const refusal = await hooks.resume(asked.parked, { approved: true, by: 'ann' }).catch((error) => error);
console.log(refusal.code, refusal.details.why);
rmSync(home, { recursive: true });
