import { describe, expect, onTestFinished, test } from 'vitest';
import { createHooks } from '../../src/index.ts';
import { approveAll } from '../trust/approve-all.ts';
import { createPlace, type Place, USER } from './support.ts';

const PROJECT = 'project/.hookwright/settings.json';

const guard = { name: 'guard', command: 'exit 2', onFault: 'deny' };

const other = { name: 'other', command: 'true' };

const settings = (hooks: readonly object[], event = 'BeforeTool'): object => ({
  hooks: { [event]: [{ matcher: 'Bash', hooks }] },
});

const decide = async (place: Place) => {
  const { config } = await place.load();
  const hooks = await createHooks({ config });
  onTestFinished(() => hooks.close());
  const { verdict, faults, reason } = await hooks.beforeTool({ tool: 'Bash', input: {} });
  const elsewhere = await hooks.beforeTool({ tool: 'Read', input: {} });
  expect(elsewhere.verdict).toBe('none');
  return { verdict, codes: faults.map(({ code }) => code), reason, problems: hooks.problems };
};

const { command: _command, ...nameless } = guard;
const bare = { name: 'guard', command: 'exit 2' };

describe.each([USER, PROJECT])('R1591 a guard that was in force in %s', (file) => {
  test.each([
    ['its command has a misspelt key', settings([{ ...nameless, comand: 'exit 2' }, other])],
    ['its timeout is a text that says nothing', settings([{ ...guard, timeout: 'soon' }, other])],
    ['its onFault is another word', settings([{ ...guard, onFault: 'block' }, other])],
    ['the key of its onFault is misspelt', settings([{ name: 'guard', command: 'exit 2', onfault: 'deny' }, other])],
    ['the key of its timeout is misspelt', settings([{ ...guard, timeot: 5_000 }, other])],
    ['the key of its matcher is misspelt', { hooks: { BeforeTool: [{ mather: 'Bash', hooks: [guard, other] }] } }],
    ['its event is misspelt', settings([guard, other], 'BeforTool')],
    ['another hook took its place and cannot be read', settings([{ ...nameless, name: 'gard', comand: 'exit 2' }])],
    ['the key of all hooks is misspelt', { hook: { BeforeTool: [{ matcher: 'Bash', hooks: [guard, other] }] } }],
    ['the key of all hooks is in capitals', { Hooks: { BeforeTool: [{ matcher: 'Bash', hooks: [guard, other] }] } }],
    ['all hooks are a list', { hooks: [{ event: 'BeforeTool', matcher: 'Bash', hooks: [guard, other] }] }],
    ['all hooks are a text', { hooks: './guard.sh' }],
    ['all hooks are one level too deep', { hooks: settings([guard, other]) }],
    [
      'its onFault stands on its group',
      { hooks: { BeforeTool: [{ matcher: 'Bash', onFault: 'deny', hooks: [bare] }] } },
    ],
    ['the hooks of its group are misspelt', { hooks: { BeforeTool: [{ matcher: 'Bash', hook: [guard, other] }] } }],
  ])('refuses what it would check when %s', async (_what, mistaken) => {
    const place = createPlace();
    place.write(file, settings([guard, other]));
    await approveAll(place);
    expect(await decide(place)).toMatchObject({ verdict: 'deny', codes: [] });
    for (let start = 0; start < 2; start += 1) {
      place.write(file, mistaken);
      const { verdict, codes, reason } = await decide(place);
      expect({ verdict, codes }).toEqual({ verdict: 'deny', codes: ['invalid-config'] });
      expect(reason).toContain('"guard": it cannot be read at');
    }
    place.write(file, settings([guard, other]));
    expect(await decide(place)).toMatchObject({ verdict: 'deny', codes: [], problems: [] });
  });

  test.each([
    ['its command has a misspelt key', settings([{ ...nameless, comand: 'exit 2', onFault: 'ask' }, other])],
    ['its event is misspelt', settings([{ ...guard, onFault: 'ask' }, other], 'BeforTool')],
  ])(
    'R2011 refuses what it would check when %s and its onFault is ask and no person can approve',
    async (_what, mistaken) => {
      const place = createPlace();
      place.write(file, settings([{ ...guard, onFault: 'ask' }, other]));
      await approveAll(place);
      expect(await decide(place)).toMatchObject({ verdict: 'deny', codes: [] });
      place.write(file, mistaken);
      const { verdict, codes, reason } = await decide(place);
      expect({ verdict, codes }).toEqual({ verdict: 'deny', codes: ['invalid-config'] });
      expect(reason).toMatch(/"guard": it cannot be read at .*onFault: "ask" asks/);
    },
  );

  test('refuses nothing once it was taken out of a file without mistakes', async () => {
    const place = createPlace();
    place.write(file, settings([guard]));
    await approveAll(place);
    await decide(place);
    place.write(file, settings([]));
    expect(await decide(place)).toMatchObject({ verdict: 'none', codes: [] });
  });
});

test.each([
  ['hook', { hook: { BeforeTool: [{ hooks: [guard] }] } }, 'did you mean "hooks"?'],
  ['Hooks', { Hooks: { BeforeTool: [{ hooks: [guard] }] } }, 'did you mean "hooks"?'],
  ['hooks', { hooks: [guard] }, 'write "hooks": {"BeforeTool": [{"hooks": [ … ]}]}'],
  ['hooks.hooks', { hooks: settings([guard]) }, 'take its events out of it: "hooks": {"BeforeTool": [ … ]}'],
  ['hooks.BeforeTool[0].hooks', { hooks: { BeforeTool: [{ hook: [guard] }] } }, 'write hooks for hook'],
])(
  'R2010 %s with a guard that cannot be found there is an error that says how to write it',
  async (path, text, hint) => {
    const place = createPlace();
    place.write(USER, text);
    const { problems } = await decide(place);
    expect(problems).toMatchObject([{ severity: 'error', skipped: true, path, hint }]);
  },
);

test.each([
  [`{"hooks": {"BeforeTool": [{"hooks": [${JSON.stringify(guard)}]}]}, "hooks": {}}`, 'hooks'],
  [`{"hooks": {"BeforeTool": [{"hooks": [${JSON.stringify(guard)}], "hooks": []}]}}`, 'hooks.BeforeTool[0].hooks'],
])('R2032 %s: the key that is there twice and loses a guard is an error', async (text, path) => {
  const place = createPlace();
  place.write(USER, text);
  const { problems } = await decide(place);
  expect(problems).toMatchObject([{ severity: 'error', code: 'duplicate-key', path }]);
});

test.each([
  ['an onFault that is another word', { ...guard, onFault: 'block' }, 'onFault', 'did you mean "deny"?'],
  ['an onFault in capitals', { ...guard, onFault: 'Deny' }, 'onFault', 'did you mean "deny"?'],
  ['an onFault that is no word', { ...guard, onFault: true }, 'onFault', undefined],
  ['type rule and no verdict', { type: 'rule', name: 'guard', if: 'Bash(rm *)', reason: 'no' }, 'verdict', undefined],
])(
  'R1881 an entry with %s was meant as a guard: an error says that it will not run',
  async (_what, entry, key, hint) => {
    const place = createPlace();
    place.write(USER, settings([entry]));
    const { problems } = await decide(place);
    expect(problems).toMatchObject([
      {
        severity: 'error',
        skipped: true,
        path: `hooks.BeforeTool[0].hooks[0].${key}`,
        message: expect.stringMatching(/; the guard will not run$/),
        ...(hint === undefined ? {} : { hint }),
      },
    ]);
  },
);

test.each([
  ['onfault', { name: 'guard', command: 'exit 2', onfault: 'deny' }],
  ['onFalt', { name: 'guard', command: 'exit 2', onFalt: 'deny' }],
  ['Timeout', { ...guard, Timeout: 5_000 }],
  ['If', { type: 'rule', name: 'guard', If: 'Bash(rm *)', verdict: 'deny' }],
])('R1936 a guard with the misspelt key %s does not run without it: that is an error', async (key, entry) => {
  const place = createPlace();
  place.write(USER, settings([entry]));
  const { verdict, problems } = await decide(place);
  expect(verdict).toBe('none');
  expect(problems).toMatchObject([
    {
      code: 'unknown-key',
      severity: 'error',
      skipped: true,
      path: `hooks.BeforeTool[0].hooks[0].${key}`,
      message: expect.stringMatching(/did you mean "\w+"\?; the guard will not run$/),
    },
  ]);
});

test.each([
  ['of a hook that is no guard', { hooks: { BeforeTool: [{ hooks: [{ ...other, timeot: 5_000 }] }] } }, 'warning'],
  ['that is far from one of a guard', settings([{ ...guard, id: 'x' }]), 'warning'],
  ['of the names of required guards', { requierd: ['guard'] }, 'error'],
])('R1936 a misspelt key %s is named', async (_what, mistaken, severity) => {
  const place = createPlace();
  place.write(USER, mistaken);
  const { config } = await place.load();
  const hooks = await createHooks({ config });
  onTestFinished(() => hooks.close());
  expect(hooks.problems).toMatchObject([{ code: 'unknown-key', severity }]);
});

test.each([
  ['hooks.BeforeTool[0].onFault', { hooks: { BeforeTool: [{ onFault: 'deny', hooks: [bare] }] } }],
  ['hooks.BeforeTool[0].onfault', { hooks: { BeforeTool: [{ onfault: 'ask', hooks: [bare] }] } }],
  ['hooks.BeforeTool[0].verdict', { hooks: { BeforeTool: [{ verdict: 'deny', hooks: [bare] }] } }],
  ['hooks.BeforeTool[0].if', { hooks: { BeforeTool: [{ if: 'Bash(rm *)', hooks: [guard] }] } }],
  ['hooks.onFault', { hooks: { onFault: 'deny', BeforeTool: [{ matcher: 'Bash', hooks: [bare] }] } }],
  ['onFault', { onFault: 'deny', hooks: { BeforeTool: [{ matcher: 'Bash', hooks: [bare] }] } }],
  ['timeout', { timeout: 5_000, hooks: { BeforeTool: [{ matcher: 'Bash', hooks: [guard] }] } }],
])('R2081 %s, which a guard needs on its hook, is an error', async (path, text) => {
  const place = createPlace();
  place.write(USER, text);
  const { problems } = await decide(place);
  expect(problems).toMatchObject([{ severity: 'error', skipped: true, code: 'unknown-key', path }]);
});

test.each([
  ['hooks.BeforeTool[0].timeout', { hooks: { BeforeTool: [{ timeout: 5_000, hooks: [other] }] } }],
  ['hooks.BeforeTool[0].onFault', { hooks: { BeforeTool: [{ onFault: 'allow', hooks: [other] }] } }],
  ['onFault', { onFault: 'allow', hooks: { BeforeTool: [{ matcher: 'Bash', hooks: [other] }] } }],
])('R2081 %s where no guard is lost is a warning', async (path, text) => {
  const place = createPlace();
  place.write(USER, text);
  const { problems } = await decide(place);
  expect(problems).toMatchObject([{ severity: 'warning', path, hint: 'write it into each hook' }]);
});

test.each([
  ['the top level', { ...settings([bare]), onFault: 'deny' }],
  ['the level of events', { hooks: { onFault: 'deny', BeforeTool: [{ matcher: 'Bash', hooks: [bare] }] } }],
])('R2081 a guard whose onFault moved to %s is refused as one that cannot be read', async (_where, moved) => {
  const place = createPlace();
  place.write(USER, settings([guard]));
  await decide(place);
  place.write(USER, moved);
  expect(await decide(place)).toMatchObject({ verdict: 'deny', codes: ['invalid-config'] });
});
