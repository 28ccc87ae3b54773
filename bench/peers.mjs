// Models of how other agents run hooks, in their shape: a registry that is searched at each event, a plan whose matchers are made
// anew, one call for each hook with an input of its own, and a merge. No logs, no telemetry, no checks; their own sources are slower or
// faster by what this leaves out. In a session of its own like ours: on a busy machine Linux shares the processors among sessions.
import { spawn } from 'node:child_process';
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

/** Which hooks run: those of the event whose matcher fits, the same one once. */
const planOf = (registry, eventName, toolName) => {
  const ofEvent = registry.filter((entry) => entry.eventName === eventName && entry.enabled !== false);
  const seen = new Set();
  return ofEvent
    .filter(({ matcher }) => fits(matcher, toolName))
    .filter(({ name }) => !seen.has(name) && seen.add(name));
};

const inputOf = (eventName, payload) => ({
  session_id: 'bench',
  transcript_path: '',
  cwd: process.cwd(),
  hook_event_name: eventName,
  timestamp: new Date().toISOString(),
  ...payload,
});

const merged = (results) => {
  const outputs = results.flatMap(({ output }) => (output === undefined ? [] : [output]));
  let final;
  for (const output of outputs) final = { ...final, ...output };
  const errors = results.flatMap(({ error }) => (error === undefined ? [] : [error]));
  const totalDuration = results.reduce((sum, { duration }) => sum + duration, 0);
  return { success: errors.length === 0, finalOutput: final, allOutputs: outputs, errors, totalDuration };
};

const runOne = async (hook, input) => {
  const started = Date.now();
  let timer;
  try {
    const limit = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error('timeout')), TIMEOUT_MS);
    });
    const output = await Promise.race([hook.run(input, { signal: new AbortController().signal }), limit]);
    return { output, success: true, duration: Date.now() - started };
  } catch (error) {
    return { error, success: false, duration: Date.now() - started };
  } finally {
    clearTimeout(timer);
  }
};

/** Fires events at function hooks. */
export const peerFunctions = (hooks) => {
  const registry = hooks.map((hook, index) => ({ eventName: 'BeforeTool', name: `hook-${index}`, ...hook }));
  const fire = async (eventName, payload) => {
    const input = inputOf(eventName, payload);
    const plan = planOf(registry, eventName, payload.tool_name);
    if (plan.length === 0) return merged([]);
    return merged(await Promise.all(plan.map((hook) => runOne(hook, input))));
  };
  return manyCalls((index) => fire('BeforeTool', payloadAt(index)));
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
      resolve(merged([{ output: JSON.parse(stdout), error: code === 0 ? undefined : stderr, duration: 0 }]));
    });
    child.stdin.end(JSON.stringify(hookInput));
  });
