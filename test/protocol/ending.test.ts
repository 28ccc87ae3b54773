import { expect, test } from 'vitest';
import { type HookExecutionResult, toHookEnding } from '../../src/protocol/index.ts';

const result = (more: Partial<HookExecutionResult>): HookExecutionResult => ({
  hookConfig: {},
  eventName: 'BeforeTool',
  success: true,
  duration: 1,
  ...more,
});

const allow = { decision: 'allow', systemMessage: 'm' } as const;
const deny = { decision: 'deny' } as const;

test.each<[string, Partial<HookExecutionResult>, ReturnType<typeof toHookEnding>]>([
  ['said nothing', {}, { kind: 'silent', said: undefined }],
  [
    'printed an empty answer',
    { output: {}, outputFormat: 'json' },
    { kind: 'silent', said: { output: {}, hasOpinion: true, isPlain: false } },
  ],
  [
    'allowed',
    { output: allow, outputFormat: 'json' },
    { kind: 'answered', said: { output: allow, hasOpinion: true, isPlain: false } },
  ],
  [
    'printed text, which allows by courtesy and has no opinion',
    { output: allow, outputFormat: 'text' },
    { kind: 'answered', said: { output: allow, hasOpinion: false, isPlain: true } },
  ],
  [
    'blocked by exit code 2 with a text',
    { output: deny, outputFormat: 'text', success: false },
    { kind: 'answered', said: { output: deny, hasOpinion: true, isPlain: true } },
  ],
  [
    'blocked and then failed',
    { output: deny, outputFormat: 'json', success: false, code: 'exit-code' },
    { kind: 'faulted', code: 'exit-code', said: { output: deny, hasOpinion: true, isPlain: false } },
  ],
  ['failed', { success: false, code: 'timeout' }, { kind: 'faulted', code: 'timeout', said: undefined }],
  ['was not waited for', { background: true, output: deny }, { kind: 'background', said: undefined }],
])('a hook that %s', (_what, more, ending) => {
  expect(toHookEnding(result(more))).toEqual(ending);
});
