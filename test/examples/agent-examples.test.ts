/** The hook files of examples/agents, which the pages of docs/coming-from show: before and after the import they deny the same call. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { dialectNamed } from '../../src/agents/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildPackage } from './support.ts';

const agents = readdirSync('examples/agents');
const cli = resolve('dist/cli.js');

beforeAll(buildPackage, 60_000);

/** What the page shows: the calls that fire the event, and how to import. */
const shownOn = (page: string) => {
  const [, event = '', tool = ''] = /hookwright run (\w+) --tool (\w+) --agent/.exec(page) ?? [];
  const [, from = ''] = /hookwright import --from ([\w-]+)` writes/.exec(page) ?? [];
  const [, settings = ''] = /` writes `\.hookwright\/settings\.json`:\n\n```json\n(.*?)^```$/ms.exec(page) ?? [];
  return { event, tool, from, settings };
};

describe.skipIf(process.platform === 'win32')('the hook files on the pages of other agents', () => {
  test.each(agents)(
    'R1682 of %s deny the same call before and after the import, which writes what the page shows',
    (agent) => {
      const project = temporaryFolder('agent');
      cpSync(join('examples/agents', agent), project, { recursive: true });
      mkdirSync(join(project, 'home'));
      const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`;
      const env = { ...process.env, HOME: join(project, 'home'), PATH: path, NO_COLOR: '1' };
      const hookwright = (...args: string[]): string => {
        try {
          return execFileSync(process.execPath, [cli, ...args], { cwd: project, env, encoding: 'utf8', stdio: 'pipe' });
        } catch (error) {
          // Exit code 1 is a denial.
          if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string') return error.stdout;
          throw error;
        }
      };
      const page = readFileSync(`docs/coming-from/${agent}.md`, 'utf8');
      const { event, tool, from, settings } = shownOn(page);
      const { tools } = dialectNamed(agent)?.tools ?? { tools: [] };
      const argument = tools.find(({ kind }) => kind === 'shell')?.args?.command ?? 'command';
      const call = (command: string): string => JSON.stringify({ tool_input: { [argument]: command } });
      const before = (command: string): string =>
        hookwright('run', event, '--tool', tool, '--agent', agent, '--input', call(command));
      const after = (command: string): string =>
        hookwright('run', 'BeforeTool', '--tool', tool, '--input', call(command));
      const denial = `${tool}: deny: deleting recursively is for people\n`;

      hookwright('trust', '--yes', '--agent', agent);
      expect(before('rm -rf build')).toContain(denial);
      expect(before('ls')).not.toContain('deny');
      hookwright('import', '--from', from);
      expect(readFileSync(join(project, '.hookwright/settings.json'), 'utf8')).toBe(settings);
      const [, twice] = /After an import, remove the hooks from `([^`]+)`/.exec(page) ?? [];
      if (twice !== undefined) rmSync(join(project, twice));
      hookwright('trust', '--yes');
      expect(after('rm -rf build')).toContain(denial);
      expect(after('ls')).not.toContain('deny');
    },
  );

  test('there is one of each agent', () => {
    expect(agents).toEqual(readdirSync('docs/coming-from').map((file) => file.replace(/\.md$/, '')));
  });
});
