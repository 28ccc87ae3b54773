import { describe, expect, test } from 'vitest';
import { catalogue, hookEventNames } from '../../src/events/index.ts';
import type { HookConfig, HookOutput, HookRow, PayloadOf } from '../../src/index.ts';
import { answers, engineOf, groupOf } from '../support/engine.ts';
import { untyped } from '../support/untyped.ts';

/** A command that prints its arguments: the first to standard output, the second to standard error. */
const prints = (stdout: string, stderr = '', exitCode = 0) => ({
  name: `prints ${stdout}${stderr}`,
  command: `printf %s '${stdout}'; printf %s '${stderr}' >&2; exit ${exitCode}`,
});

const payloadOf = (eventName: string): object =>
  Object.entries(catalogue).find(([name]) => name === eventName)?.[1].sample ?? {};

const fire = async (
  eventName: (typeof hookEventNames)[number],
  ...hooks: object[]
): Promise<HookOutput | undefined> => {
  const system = await engineOf({
    hooks: { [eventName]: groupOf(...hooks) },
    host: { getWorkingDir: () => process.cwd() },
  });
  const { finalOutput } = await system
    .getEventHandler()
    .fire(eventName, untyped<PayloadOf<typeof eventName>>(payloadOf(eventName)));
  return finalOutput;
};

describe('R601 what hooks say to the model is never dropped', () => {
  test.each(hookEventNames)('%s joins all messages and contexts in configured order', async (eventName) => {
    const say = (word: string) =>
      answers(word, { systemMessage: word, hookSpecificOutput: { additionalContext: `about ${word}` } });
    const output = await fire(eventName, say('one'), say('two'), say('three'));
    expect(output).toMatchObject({
      systemMessage: 'one\ntwo\nthree',
      hookSpecificOutput: { additionalContext: 'about one\nabout two\nabout three' },
    });
  });

  test.each(hookEventNames)(
    '%s: a crash with a notice on stderr takes no word of a healthy hook',
    async (eventName) => {
      const output = await fire(
        eventName,
        answers('healthy', { systemMessage: 'Never reveal the key.' }),
        prints('', 'npm notice', 1),
        prints('done, thank you'),
      );
      expect(output?.systemMessage?.split('\n')).toEqual([
        'Never reveal the key.',
        'Warning: npm notice',
        'done, thank you',
      ]);
    },
  );

  test.each(hookEventNames)('%s: plain text takes the place of no reason that JSON gave', async (eventName) => {
    const answered = await fire(
      eventName,
      answers('guard', { decision: 'block', reason: 'JSON said so' }),
      prints('', 'and so did I', 2),
    );
    expect(answered?.reason).toContain('JSON said so');
  });

  test.each(hookEventNames)('%s: blank words add no lines', async (eventName) => {
    const blank = answers('blank', { systemMessage: ' ', hookSpecificOutput: { additionalContext: '' } });
    const said = answers('said', { systemMessage: 'a', hookSpecificOutput: { additionalContext: 'b' } });
    for (const hooks of [
      [blank, said],
      [said, blank],
      [blank, said, blank],
    ]) {
      const output = await fire(eventName, ...hooks);
      expect(output).toMatchObject({ systemMessage: 'a', hookSpecificOutput: { additionalContext: 'b' } });
    }
  });
});

describe('R603 what reaches the model of one request is limited', () => {
  const LIMIT = 1_000;
  const long = (letter: string, bytes: number): string => letter.repeat(bytes);

  const fired = async (...hooks: HookConfig[]) => {
    const rows: HookRow[] = [];
    const deps = {
      limits: { modelTextBytes: LIMIT },
      onTrace: (trace: { rows: readonly HookRow[] }) => void rows.push(...trace.rows),
    };
    const system = await engineOf({ hooks: { SessionStart: groupOf(...hooks) }, deps });
    const { finalOutput } = await system.getEventHandler().fire('SessionStart', { source: 'startup' });
    const { systemMessage: message = '', reason, stopReason } = finalOutput ?? {};
    return { rows, message, reason, stopReason, context: finalOutput?.getAdditionalContext() ?? '' };
  };

  test('the first are heard first; what is cut says so to the model, and in the row', async () => {
    const { rows, message, context } = await fired(
      answers('first', { systemMessage: long('a', 600), hookSpecificOutput: { additionalContext: long('b', 300) } }),
      answers('second', { systemMessage: long('c', 150), hookSpecificOutput: { additionalContext: long('d', 50) } }),
      answers('third', { systemMessage: long('e', 10) }),
      answers('silent', {}),
    );
    expect(message).toContain(`${long('a', 600)}\n${long('c', 100)}… (cut: 50 more bytes`);
    expect(message).not.toContain('e'.repeat(10));
    expect(context).toContain(`${long('b', 300)}\n… (cut: 50 more bytes`);
    expect(rows.map(({ warnings = [] }) => warnings.map(({ code, detail }) => [code, detail]))).toEqual([
      [],
      [['model-text-cut', { dropped: 100, limit: LIMIT }]],
      [['model-text-cut', { dropped: 10, limit: LIMIT }]],
      [],
    ]);
  });

  test('why something may not be comes first, of a hook that is against it and no other', async () => {
    const { message, reason, rows } = await fired(
      answers('talks', { systemMessage: long('a', 900), decision: 'allow', reason: long('b', 900) }),
      answers('denies', { decision: 'deny', reason: long('c', 600) }),
    );
    expect(reason).toBe(long('c', 600));
    expect(message).toContain(`${long('a', 400)}… (cut: 500 more bytes`);
    expect(rows[0]?.output).toMatchObject({ reason: long('b', 900) });
    const alone = await fired(answers('denies', { decision: 'deny', reason: long('c', LIMIT + 7) }));
    expect(alone.reason).toContain(`${long('c', LIMIT)}… (cut: 7 more bytes`);
    expect(alone.rows[0]?.warnings?.[0]).toMatchObject({ code: 'model-text-cut', detail: { dropped: 7 } });
    const ends = await fired(answers('stops', { continue: false, stopReason: long('c', LIMIT + 7) }));
    expect(ends.stopReason).toContain('(cut: 7 more bytes');
  });

  test('bytes count, and no character is cut in two', async () => {
    const { message } = await fired(answers('emoji', { systemMessage: `x${'🔑'.repeat(400)}` }));
    const [kept = ''] = message.split('…');
    expect(kept).toBe(`x${'🔑'.repeat(249)}`);
  });

  test('what is within the limit is left alone', async () => {
    const { rows, message } = await fired(answers('fits', { systemMessage: long('a', LIMIT) }));
    expect(message).toBe(long('a', LIMIT));
    expect(rows[0]).not.toHaveProperty('warnings');
  });
});
