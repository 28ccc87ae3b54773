import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { recogniseAgent, recogniseCall } from '../../src/agents/hosting/hosted-call.ts';
import { dialects, type Said } from '../../src/agents/index.ts';
import { catalogue, isHookEventName } from '../../src/events/index.ts';

type JsonObject = Record<string, unknown>;

const input = {
  session_id: 'session-1',
  transcript_path: '/t.jsonl',
  cwd: '/home/someone/project',
  timestamp: '2026-11-18T12:00:00.000Z',
};

const payloads: Readonly<Record<string, JsonObject>> = {
  AfterTool: { tool_response: { llmContent: 'done' } },
  AfterToolFailure: { error: 'it broke' },
  BeforeAgent: { prompt: 'hello' },
  AfterAgent: { prompt: 'hello', prompt_response: 'bye', stop_hook_active: true },
  SessionStart: { source: 'resume' },
  SessionEnd: { reason: 'other' },
  PreCompress: { trigger: 'manual' },
  Notification: { notification_type: 'ToolPermission', message: 'may I?', details: {} },
  SubagentStart: { agent_type: 'reviewer' },
  SubagentStop: { agent_type: 'reviewer', response: 'done', stop_hook_active: false },
};

describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))('as a hook of %s', (_name, dialect) => {
  const version = dialect.latest;
  const rules = Object.entries(dialect.events(version)).filter(([, rule]) => rule.moment !== undefined);
  const kindOf = (event: string) => dialect.events(version)[event]?.kinds?.[0] ?? 'shell';
  const callOf = (event: string): JsonObject => {
    const rule = dialect.events(version)[event];
    const vocabulary = rule === undefined ? dialect.tools : (dialect.toolsFor?.(rule, version) ?? dialect.tools);
    const tool = vocabulary.tools.find(({ kind }) => kind === kindOf(event));
    const { command = 'command', path = 'path' } = tool?.args ?? {};
    return {
      tool_name: tool?.names[0] ?? 'MCP:look',
      tool_input: tool?.kind === 'shell' ? { [command]: 'ls' } : { [path]: 'a' },
    };
  };
  const isAboutTool = (moment: string): boolean =>
    isHookEventName(moment) && catalogue[moment].subject?.from === 'toolName';
  const documentOf = (event: string): JsonObject => {
    const rule = dialect.events(version)[event];
    if (rule?.moment === undefined) throw new Error(event);
    const call = isAboutTool(rule.moment) ? callOf(event) : {};
    const stdin = dialect.stdin({
      event,
      rule,
      version,
      input: { ...input, ...payloads[rule.moment], ...call },
      callId: 'call-1',
      projectDir: input.cwd,
      loops: 0,
      nth: 0,
      textOf: () => '',
      ...(isAboutTool(rule.moment)
        ? { tool: { name: String(call.tool_name), kind: kindOf(event), input: call.tool_input as JsonObject } }
        : {}),
    });
    return JSON.parse(JSON.stringify(stdin)) as JsonObject;
  };

  test.each(rules)('R875 stdin of %s is read as a payload of our moment', (event, rule) => {
    const moment = rule.moment ?? '';
    if (!isHookEventName(moment)) return;
    const payload = dialect.host.read(documentOf(event), { event, rule, version });
    expect(catalogue[moment].read(payload)).toMatchObject({ ok: true });
    if (!isAboutTool(moment)) return;
    const { tool_name, tool_input } = callOf(event);
    if (rule.kinds?.includes('mcp') !== true && moment !== 'AfterTool')
      expect(payload).toMatchObject({ tool_name, tool_input });
  });

  const said: readonly (readonly [string, Said, readonly (string | undefined)[]])[] = [
    ['a denial', { decision: 'deny', reason: 'not here' }, ['deny']],
    ['a denial without a reason', { decision: 'deny' }, ['deny']],
    ['a question', { decision: 'ask', reason: 'sure?' }, ['ask', 'deny']],
    ['a permission', { decision: 'allow' }, ['allow', undefined]],
    ['nothing', {}, [undefined, 'allow']],
  ];
  const gates = rules.filter(([, { moment }]) => moment === 'BeforeTool');

  test.each(gates.flatMap(([event, rule]) => said.map((one) => [event, one[0], one, rule] as const)))(
    'R876 on %s %s is heard as what it is',
    (event, _what, [, saying, expected], rule) => {
      const { stdout, stderr = '', exitCode } = dialect.host.write(saying, { event, rule, version });
      const ended = { exitCode, stdout: stdout === undefined ? '' : JSON.stringify(stdout), stderr };
      const answer = dialect.readAnswer(ended, { event, rule, version, failClosed: false });
      expect(expected).toContain(answer.said?.decision);
      expect(answer.failed).toBeUndefined();
      if (answer.said?.decision === 'deny' && saying.reason !== undefined)
        expect(JSON.stringify(answer.said)).toContain(saying.reason);
    },
  );

  test.each(rules)('R876 nothing that is said on %s makes the agent hold the hook for broken', (event, rule) => {
    const sayings: readonly Said[] = [
      ...said.map(([, one]) => one),
      { context: 'some context' },
      { message: 'a word' },
      { stop: { reason: 'enough' } },
      { decision: 'deny', reason: 'no', context: 'c', message: 'm' },
      { specific: { tailToolCallRequest: { name: 'x', args: {} } } },
    ];
    for (const saying of sayings) {
      const { stdout, stderr = '', exitCode } = dialect.host.write(saying, { event, rule, version });
      const ended = { exitCode, stdout: stdout === undefined ? '' : JSON.stringify(stdout), stderr };
      const { failed, said: heard } = dialect.readAnswer(ended, { event, rule, version, failClosed: false });
      expect([saying, failed]).toEqual([saying, undefined]);
      const blocks = heard?.decision === 'deny' || heard?.stop !== undefined;
      const wants = saying.decision === 'deny' || saying.decision === 'ask' || saying.stop !== undefined;
      expect([saying, blocks && !wants]).toEqual([saying, false]);
      // After a tool some agents keep its result and put the reason beside it.
      const isBeside = rule.moment === 'AfterTool' && heard?.context !== undefined;
      if (saying.decision === 'deny' && rule.blocks) expect([saying, blocks || isBeside]).toEqual([saying, true]);
    }
  });

  test.each(gates)('a changed call is heard on %s', (event, rule) => {
    const { stdout, stderr = '', exitCode } = dialect.host.write({ toolInput: { a: 1 } }, { event, rule, version });
    const ended = { exitCode, stdout: JSON.stringify(stdout ?? {}), stderr };
    const { said: heard } = dialect.readAnswer(ended, { event, rule, version, failClosed: false });
    if (rule.kinds === undefined) expect(heard?.toolInput).toEqual({ a: 1 });
  });

  /** What is the same, key for key, as what another agent sends; the line that starts the hook says whose it is. */
  const same: readonly string[] = ['codex SessionEnd'];

  test.each(rules.filter(([event]) => !same.includes(`${dialect.name} ${event}`)))(
    'R877 stdin of %s is recognised',
    (event) => {
      const document = documentOf(event);
      const variables = dialect.host.knownBy.variable === undefined ? {} : { [dialect.host.knownBy.variable]: '1' };
      const known = recogniseAgent(document, variables, dialects);
      expect(known?.dialect.name).toBe(dialect.name);
      const names = [known?.event, undefined].includes(event) ? event : known?.event;
      if (known?.event !== undefined)
        expect(dialect.events(version)[names ?? '']?.moment).toBe(dialect.events(version)[event]?.moment);
    },
  );
});

describe('another result of a hook of ours', () => {
  const answerOf = (document: JsonObject, name: string, event?: string) => {
    const hosted = recogniseCall(document, {
      dialect: dialects.find((one) => one.name === name) ?? [],
      event,
      env: {},
    });
    if (!('call' in hosted)) throw new Error(hosted.unknown);
    return hosted.call.answer({ hookSpecificOutput: { updatedOutput: 'key=***' } }, false);
  };
  const ofClaude = { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_input: { command: 'cat a' } };

  test('R1252 reaches an agent that has a word for it, in the shape that its tool has there', () => {
    const shell = { stdout: 'key=abc', stderr: '', interrupted: false };
    expect(answerOf({ ...ofClaude, tool_response: shell }, 'claude-code').stdout).toEqual({
      hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: { ...shell, stdout: 'key=***' } },
    });
    const ofCopilot = { sessionId: 's', timestamp: 1, toolName: 'bash', toolArgs: '{}', toolResult: {} };
    expect(answerOf(ofCopilot, 'copilot', 'postToolUse').stdout).toEqual({
      modifiedResult: { resultType: 'success', textResultForLlm: 'key=***' },
    });
  });

  test('R1252 is a denial with the new text where the agent has no word for it', () => {
    const answer = answerOf({ ...ofClaude, turn_id: 't', tool_response: 'key=abc' }, 'codex');
    expect(answer).toMatchObject({ stdout: { decision: 'block', reason: 'key=***' } });
  });
});

describe('R1612 variables that hooks set for the session', () => {
  const variablesIn = (dialect: string, event: string, hookSpecificOutput: object) => {
    const its = dialects.find(({ name }) => name === dialect);
    if (its === undefined) throw new Error(dialect);
    const read = recogniseCall({ ...input, source: 'startup' }, { dialect: its, event, env: {} });
    if ('unknown' in read) throw new Error(read.unknown);
    return read.call.writeVariables({ hookSpecificOutput: { ...hookSpecificOutput } });
  };
  const environment = { LEVEL: "strict' $(id)", MODE: 'fast', 'no name': 'x' };

  test('R1522 are not named as something that the agent has no word for', () => {
    const answerOf = (name: string, event: string) => {
      const its = dialects.find((one) => one.name === name) ?? [];
      const read = recogniseCall({ ...input, source: 'startup' }, { dialect: its, event, env: {} });
      if ('unknown' in read) throw new Error(read.unknown);
      return JSON.stringify(read.call.answer({ hookSpecificOutput: { environment: { LEVEL: '1' } } }, false));
    };
    expect(answerOf('claude-code', 'SessionStart')).not.toContain('environment');
    expect(answerOf('codex', 'SessionStart')).toContain('has no word for environment');
  });

  test('are lines for the file that Claude Code names, each once, and no value is run', () => {
    const { variable, lines = '' } =
      variablesIn('claude-code', 'SessionStart', { environment, environmentScript: 'export MODE=fast\ncd .' }) ?? {};
    expect(variable).toBe('CLAUDE_ENV_FILE');
    expect(lines.match(/MODE=/g)).toHaveLength(1);
    expect(lines).not.toContain('no name');
    expect(execFileSync('sh', ['-c', `${lines}printf '%s|%s' "$LEVEL" "$MODE"`]).toString()).toBe("strict' $(id)|fast");
  });

  test.each([
    ['at another event', 'claude-code', 'Stop', { environment }],
    ['for an agent that takes none', 'codex', 'SessionStart', { environment }],
    ['where no hook set one', 'claude-code', 'SessionStart', {}],
  ])('are none %s', (_when, dialect, event, output) => {
    expect(variablesIn(dialect, event, output)).toBeUndefined();
  });
});

test.each([
  ['claude-code', 'PreToolUse', { tool_name: 'Bash', tool_input: {}, tool_use_id: 'toolu_1' }],
  ['claude-code', 'PostToolUse', { tool_name: 'Bash', tool_input: {}, tool_response: 1, tool_use_id: 'toolu_1' }],
  ['copilot', 'preToolUse', { toolName: 'bash', toolArgs: '{}', toolCallId: 'toolu_1' }],
  ['cursor', 'preToolUse', { tool_name: 'Shell', tool_input: {}, tool_use_id: 'toolu_1' }],
])('R1515 a call of %s, %s, has the id that its agent gives it', (name, event, about) => {
  const its = dialects.find((one) => one.name === name) ?? [];
  const read = recogniseCall({ ...input, ...about, hook_event_name: event }, { dialect: its, event, env: {} });
  if ('unknown' in read) throw new Error(read.unknown);
  expect(read.call.payload).toMatchObject({ call_id: 'toolu_1' });
});
