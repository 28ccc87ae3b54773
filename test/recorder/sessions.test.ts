import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type HookMessage, MessageBus, MessageBusType } from '../../src/bus/index.ts';
import { Config, createHooks, defineHook } from '../../src/index.ts';
import { readSession, replay } from '../../src/sessions/index.ts';
import { linesOf, messagesOf } from './support.ts';

/** Recorded from the examples: `node scripts/record-sessions.mjs`. */
const directory = join(import.meta.dirname, '../fixtures/sessions');
const sessions = readdirSync(directory).filter((file) => file.endsWith('.jsonl'));
const sessionNamed = (name: string) => readSession(join(directory, `${name}.jsonl`));

const example = (path: string) => import(pathToFileURL(resolve('examples', path)).href);

const { HOOK_EXECUTION_REQUEST, HOOK_EXECUTION_RESPONSE, HOOK_EXECUTION_TRACE } = MessageBusType;

const idsOf = (messages: readonly HookMessage[], type: MessageBusType): string[] =>
  messages.filter((message) => message.type === type).map(({ correlationId }) => correlationId);

describe.each(sessions)('%s', (name) => {
  const file = join(directory, name);

  test('is a session without a problem, and has no path of a machine in it', async () => {
    const session = readSession(file);
    await messagesOf(session);
    expect(session.problems).toEqual([]);
    expect(readFileSync(file, 'utf8')).not.toMatch(/\/tmp\/|\/home\/|\/root\/|\/Users\/|[A-Z]:\\\\/);
  });

  test('has one response and one trace for each request, and a row for each hook', async () => {
    const messages = await messagesOf(readSession(file));
    const requests = idsOf(messages, HOOK_EXECUTION_REQUEST);
    expect(requests).not.toEqual([]);
    expect(idsOf(messages, HOOK_EXECUTION_RESPONSE)).toEqual(requests);
    expect(idsOf(messages, HOOK_EXECUTION_TRACE)).toEqual(requests);
    const rows = messages.flatMap((message) => (message.type === HOOK_EXECUTION_TRACE ? message.rows : []));
    for (const row of rows) expect(row.planned === 'run' ? row.outcome : row.reason).toBeTypeOf('string');
  });

  test('is heard on a bus as it was recorded', async () => {
    const bus = new MessageBus();
    const heard: HookMessage[] = [];
    bus.stream().subscribe((message) => heard.push(message));
    const report = await replay(readSession(file), bus);
    expect(heard).toEqual(
      linesOf(file)
        .slice(1)
        .map(({ message }) => message),
    );
    expect(report).toMatchObject({ published: heard.length, problems: [] });
  });
});

test('the observer of the demo sees in the replay what it saw then', async () => {
  const { startObserver } = await example('demo/observer.mjs');
  const bus = new MessageBus();
  const observer = startObserver(bus);
  await replay(sessionNamed('demo'), bus);
  expect(observer.summary()).toContain('29 requests, 29 responses;');
  expect(observer.blockedCall().request.payload.tool_input).toEqual(
    expect.objectContaining({ command: expect.stringContaining('rm -r') }),
  );
});

const { createProject, disabledHooks, hasPython, projectHooks, userHooks } = await example('demo/project.mjs');

describe('driven', () => {
  test.skipIf(process.platform === 'win32' || !hasPython())(
    'the scripts of the demo decide as they did when it was recorded',
    { timeout: 30_000 },
    async () => {
      const project = createProject();
      onTestFinished(project.remove);
      const bus = new MessageBus();
      const hooks = projectHooks({ python: true });
      const config = new Config({
        enableHooks: true,
        workingDir: project.directory,
        hooks,
        userHooks,
        disabledHooks,
        bus,
      });
      const { pairs, problems } = await replay(sessionNamed('demo'), bus, { mode: 'drive' });
      await config.getHookSystem()?.dispose();
      expect(problems).toEqual([]);
      expect(pairs).toHaveLength(29);
      // A hook that crashes says so with a stack trace, in which Node has its version and the project its path.
      const differences = pairs.flatMap((pair) => pair.differences);
      expect(differences.filter((path) => !path.endsWith('.systemMessage'))).toEqual([]);
      expect(pairs.filter(({ same }) => same)).toHaveLength(27);
    },
  );

  const protectSecrets = (decision: 'deny' | 'ask') =>
    defineHook({
      event: 'BeforeTool',
      name: 'protect-secrets',
      matcher: 'read_file|write_file',
      onFault: 'deny',
      run: ({ tool_input: { path } }) => {
        if (typeof path !== 'string') throw new TypeError("Cannot read properties of undefined (reading 'endsWith')");
        return path.endsWith('.env') ? { decision, reason: '.env holds secrets' } : undefined;
      },
    });

  test('the functions of an example decide as they did, and a change shows where it matters', async () => {
    const drive = async (decision: 'deny' | 'ask') => {
      const { bus } = await createHooks({ hooks: [protectSecrets(decision)] });
      const { pairs } = await replay(sessionNamed('define-hook'), bus, { mode: 'drive', hooks: ['protect-secrets'] });
      return pairs.map(({ line, same, differences }) => ({ line, same, differences }));
    };
    const asBefore = await drive('deny');
    expect(asBefore.map(({ same }) => same)).toEqual([true, true, true]);
    const changed = await drive('ask');
    expect(changed.map(({ differences }) => differences.includes('output.decision'))).toEqual([false, true, false]);
  });
});
