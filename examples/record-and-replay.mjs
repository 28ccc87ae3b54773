// Records a session, and asks afterwards what other hooks would have decided.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHooks, defineHook } from 'hookwright';
import { readSession, record, replay } from 'hookwright/recorder';

const directory = mkdtempSync(join(tmpdir(), 'hookwright-'));
const file = join(directory, 'sessions', 'today.jsonl');

const guard = (isDangerous) =>
  defineHook({
    event: 'BeforeTool',
    name: 'guard',
    run: ({ tool_input }) => (isDangerous(tool_input.command) ? { decision: 'deny', reason: 'not here' } : undefined),
  });

// Today: everything that goes over the bus of these hooks is written, direct calls too.
const hooks = await createHooks({ hooks: [guard((command) => command.startsWith('rm'))] });
const recording = record(hooks.bus, { file });
for (const command of ['ls', 'rm -rf build', 'git push --force', 'curl -H "Authorization: Bearer 0123456789abcdef"']) {
  await hooks.beforeTool({ tool: 'shell', input: { command } });
}
const { messages, redacted } = await recording.close();
console.log(`${messages} messages, ${redacted} secret taken out`);

// Tomorrow: the same requests, put to the hooks as they will be.
const stricter = await createHooks({ hooks: [guard((command) => /^rm|--force/.test(command))] });
const { pairs, problems } = await replay(readSession(file), stricter.bus, { mode: 'drive' });
for (const { line, subject, recorded, replayed, same } of pairs) {
  const [then, now] = [recorded, replayed].map((response) => response.output?.decision ?? 'no opinion');
  console.log(`line ${line}, ${subject}: ${same ? `${now}, as before` : `${then} became ${now}`}`);
}
console.log(`${problems.length} problems`);

rmSync(directory, { recursive: true });
