import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPlace } from '../settings/support.ts';

const hooks = { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] } };

test.each<[string, string, (project: string) => string]>([
  ['CODEX_HOME, absolute', 'CODEX_HOME', (project) => join(project, 'home')],
  ['CODEX_HOME, relative', 'CODEX_HOME', () => 'home'],
])(
  'R1053 a file of an agent that a variable leads to in the project is one of the project: %s',
  async (_what, name, valueIn) => {
    const place = createPlace();
    place.write('project/home/hooks.json', hooks);
    const { config, problems } = await place.load({
      env: { [name]: valueIn(place.project) },
      dialects: { codex: true },
    });
    expect(config.getUserHooks()).toBeUndefined();
    expect(Object.keys(config.getHooks() ?? {})).toHaveLength(1);
    expect(problems.map(({ code }) => code)).toContain('awaiting-approval');
  },
);
