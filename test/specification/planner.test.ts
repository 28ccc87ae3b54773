import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type HookConfig,
  type HookEventName,
  HookPlanner,
  type HooksByEvent,
  type PlanContext,
} from '../../src/index.ts';
import { all, answering, engineOf } from './engine.ts';

const plannerOf = async (hooks: HooksByEvent): Promise<HookPlanner> => {
  const { system } = await engineOf(hooks);
  return new HookPlanner(system.getRegistry());
};

/** Whether a hook with this matcher is planned. */
const matches = async (eventName: HookEventName, matcher: string, context?: PlanContext): Promise<boolean> => {
  const planner = await plannerOf({ [eventName]: [{ matcher, hooks: [answering('a')] }] });
  return planner.createExecutionPlan(eventName, context) !== null;
};

const namesOf = (hooks: readonly HookConfig[] | undefined) => hooks?.map(({ name }) => name);

describe('a plan', () => {
  test('R080 R083 names its event and holds the hooks in order', async () => {
    const planner = await plannerOf({
      BeforeTool: all(answering('a'), answering('b')),
      AfterTool: all(answering('c')),
    });
    expect(planner.createExecutionPlan('BeforeTool')).toEqual({
      eventName: 'BeforeTool',
      hookConfigs: [expect.objectContaining({ name: 'a' }), expect.objectContaining({ name: 'b' })],
      sequential: false,
    });
  });

  test('R081 R082 R098 that would be empty is none: without entries, or with none that matches', async () => {
    const planner = await plannerOf({ BeforeTool: [{ matcher: 'write', hooks: [answering('a')] }] });
    expect(planner.createExecutionPlan('AfterTool')).toBeNull();
    expect(planner.createExecutionPlan('BeforeTool', { toolName: 'read_file' })).toBeNull();
  });

  test('R094 R095 is sequential as soon as one definition that matches says so, and parallel otherwise', async () => {
    const planner = await plannerOf({
      BeforeTool: [{ hooks: [answering('a')] }, { matcher: 'write', sequential: true, hooks: [answering('b')] }],
    });
    expect(planner.createExecutionPlan('BeforeTool', { toolName: 'write' })?.sequential).toBe(true);
    expect(planner.createExecutionPlan('BeforeTool', { toolName: 'read' })?.sequential).toBe(false);
  });

  test('R093 C24 has each hook once: the first of those with one name and one command', async () => {
    const hook = { type: 'command', name: 'a', command: './a.sh' } as const;
    const planner = await plannerOf({
      BeforeTool: [
        { matcher: 'read', hooks: [hook] },
        { matcher: 'file', hooks: [hook, { ...hook, name: 'b' }, { ...hook, command: './b.sh' }] },
      ],
    });
    const plan = planner.createExecutionPlan('BeforeTool', { toolName: 'read_file' });
    expect(plan?.hookConfigs).toMatchObject([hook, { ...hook, name: 'b' }, { ...hook, command: './b.sh' }]);
    expect(planner.explain('BeforeTool', { toolName: 'read_file' }).map(({ reason }) => reason)).toEqual([
      undefined,
      'duplicate',
      undefined,
      undefined,
    ]);
    // Judged after matching: where the first does not match, the copy runs.
    expect(planner.createExecutionPlan('BeforeTool', { toolName: 'file' })?.hookConfigs).toHaveLength(3);
  });

  test('R096 is made without starting anything', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'hookwright-plan-'));
    const canary = join(directory, 'canary');
    try {
      const { system } = await engineOf({ BeforeTool: all({ command: `touch ${canary}` }) });
      const planner = new HookPlanner(system.getRegistry());
      expect(planner.createExecutionPlan('BeforeTool')?.hookConfigs).toHaveLength(1);
      expect(await system.explain('BeforeTool')).toMatchObject([{ planned: 'run' }]);
      expect(existsSync(canary)).toBe(false);
      await system.getEventHandler().fireBeforeToolEvent('read_file', {});
      expect(existsSync(canary)).toBe(true);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe('a matcher', () => {
  test.each([
    ['no matcher', undefined, { toolName: 'read_file' }],
    ['no context', 'write', undefined],
    ['a context without a subject', 'write', {}],
    ['a context with the subject of other events', 'write', { trigger: 'auto' }],
  ])('R084 R085 R086 R092 with %s matches', async (_what, matcher, context) => {
    const definition = { hooks: [answering('a')], ...(matcher === undefined ? {} : { matcher }) };
    const planner = await plannerOf({ BeforeTool: [definition] });
    expect(namesOf(planner.createExecutionPlan('BeforeTool', context)?.hookConfigs)).toEqual(['a']);
  });

  test.each([
    ['read', 'read_file', true],
    ['^read$', 'read_file', false],
    ['read_file|write_file', 'write_file', true],
    ['read_file|write_file', 'list_files', false],
    ['.*_file', 'read_file', true],
    ['mcp__\\w+__read', 'mcp__disk__read', true],
  ])('R087 R089 of tools, %j, is searched in %j: %j', async (matcher, toolName, expected) => {
    expect(await matches('BeforeTool', matcher, { toolName })).toBe(expected);
  });

  test('R088 that is no regular expression is compared literally, and its row says so', async () => {
    expect(await matches('BeforeTool', 'read(', { toolName: 'read(' })).toBe(true);
    expect(await matches('BeforeTool', 'read(', { toolName: 'read' })).toBe(false);
    const planner = await plannerOf({ BeforeTool: [{ matcher: 'read(', hooks: [answering('a')] }] });
    expect(planner.explain('BeforeTool')).toMatchObject([{ warnings: [expect.stringContaining('literally')] }]);
  });

  test.each(['', '*', '  ', ' * '])('R090 C22 %j matches everything', async (matcher) => {
    expect(await matches('BeforeTool', matcher, { toolName: 'read_file' })).toBe(true);
    expect(await matches('SessionEnd', matcher, { trigger: 'exit' })).toBe(true);
  });

  test.each<[matcher: string, eventName: HookEventName, trigger: string, expected: boolean]>([
    ['startup', 'SessionStart', 'startup', true],
    ['Startup', 'SessionStart', 'startup', true],
    ['start', 'SessionStart', 'startup', false],
    ['startup|resume', 'SessionStart', 'resume', true],
    ['exit', 'SessionEnd', 'prompt_input_exit', false],
    ['exit|other', 'SessionEnd', 'prompt_input_exit', false],
    ['.*exit', 'SessionEnd', 'prompt_input_exit', true],
    ['AUTO', 'PreCompress', 'auto', true],
    ['manual', 'PreCompress', 'auto', false],
  ])('R091 C20 C23 %j of %s is compared with all of %j: %j', async (matcher, eventName, trigger, expected) => {
    expect(await matches(eventName, matcher, { trigger })).toBe(expected);
  });

  test.each<HookEventName>(['BeforeModel', 'AfterModel', 'BeforeToolSelection'])(
    'R097 R228 of %s is ignored, with a warning on the row',
    async (eventName) => {
      const { system } = await engineOf({ [eventName]: [{ matcher: 'gemini', hooks: [answering('a')] }] });
      expect(await system.explain(eventName, { toolName: 'read_file', trigger: 'auto' })).toMatchObject([
        { planned: 'run', warnings: [expect.stringContaining('"gemini" is ignored')] },
      ]);
    },
  );
});
