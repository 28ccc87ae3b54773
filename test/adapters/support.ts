import { expect, onTestFinished } from 'vitest';
import { createHooks, type Hooks } from '../../src/index.ts';
import type { CoverageReport } from '../../src/testing/index.ts';

/** An engine for one test. */
export const withHooks = async (add: (hooks: Hooks) => void = () => {}): Promise<Hooks> => {
  const hooks = await createHooks();
  onTestFinished(() => hooks.close());
  add(hooks);
  return hooks;
};

/** Hooks that ask about every call of a tool, and how often they were asked. */
export const withQuestions = async () => {
  const asked = { times: 0 };
  const hooks = await withHooks((all) =>
    all.on('BeforeTool', () => {
      asked.times += 1;
      return { decision: 'ask', reason: 'really?' };
    }),
  );
  return { hooks, asked };
};

/** Hooks during which somebody ends what they are asked about. */
export const withLeaving = async () => {
  const leaving = new AbortController();
  const hooks = await withHooks((all) => {
    all.on('BeforeTool', () => leaving.abort(new Error('gone')));
  });
  return { hooks, signal: leaving.signal };
};

/** The answer of a hook that puts other words into the model's mouth. */
export const answer = (words: string) => ({
  hookSpecificOutput: { llm_response: { candidates: [{ content: { role: 'model' as const, parts: [words] } }] } },
});

/** Hooks that change what a model is asked and what it says, and what they saw of both. */
export const withChanges = async () => {
  const seen: unknown[] = [];
  const hooks = await withHooks((all) => {
    all.on('BeforeToolSelection', () => ({ hookSpecificOutput: { toolConfig: { mode: 'NONE' } } }));
    all.on('BeforeModel', ({ llm_request }) => {
      seen.push(llm_request.model, llm_request.messages);
      return { systemMessage: 'Mind the gap.', hookSpecificOutput: { llm_request: { config: { temperature: 0 } } } };
    });
    all.on('AfterModel', ({ llm_response }) => {
      seen.push(llm_response.text);
      return answer('Changed.');
    });
  });
  return { hooks, seen };
};

/** Tools that are no plain functions of an agent, in an SDK that has none. */
export const elsewhere = ['tool that runs elsewhere', 'blocked tool that runs elsewhere'];
export const ofOtherTools = ['tool of another kind', 'blocked tool of another kind', ...elsewhere];
export const ofSubAgents = ['sub-agent', 'blocked sub-agent'];

/** Paths that an SDK has no place for: sessions, prompts and notices are the application's. */
export const ofTheApplication = [
  'session start',
  'result that is not shown',
  'prompt',
  'prompt with context of a hook',
  'blocked prompt',
  'answer that is sent back',
  'notification',
  'compression',
  'session end',
];

/** All paths went well that the SDK has; those that it has not are named. */
export const expectCovered = (
  { paths, uncovered }: CoverageReport,
  expected: { readonly moreThan: number; readonly uncovered: readonly string[] },
): void => {
  expect(paths.flatMap(({ problems }) => problems)).toEqual([]);
  expect(paths.length).toBeGreaterThan(expected.moreThan);
  expect(uncovered.toSorted()).toEqual(expected.uncovered.toSorted());
};
