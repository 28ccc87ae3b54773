// Models of how two other agents run hooks, written after their sources: the registry is searched and matchers are made at each event;
// start and end of a hook are emitted; each call leaves an event for telemetry, which nothing sends here. `gemini` builds its input
// before it plans; `llxprt` plans first, and answers requests over a bus that checks nothing.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { environment } from './commands.mjs';
import { hookInput, payloadAt } from './payloads.mjs';
import { manyCalls } from './support.mjs';

const TIMEOUT_MS = 60_000;

const fits = (matcher, subject) => {
  if (matcher === undefined || matcher === '' || matcher === '*') return true;
  try {
    return new RegExp(matcher).test(subject);
  } catch {
    return matcher === subject;
  }
};

const createRegistry = (hooks) =>
  hooks.map((hook, index) => ({ eventName: 'BeforeTool', name: `hook-${index}`, priority: 0, ...hook }));

/** Which hooks run: those of the event whose matcher fits, each name once. */
const createPlan = (registry, eventName, toolName) => {
  const ofEvent = registry
    .filter((entry) => entry.eventName === eventName && entry.enabled !== false)
    .sort((one, other) => one.priority - other.priority);
  if (ofEvent.length === 0) return undefined;
  const seen = new Set();
  const hooks = ofEvent
    .filter(({ matcher }) => fits(matcher, toolName))
    .filter(({ name }) => !seen.has(name) && seen.add(name));
  return hooks.length === 0 ? undefined : { hooks, sequential: hooks.some(({ sequential }) => sequential === true) };
};

const createInput = (eventName, payload) => ({
  session_id: 'bench',
  transcript_path: '',
  cwd: process.cwd(),
  hook_event_name: eventName,
  timestamp: new Date().toISOString(),
  ...payload,
});

const createEmptyResult = () => ({ success: true, allOutputs: [], errors: [], totalDuration: 0 });

const mergeResults = (results) => {
  const outputs = results.flatMap(({ output }) => (output === undefined ? [] : [output]));
  let final;
  for (const output of outputs) final = { ...final, ...output };
  const errors = results.flatMap(({ error }) => (error === undefined ? [] : [error]));
  const totalDuration = results.reduce((sum, { duration }) => sum + duration, 0);
  return { success: errors.length === 0, finalOutput: final, allOutputs: outputs, errors, totalDuration };
};

const runFunction = async (hook, input) => {
  const started = Date.now();
  const controller = new AbortController();
  let timer;
  try {
    const limit = new Promise((_, reject) => {
      timer = setTimeout(() => {
        controller.abort();
        reject(new Error('timeout'));
      }, TIMEOUT_MS);
    });
    const output = await Promise.race([hook.run(input, { signal: controller.signal }), limit]);
    return { hook, output, success: true, duration: Date.now() - started };
  } catch (error) {
    return { hook, error, success: false, duration: Date.now() - started };
  } finally {
    clearTimeout(timer);
  }
};

const createCallEvent = (eventName, input, { hook, output, success, duration, error }) => ({
  'event.name': 'hook_call',
  'event.timestamp': new Date().toISOString(),
  hook_event_name: eventName,
  hook_name: hook.name,
  hook_input: { ...input },
  hook_output: output && { ...output },
  duration_ms: duration,
  success,
  error: error?.message,
});

const runAll = async ({ hooks }, eventName, input) => {
  const events = new EventEmitter();
  const results = await Promise.all(
    hooks.map(async (hook, index) => {
      events.emit('hook-start', { hookName: hook.name, eventName, hookIndex: index + 1, totalHooks: hooks.length });
      const result = await runFunction(hook, input);
      events.emit('hook-end', { hookName: hook.name, eventName, success: result.success });
      return result;
    }),
  );
  const merged = mergeResults(results);
  for (const result of results) createCallEvent(eventName, input, result);
  return merged;
};

const withGemini = (registry) => {
  const execute = async (eventName, input, toolName) => {
    const plan = createPlan(registry, eventName, toolName);
    return plan === undefined ? createEmptyResult() : await runAll(plan, eventName, input);
  };
  const handle = async (eventName, payload) =>
    await execute(eventName, createInput(eventName, payload), payload.tool_name);
  return async (eventName, payload) => await handle(eventName, payload);
};

const withLlxprt = (registry) => {
  const execute = async (eventName, payload) => {
    const plan = createPlan(registry, eventName, payload.tool_name);
    return plan === undefined ? createEmptyResult() : await runAll(plan, eventName, createInput(eventName, payload));
  };
  return async (eventName, payload) => await execute(eventName, payload);
};

/** Fires events at function hooks. */
export const peerFunctions = (hooks) => {
  const fire = withGemini(createRegistry(hooks));
  return manyCalls((index) => fire('BeforeTool', payloadAt(index)));
};

/** Requests and responses over an emitter, paired by a UUID, each with a timer. */
export const peerRequests = (hooks) => {
  const fire = withLlxprt(createRegistry(hooks));
  const bus = new EventEmitter();
  bus.on('request', async ({ correlationId, eventName, payload }) => {
    bus.emit('response', { correlationId, success: true, output: await fire(eventName, payload) });
  });
  const request = (eventName, payload) =>
    new Promise((resolve, reject) => {
      const correlationId = randomUUID();
      const end = () => {
        clearTimeout(timer);
        bus.off('response', onResponse);
      };
      const onResponse = (response) => {
        if (response.correlationId !== correlationId) return;
        end();
        resolve(response.output);
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error('timeout'));
      }, TIMEOUT_MS);
      bus.on('response', onResponse);
      bus.emit('request', { correlationId, eventName, payload });
    });
  return manyCalls((index) => request('BeforeTool', payloadAt(index)));
};

/** Runs one line as they do: `bash -c`, JSON on stdin, a timer beside it. */
export const peerCommand = (line) => () =>
  new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', line], { env: { ...environment }, detached: true });
    const timer = setTimeout(() => child.kill('SIGTERM'), TIMEOUT_MS);
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (data) => {
      stdout += data.toString();
    });
    child.stderr.on('data', (data) => {
      stderr += data.toString();
    });
    child.stdin.on('error', () => {});
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve(mergeResults([{ output: JSON.parse(stdout), error: code === 0 ? undefined : stderr, duration: 0 }]));
    });
    child.stdin.end(JSON.stringify(hookInput));
  });
