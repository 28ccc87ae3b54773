import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { dialectNames } from '../../src/agents/index.ts';
import { verdictOf } from '../../src/protocol/index.ts';
import { type Played, play } from './engine-cases.ts';
import { type Case, casesOf } from './rehearse.ts';

describe.each(dialectNames)('%s', (dialect) => {
  const plays = new Map<string, Promise<Played>>();
  const playOnce = (example: Case & { file: string }): Promise<Played> => {
    const played = plays.get(example.file) ?? play(dialect, example);
    plays.set(example.file, played);
    return played;
  };

  test.each(casesOf(dialect))('R864 $title ($file)', async (example) => {
    const { runs, comes, sees, neverSees = [], problem } = example;
    const played = await playOnce(example);
    if (runs !== undefined) expect(played.ran).toEqual(runs);
    if (sees !== undefined) expect(played.seen[0]).toMatchObject(sees);
    for (const key of neverSees) expect(played.seen[0]).not.toHaveProperty(key);
    if (comes !== undefined) {
      const { failed, lost, ...answer } = comes;
      const { output = {}, results } = played;
      const failure = results.map(({ error }) => error?.message ?? '').join('\n');
      const { additionalContext, tool_input, ...specific } = output.hookSpecificOutput ?? {};
      // What is no more than a text keeps the decision its agent makes of it, and is no opinion to us.
      const texts = results.filter(({ output }) => output !== undefined);
      // So does what an agent's hooks say when they have no objection.
      const isNone = ({ outputFormat, grantsNothing }: (typeof texts)[number]): boolean =>
        outputFormat === 'text' || grantsNothing === true;
      const isText = texts.length > 0 && texts.every(isNone);
      if (isText) expect(output.decision).toBe(answer.decision === 'allow' ? undefined : answer.decision);
      const flat = {
        decision: output.decision ?? (isText ? texts[0]?.output?.decision : undefined) ?? 'none',
        reason: output.reason,
        stop: output.continue === false ? (output.stopReason ?? '') : undefined,
        message: output.systemMessage,
        context: additionalContext,
        input: tool_input,
        specific,
      };
      expect(flat).toMatchObject(answer);
      // Of faults the engine says whose they are, and of a timeout how long it was.
      const inWords = failed === 'the hook ran out of time' ? 'no answer within' : failed;
      for (const text of [inWords, lost]) if (text !== undefined) expect(failure).toContain(text);
    }
    if (problem !== undefined) {
      expect(played.problems.map(({ message }) => message).join('\n')).toContain(problem.message);
    }
  });

  test('R865 strict is never milder than faithful, in any case', async () => {
    const ranks = ['none', 'allow', 'ask', 'deny'];
    const rankOf = ({ output }: Played): number =>
      output?.continue === false ? 3 : ranks.indexOf(verdictOf(output?.decision));
    const milder = await Promise.all(
      casesOf(dialect).map(async (example) => {
        const faithful = rankOf(await playOnce(example));
        // An answer that is no opinion to us is an allow to some: that one may go.
        if (faithful < ranks.indexOf('ask') || example.mode === 'strict') return [];
        return rankOf(await play(dialect, { ...example, mode: 'strict' })) < faithful ? [example.file] : [];
      }),
    );
    expect(milder.flat()).toEqual([]);
  });

  /** Cases whose scripts can be written down: no endpoint, no program that is not there, no time that runs out, and hooks that are waited for. */
  const isOfScripts = ({ answers = {}, comes, moment, settings, files = {} }: Case): boolean =>
    comes !== undefined &&
    !JSON.stringify(settings ?? '').includes('"async":true') &&
    !Object.keys(files).some((file) => file.startsWith('home/')) &&
    moment !== undefined &&
    Object.entries(answers).length > 0 &&
    Object.entries(answers).every(
      ([command, { exit, timedOut, notStarted }]) =>
        /^\.\/[\w.-]+$/.test(command) && notStarted === undefined && timedOut !== true && exit !== null,
    );

  test('R866 scripts in processes of their own come to what the cases say, and are fed the same', async () => {
    const strange: string[] = [];
    for (const example of casesOf(dialect).filter(isOfScripts)) {
      const [acted, real] = await Promise.all([playOnce(example), play(dialect, example, { real: true })]);
      if (!isDeepStrictEqual(plain(acted.output), plain(real.output))) strange.push(`${example.file}: its answer`);
      if (!isDeepStrictEqual(sorted(acted.seen), sorted(real.seen))) strange.push(`${example.file}: its stdin`);
    }
    expect(strange).toEqual([]);
  }, 120_000);
});

const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
/** Ids of a turn or an agent that the host did not give are new each time. */
const ids = /"(turn_id|agent_id|agentId|generation_id|subagent_id|tool_call_id)":"[^"]*"/g;
const sorted = (all: readonly unknown[]): string[] =>
  all.map((one) => JSON.stringify(one).replaceAll(ids, '"$1"')).sort();
