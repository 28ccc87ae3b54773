// A bug report is a session file. Fixed, it is a test: the session is driven, and the answers are held to the recorded ones.
import { deepEqual, equal } from 'node:assert/strict';
import { createHooks, defineHook } from 'hookwright';
import { readSession, replay } from 'hookwright/recorder';

const protectSecrets = defineHook({
  event: 'BeforeTool',
  name: 'protect-secrets',
  matcher: 'read_file|write_file',
  onFault: 'deny',
  run: ({ tool_input }) =>
    tool_input.path.endsWith('.env') ? { decision: 'deny', reason: '.env holds secrets' } : undefined,
});

const session = readSession(`${import.meta.dirname}/../test/fixtures/sessions/define-hook.jsonl`);
const { bus } = await createHooks({ hooks: [protectSecrets], warnings: false });

const { pairs, problems } = await replay(session, bus, { mode: 'drive', hooks: ['protect-secrets'] });
deepEqual(problems, []);
equal(pairs.length, 3);
for (const { line, differences } of pairs) deepEqual(differences, [], `line ${line}`);
console.log(`${pairs.length} requests, answered as they were`);
