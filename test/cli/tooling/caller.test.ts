import { describe, expect, test } from 'vitest';
import { readCaller } from '../../../src/cli/tooling/open-abilities.ts';

describe('who calls', () => {
  test.each([
    ['a person', {}, false, { source: 'manual_cli' }],
    ['a person with a name', { USER: 'anna' }, false, { source: 'manual_cli', triggered_by: 'anna' }],
    ['a pipeline that says so', { CI: 'true', USER: 'runner' }, false, { source: 'ci_pipeline' }],
    ['one that does not', { USER: 'runner' }, true, { source: 'ci_pipeline' }],
    [
      'one whose run and actor are known',
      { CI: '1', GITHUB_RUN_ID: '17', GITHUB_ACTOR: 'anna' },
      false,
      { source: 'ci_pipeline', job_id: '17', triggered_by: 'anna' },
    ],
    ['a person who has CI switched off', { CI: 'false' }, false, { source: 'manual_cli' }],
    ['a person who has CI empty', { CI: '' }, false, { source: 'manual_cli' }],
  ])('%s', (_title, env, isPipeline, caller) => {
    expect(readCaller(env, isPipeline)).toEqual(caller);
  });
});
