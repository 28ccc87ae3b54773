import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PlanContext } from '../../src/index.ts';
import { group } from '../support/host.ts';
import { ownNow } from '../support/own-clock.ts';
import { benchOf, matching } from './support.ts';

describe('matchers of tools', () => {
  test.each<[matcher: string | undefined, toolName: string, matches: boolean]>([
    [undefined, 'anything', true],
    ['', 'anything', true],
    ['   ', 'anything', true],
    ['*', 'anything', true],
    [' * ', 'anything', true],
    ['write', 'write', true],
    ['write', 'write_file', true],
    ['write', 'rewrite', true],
    ['write', 'Write', false],
    [' write ', 'write_file', true],
    ['write|edit', 'edit_file', true],
    ['write|edit', 'read', false],
    ['read-file|b_c', 'xread-filex', true],
    ['^write$', 'write', true],
    ['^write$', 'write_file', false],
    ['^(read|write)_file$', 'read_file', true],
    ['^(?:read|write)_file$', 'read_files', false],
    ['write.*file', 'write_big_file', true],
    ['mcp__.*__read', 'mcp__fs__read', true],
    ['[Ww]rite', 'Write', true],
    ['a?b', 'b', true],
    ['(x)\\1', 'xx', true],
    ['\\bls\\b', 'tool ls', true],
    ['(', '(', true],
    ['(', 'a(b', false],
    ['*.ts', '*.ts', true],
    ['*.ts', 'a.ts', false],
    ['a{2,1}', 'a{2,1}', true],
    ['|', 'anything', true],
    ['write|', 'anything', true],
  ])('R085 R087 R088 R089 R090 C22 %j on %j: %j', async (matcher, toolName, matches) => {
    const { plan, rows } = await benchOf({ hooks: { BeforeTool: matching(matcher), AfterTool: matching(matcher) } });
    for (const eventName of ['BeforeTool', 'AfterTool'] as const) {
      expect(plan(eventName, { toolName })).toEqual(matches ? ['h1'] : null);
      expect(rows(eventName, { toolName })).toEqual([matches ? 'h1: run' : 'h1: matcher-mismatch']);
    }
  });

  test.each<[title: string, context: PlanContext | undefined]>([
    ['R086 without a context', undefined],
    ['R092 with an empty one', {}],
    ['with one that has no tool', { trigger: 'startup' }],
    ['with an undefined tool', { toolName: undefined }],
  ])('%s every matcher matches', async (_title, context) => {
    const { plan } = await benchOf({ hooks: { BeforeTool: matching('a', '^b$', '(') } });
    expect(plan('BeforeTool', context)).toEqual(['h1', 'h2', 'h3']);
  });

  test('plain words mean the same as the expression they are', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'B', '_', '-', '1'), minLength: 1, maxLength: 3 });
    const name = fc.string({ unit: fc.constantFrom('a', 'B', '_', '-', '1', '.', 'x'), maxLength: 8 });
    return fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 4 }), name, async (words, toolName) => {
        const matcher = words.join('|');
        const { plan } = await benchOf({ hooks: { BeforeTool: matching(matcher) } });
        expect(plan('BeforeTool', { toolName }) !== null).toBe(new RegExp(matcher).test(toolName));
      }),
    );
  });

  test('a matcher that is no expression is warned of', async () => {
    const { planner } = await benchOf({ hooks: { BeforeTool: matching('write(') } });
    const [row] = planner.explain('BeforeTool', { toolName: 'write(' });
    expect(row).toMatchObject({ planned: 'run', matcher: 'write(' });
    expect(row?.warnings).toEqual([
      {
        code: 'invalid-matcher',
        message: expect.stringMatching(
          /^the matcher "write\(" is not a valid regular expression \(.+\); it is compared literally$/,
        ),
        fix: expect.stringContaining('backslash'),
      },
    ]);
  });

  test('an injected expression engine is asked, and plain words never reach it', async () => {
    const asked: unknown[][] = [];
    const matchRegex = (...args: unknown[]): boolean => asked.push(args) > 0;
    const { plan } = await benchOf({ hooks: { BeforeTool: matching('plain|words', '^x$', '*', '(') } }, { matchRegex });
    expect(plan('BeforeTool', { toolName: 'plain' })).toEqual(['h1', 'h2', 'h3']);
    expect(asked).toEqual([['^x$', 'plain']]);
  });
});

describe('R091 C23 matchers of sessions', () => {
  test.each<[matcher: string, trigger: string, matches: boolean]>([
    ['startup', 'startup', true],
    ['Startup', 'startup', true],
    ['startup', 'STARTUP', true],
    ['start', 'startup', false],
    ['startup|resume', 'resume', true],
    ['startup|resume', 'Resume', true],
    ['startup|resume', 'clear', false],
    ['start|resume', 'startup', false],
    ['clear|sume', 'resume', false],
    ['res.*', 'resume', true],
    ['es', 'resume', false],
    ['.*', 'clear', true],
    ['*', 'clear', true],
    ['', 'clear', true],
    ['(', 'clear', false],
  ])('%j on %j: %j', async (matcher, trigger, matches) => {
    const { plan } = await benchOf({ hooks: { SessionStart: matching(matcher) } });
    expect(plan('SessionStart', { trigger })).toEqual(matches ? ['h1'] : null);
  });

  test('exit does not match prompt_input_exit', async () => {
    const { plan } = await benchOf({ hooks: { SessionEnd: matching('exit', 'exit|clear', '.*exit') } });
    expect(plan('SessionEnd', { trigger: 'prompt_input_exit' })).toEqual(['h3']);
    expect(plan('SessionEnd', { trigger: 'exit' })).toEqual(['h1', 'h2', 'h3']);
  });

  test('compare compression triggers the same way', async () => {
    const { plan } = await benchOf({ hooks: { PreCompress: matching('manual', 'AUTO') } });
    expect(plan('PreCompress', { trigger: 'auto' })).toEqual(['h2']);
  });
});

test.each(['BeforeModel', 'AfterModel', 'BeforeToolSelection', 'BeforeAgent', 'AfterAgent', 'Notification'] as const)(
  'R097 matchers of %s are ignored, which a warning says',
  async (eventName) => {
    const { planner, plan } = await benchOf({ hooks: { [eventName]: matching('never', undefined, '*') } });
    expect(plan(eventName, { toolName: 'x', trigger: 'y' })).toEqual(['h1', 'h2', 'h3']);
    expect(planner.explain(eventName).map((row) => row.warnings)).toEqual([
      [{ code: 'no-effect', message: `${eventName} has nothing to compare a matcher with; "never" is ignored` }],
      undefined,
      undefined,
    ]);
  },
);

describe('F41 expressions that take too long', () => {
  const bombs: readonly (readonly [title: string, matcher: string, toolName: string])[] = [
    ['nested repetition', '(a+)+$', `${'a'.repeat(40)}!`],
    ['repetitions in a row', '.*.*.*.*.*.*=.*', 'x'.repeat(4_000)],
    ['optional characters', `${'a?'.repeat(35)}${'a'.repeat(35)}`, 'a'.repeat(35)],
    ['alternatives in a row', `^${'(a|a)'.repeat(30)}$`, 'a'.repeat(31)],
    ['alternatives without capturing', `^${'(?:a|a)'.repeat(30)}$`, 'a'.repeat(31)],
    ['counted repetition', '^(a{1,9}){1,9}(a{1,9}){1,9}$', `${'a'.repeat(60)}!`],
    ['optional counts', `${'\\w{0,3}'.repeat(30)}${'a'.repeat(35)}`, 'a'.repeat(35)],
    ['empty alternatives', `${'(a|)'.repeat(60)}${'a'.repeat(60)}`, 'a'.repeat(35)],
    ['a back-reference', '^(a*)*\\1$', `${'a'.repeat(40)}!`],
  ];

  test.each(bombs)(
    '%s is called off, the row stays at run, and the next subjects cost nothing',
    async (_title, matcher, toolName) => {
      const { planner, plan, rows } = await benchOf({ hooks: { BeforeTool: matching(matcher, 'plain') } });
      const startedAt = ownNow();
      expect(plan('BeforeTool', { toolName })).toEqual(['h1']);
      expect(ownNow() - startedAt).toBeLessThan(1_000);
      expect(rows('BeforeTool', { toolName })).toEqual(['h1: run', 'h2: matcher-mismatch']);
      const again = ownNow();
      for (let turn = 0; turn < 20; turn += 1)
        expect(plan('BeforeTool', { toolName: `${toolName}${turn}` })).toEqual(['h1']);
      expect(ownNow() - again).toBeLessThan(500);
      expect(planner.createExecutionPlan('BeforeTool')?.hookConfigs).toHaveLength(2);
    },
  );

  test('R1990 a matcher is not given up because other processes had the processor', async () => {
    const { plan } = await benchOf({ hooks: { BeforeTool: matching('a*b') } });
    const pauses = `for i in 1 2 3 4 5 6 7 8; do sleep 0.03; kill -STOP ${process.pid}; sleep 0.1; kill -CONT ${process.pid}; done`;
    const pausing = once(spawn('sh', ['-c', pauses]), 'exit');
    let isPausing = true;
    pausing.then(() => {
      isPausing = false;
    });
    for (let turn = 0; isPausing; turn += 1) {
      expect(plan('BeforeTool', { toolName: `${'a'.repeat(2_000)}${turn}` })).toBeNull();
      await setImmediate();
    }
  });

  test.each<[title: string, matcher: string, toolName: string, planned: 'run' | 'skip']>([
    ['a megabyte of plain words', 'x'.repeat(1_000_000), 'ls', 'skip'],
    ['a megabyte of alternatives', `${'word|'.repeat(200_000)}ls`, 'ls', 'run'],
    ['a megabyte that is no plain word', `${'x'.repeat(1_000_000)}.`, 'ls', 'run'],
    ['a megabyte of brackets', '('.repeat(1_000_000), 'ls', 'run'],
    ['501 characters', `${'x'.repeat(500)}.`, 'ls', 'run'],
    ['500 characters', `${'x'.repeat(499)}.`, 'ls', 'skip'],
    ['a harmless expression on the longest subject', '^(read|write)_file$', 'x'.repeat(4_096), 'skip'],
    ['a single repetition on the longest subject', 'a*b', 'a'.repeat(4_096), 'skip'],
    ['a longer subject', '^x+$', 'x'.repeat(4_097), 'run'],
    ['plain words on a longer subject', 'needle', 'x'.repeat(100_000), 'skip'],
  ])('%s is decided at once', async (_title, matcher, toolName, planned) => {
    const { planner } = await benchOf({ hooks: { BeforeTool: matching(matcher) } });
    const startedAt = ownNow();
    expect(planner.explain('BeforeTool', { toolName })[0]?.planned).toBe(planned);
    expect(ownNow() - startedAt).toBeLessThan(1_000);
  });

  test('a subject that is too long says nothing about the matcher, which goes on matching others', async () => {
    const { plan } = await benchOf({ hooks: { BeforeTool: matching('^rm$|^del.*$') } });
    expect(plan('BeforeTool', { toolName: 'x'.repeat(5_000) })).toEqual(['h1']);
    expect(plan('BeforeTool', { toolName: 'ls' })).toBeNull();
    expect(plan('BeforeTool', { toolName: 'delete' })).toEqual(['h1']);
  });

  test('one that was called off does not take the place of a copy that matches', async () => {
    const hook = { name: 'guard', command: './guard' };
    const { plan, rows } = await benchOf({
      hooks: { BeforeTool: [group([hook], { matcher: '(a+)+$' })] },
      getUserHooks: () => ({ BeforeTool: [group([hook], { matcher: 'a' })] }),
    });
    const toolName = `${'a'.repeat(40)}!`;
    expect(plan('BeforeTool', { toolName })).toEqual(['guard', 'guard']);
    expect(rows('BeforeTool', { toolName })).toEqual(['guard: run', 'guard: run']);
    expect(plan('BeforeTool')).toEqual(['guard']);
  });

  test('of a source that is not trusted are not tried at all', async () => {
    const asked: unknown[] = [];
    const matchRegex = (): boolean => asked.push(1) < 0;
    const host = { hooks: { BeforeTool: matching('(a+)+$', 'plain') }, isTrustedFolder: () => false };
    const { rows } = await benchOf(host, { matchRegex });
    expect(rows('BeforeTool', { toolName: 'ls' })).toEqual(['h1: untrusted', 'h2: untrusted matcher-mismatch']);
    expect(asked).toEqual([]);
  });
});
