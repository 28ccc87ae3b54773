import { describe, expect, test } from 'vitest';
import { dialectNamed } from '../../src/agents/index.ts';
import { type AgentFileText, readAgentFiles } from '../../src/agents/reading/read-file.ts';

const read = (name: string, files: readonly AgentFileText[]) => {
  const dialect = dialectNamed(name);
  if (dialect === undefined) throw new Error(`no dialect ${name}`);
  return readAgentFiles(dialect, files).flatMap(({ reading }) =>
    reading.entries.map(({ handler, off }) => [handler?.command ?? handler?.url, off]),
  );
};

const user = (path: string, form: string, text: string): AgentFileText => ({ path, scope: 'user', form, text });

describe('single hooks are switched off', () => {
  const hooks = `
[[hooks.PreToolUse]]
[[hooks.PreToolUse.hooks]]
type = "command"
command = "./one.sh"
[[hooks.PreToolUse.hooks]]
type = "command"
command = "./two.sh"
[hooks.state."/u/.codex/config.toml:pre_tool_use:0:1"]
enabled = false
`;

  test('in the state that Codex keeps of its user', () => {
    expect(read('codex', [user('/u/.codex/config.toml', 'toml', hooks)])).toEqual([
      ['./one.sh', undefined],
      ['./two.sh', 'hooks.state."/u/.codex/config.toml:pre_tool_use:0:1" in /u/.codex/config.toml'],
    ]);
  });

  test('and a project cannot write that state', () => {
    const ofProject = { ...user('/u/.codex/config.toml', 'toml', hooks), scope: 'project' } as const;
    expect(read('codex', [ofProject]).map(([, off]) => off)).toEqual([undefined, undefined]);
  });

  test('by an administrator, who lets nothing run but what is managed', () => {
    const dialect = dialectNamed('codex');
    if (dialect === undefined) throw new Error('no dialect codex');
    const group = (command: string): string =>
      `[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "${command}"\n`;
    const path = '/etc/codex/requirements.toml';
    const required = (only: boolean): AgentFileText => ({
      path,
      scope: 'system',
      form: 'requirements',
      text: `allow_managed_hooks_only = ${only}\n[hooks]\nmanaged_dir = "/opt/hooks"\n${group('/opt/hooks/guard')}`,
    });
    const layer: AgentFileText = {
      path: '/etc/codex/config.toml',
      scope: 'system',
      form: 'toml',
      text: group('./layer'),
    };
    const own = user('/u/.codex/config.toml', 'toml', `allow_managed_hooks_only = false\n${group('./mine')}`);
    const offOf = (only: boolean) =>
      readAgentFiles(dialect, [required(only), layer, own]).map(({ reading }) => {
        expect(reading.problems).toEqual([]);
        return [reading.entries.map(({ handler }) => handler?.command), reading.off];
      });
    expect(offOf(true)).toEqual([
      [['/opt/hooks/guard'], undefined],
      [['./layer'], undefined],
      [['./mine'], `allow_managed_hooks_only in ${path}`],
    ]);
    expect(offOf(false).map(([, off]) => off)).toEqual([undefined, undefined, undefined]);
  });

  test('by the variables that Claude Code lets endpoints see', () => {
    const claude = dialectNamed('claude-code');
    const http = { type: 'http', url: 'https://a.example', allowedEnvVars: ['A', 'B'] };
    const settings = { httpHookAllowedEnvVars: ['B'], hooks: { PreToolUse: [{ hooks: [http] }] } };
    const [one] =
      claude === undefined ? [] : readAgentFiles(claude, [user('/u/s.json', 'settings', JSON.stringify(settings))]);
    expect(one?.reading.entries[0]?.handler?.allowedEnvVars).toEqual(['B']);
  });

  test('by a list of endpoints, stars included', () => {
    const urls = ['https://a.example/x', 'http://b.example'];
    const settings = {
      allowedHttpHookUrls: ['https://*.example/*'],
      hooks: { PreToolUse: [{ hooks: urls.map((url) => ({ type: 'http', url })) }] },
    };
    expect(read('claude-code', [user('/u/s.json', 'settings', JSON.stringify(settings))])).toEqual([
      [urls[0], undefined],
      [urls[1], `allowedHttpHookUrls in /u/s.json, which does not have ${urls[1]}`],
    ]);
  });
});

test('hooks at the end of a session share what the one asks for that asks for most, a minute at the most', () => {
  const claude = dialectNamed('claude-code');
  const timeouts = (...wanted: readonly (number | undefined)[]) => {
    const hooks = wanted.map((timeout) => ({
      type: 'command',
      command: 'x',
      ...(timeout === undefined ? {} : { timeout }),
    }));
    const text = JSON.stringify({ hooks: { SessionEnd: [{ hooks }] } });
    const [one] = claude === undefined ? [] : readAgentFiles(claude, [user('/u/s.json', 'settings', text)]);
    return one?.reading.entries.map(({ handler }) => handler?.timeoutMs);
  };
  expect(timeouts(undefined)).toEqual([1_500]);
  expect(timeouts(undefined, 10, 1)).toEqual([10_000, 10_000, 1_000]);
  expect(timeouts(undefined, 100)).toEqual([60_000, 60_000]);
});
