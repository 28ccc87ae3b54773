// What is in a session, and what is wrong with it.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageBus } from 'hookwright/bus';
import { readSession, record } from 'hookwright/recorder';

const directory = mkdtempSync(join(tmpdir(), 'hookwright-'));
const bus = new MessageBus();
const recording = record(bus, {
  file: join(directory, 'session.jsonl'),
  maxBytes: 16 * 2 ** 20, // then the file becomes session.jsonl.1, and so on
  maxFiles: 3,
  redact: { keys: ['customer'], patterns: [/\bC-\d{6}\b/] }, // beside what is known to be secret
  onProblem: ({ code, message }) => console.error(code, message),
});

const payload = { tool_name: 'invoice', tool_input: { customer: 'Jane Doe', text: 'for C-123456', password: 'x' } };
bus.publish({ type: 'hook-execution-request', correlationId: 'a', eventName: 'BeforeTool', payload });
await recording.close();
appendFileSync(recording.file, 'what a crash left of a li');

const session = readSession(recording.file);
const { version, part } = await session.header();
console.log(`version ${version}, part ${part}`);
for await (const { line, message, redacted } of session) {
  console.log(`line ${line}: ${message.type}`, JSON.stringify(message.payload.tool_input));
  console.log(`  taken out: ${redacted.join(', ')}`);
}
for (const { line, code, message } of session.problems) console.log(`line ${line}: ${code}, ${message}`);

rmSync(directory, { recursive: true });
