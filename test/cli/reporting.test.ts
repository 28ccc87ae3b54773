import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { commands } from '../../src/cli/index.ts';
import { type ReportedCheck, renderReport } from '../../src/cli/rendering/reporters.ts';

const checks: readonly ReportedCheck[] = [
  { name: 'good', rule: 'BeforeTool', durationMs: 12 },
  {
    name: 'bad <one>',
    rule: 'matcher',
    level: 'warning',
    message: '50% of "a,b":\nnothing & \u0007',
    file: '/srv/app/.hookwright/settings.json',
    line: 3,
    column: 7,
  },
  { name: 'worse', rule: 'launch', level: 'error', message: 'not there', file: '/etc/hookwright/settings.json' },
  { name: 'by the way', rule: 'matcher-breadth', level: 'note', message: 'more' },
];

const told = (form: string, some = checks): string =>
  renderReport(form, { command: 'doctor', cwd: '/srv/app', checks: some });

describe('R856 what was found, in the form of a pipeline', () => {
  test('github: a command for each finding, with its place, and nothing that ends it early', () => {
    expect(told('github').split('\n')).toEqual([
      '::warning file=.hookwright/settings.json,line=3,col=7,title=hookwright doctor%3A matcher::50%25 of "a,b":%0Anothing & \u0007',
      '::error file=/etc/hookwright/settings.json,title=hookwright doctor%3A launch::not there',
      '::notice title=hookwright doctor%3A matcher-breadth::more',
    ]);
    expect(told('github', [])).toBe('');
  });

  test('junit: a case for each check, failures with their message, and no sign that XML does not know', () => {
    const text = told('junit');
    expect(text).toContain('<testsuite name="hookwright doctor" tests="4" failures="2">');
    expect(text).toContain('<testcase classname="BeforeTool" name="good" time="0.012"/>');
    expect(text).toContain('name="bad &#60;one&#62;" file=".hookwright/settings.json" line="3"');
    expect(text).toContain('message="50% of &#34;a,b&#34;:&#10;nothing &#38; \ufffd"');
    expect(told('junit', [])).toContain('tests="1" failures="0"');
  });

  test('sarif: rules, results and their places', () => {
    const { version, runs } = JSON.parse(told('sarif'));
    expect(version).toBe('2.1.0');
    expect(runs[0].tool.driver.rules).toEqual([{ id: 'matcher' }, { id: 'launch' }, { id: 'matcher-breadth' }]);
    expect(runs[0].results).toMatchObject([
      {
        ruleId: 'matcher',
        level: 'warning',
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: '.hookwright/settings.json' },
              region: { startLine: 3, startColumn: 7 },
            },
          },
        ],
      },
      { level: 'error' },
      { level: 'note', locations: [] },
    ]);
  });

  test('the workflow of the examples asks for commands and flags that there are', () => {
    const { jobs } = parse(readFileSync('examples/ci/hooks.yml', 'utf8'));
    const lines: string[] = jobs.hooks.steps.flatMap(({ run = '' }: { run?: string }) =>
      run.startsWith('npx hookwright') ? [run] : [],
    );
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) {
      const [, name, ...words] = line.replace(/ > .*/, '').split(' ').slice(1);
      const command = commands.find(({ spec }) => spec.name === name);
      expect(() => command?.prepare(words), line).not.toThrow();
      expect(command, line).toBeDefined();
    }
  });
});
