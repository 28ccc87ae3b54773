import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPackage } from '../examples/support.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

beforeAll(buildPackage, 120_000);

/** Blocks and says which round it is, unless there is a file `done`. */
const rounds = `[ -e done ] || sed 's/.*"stop_count":\\([0-9]*\\).*/{"decision":"block","reason":"round \\1"}/'`;

const project = (hook: object = {}) => {
  const home = temporaryFolder('stops');
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  mkdirSync(join(home, '.hookwright'), { mode: 0o700 });
  const hooks = [{ hooks: [{ name: 'tests-pass', type: 'command', command: `sh ${home}/rounds.sh`, ...hook }] }];
  const settings = { journal: false, hooks: { AfterAgent: hooks, SubagentStop: hooks } };
  writeFileSync(join(home, 'rounds.sh'), rounds);
  writeFileSync(join(home, '.hookwright/settings.json'), JSON.stringify(settings));
  const fire = (
    event: string,
    input: object = {},
    session = 'one',
    more: readonly string[] = ['--agent', 'claude-code'],
  ) => {
    const args = [resolve('dist/cli.js'), 'run', event, '--as-hook', ...more];
    const text = JSON.stringify({ session_id: session, cwd, hook_event_name: event, ...input });
    const env = { ...process.env, HOME: home };
    return spawnSync(process.execPath, args, { cwd, env, input: text, encoding: 'utf8' });
  };
  const kept = () => {
    const folder = join(home, '.hookwright/agent-stops');
    return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  };
  const stop = (isSentOn: boolean | undefined, session?: string): unknown => {
    const { stdout, stderr } = fire('Stop', isSentOn === undefined ? {} : { stop_hook_active: isSentOn }, session);
    const { decision, reason, continue: goesOn, stopReason } = JSON.parse(stdout === '' ? '{}' : stdout);
    expect(stderr).toBe(decision === undefined ? '' : `${reason}\n`);
    return goesOn === false ? `stopped: ${stopReason}` : decision && reason;
  };
  return { cwd, fire, stop, kept };
};

describe.skipIf(process.platform === 'win32')(
  'R1556 behind another agent, whose calls are processes of their own',
  () => {
    test('blocks of hooks are counted, and after maxStops of them a block stops the agent', () => {
      const { stop, kept } = project({ maxStops: 2 });
      expect([stop(false), stop(true)]).toEqual(['round 0', 'round 1']);
      const [file = ''] = kept();
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(stop(true, 'two')).toBe('round 1');
      expect(stop(true)).toMatch(/^stopped: .* 2 times for this prompt.* The last reason: round 2$/);
      // The count is over with the turn.
      expect(stop(false)).toBe('round 0');
    });

    test('a new prompt and the end of the session begin the count anew, also if the agent does not say whether it was sent on', () => {
      const { fire, stop, kept } = project();
      expect([stop(undefined), stop(undefined), stop(undefined)]).toEqual(['round 0', 'round 1', 'round 2']);
      fire('UserPromptSubmit', { prompt: 'go on' });
      expect(kept()).toEqual([]);
      expect([stop(undefined), stop(undefined)]).toEqual(['round 0', 'round 1']);
      fire('SessionEnd', { reason: 'other' }, 'two');
      expect(stop(undefined)).toBe('round 2');
      fire('SessionEnd', { reason: 'other' });
      expect(kept()).toEqual([]);
      expect(stop(undefined)).toBe('round 0');
    });

    test('an end that no hook blocked begins the count anew', () => {
      const { cwd, stop, kept } = project();
      expect(stop(false)).toBe('round 0');
      expect(kept()).toHaveLength(1);
      writeFileSync(join(cwd, 'done'), '');
      expect(stop(true)).toBe(undefined);
      expect(kept()).toEqual([]);
    });

    test('each sub-agent has a count of its own', () => {
      const { fire } = project({ maxStops: 1 });
      const end = (agent_id: string, stop_hook_active: boolean): unknown =>
        JSON.parse(fire('SubagentStop', { agent_id, agent_type: 'reviewer', stop_hook_active }).stdout);
      expect(end('a', false)).toMatchObject({ decision: 'block', reason: 'round 0' });
      expect(end('b', false)).toMatchObject({ decision: 'block', reason: 'round 0' });
      expect(end('a', true)).toMatchObject({ continue: false });
      expect(end('b', true)).toMatchObject({ continue: false });
    });

    test('so it is in the protocol of hookwright itself', () => {
      const { fire } = project({ maxStops: 1 });
      const end = (fields: object): unknown =>
        JSON.parse(fire('AfterAgent', { prompt: 'a', prompt_response: 'b', ...fields }, 'one', []).stdout);
      expect(end({})).toMatchObject({ decision: 'deny', reason: 'round 0' });
      expect(end({})).toMatchObject({ continue: false });
      expect(end({ stop_count: 0 })).toMatchObject({ decision: 'deny', reason: 'round 0' });
    });
  },
);
