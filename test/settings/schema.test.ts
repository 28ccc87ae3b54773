import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Ajv as AjvClass } from 'ajv';
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { isRecord } from '../../src/kit/index.ts';
import { extensionJsonSchema, settingsJsonSchema } from '../../src/settings/index.ts';
import { runNode } from '../examples/support.ts';
import { createPlace, OWN } from './support.ts';

// Its types describe a module that its files are not.
const { Ajv }: { Ajv: typeof AjvClass } = createRequire(import.meta.url)('ajv');
const accepts = new Ajv({ strict: false, allErrors: true }).compile(settingsJsonSchema());

/** Whether the schema takes it, and whether loading finds fault with it: the two have to agree. */
const judge = async (settings: unknown): Promise<{ schema: boolean; loading: boolean }> => {
  const { write, load } = createPlace();
  write(OWN, JSON.stringify(settings));
  // That hooks of a project wait for an approval says nothing about how they are written.
  const problems = (await load()).problems.filter(({ code }) => code !== 'awaiting-approval');
  return { schema: accepts(settings), loading: problems.length === 0 };
};

test('the schema and the tables of the documentation are up to date', async () => {
  const { code, stdout, stderr } = await runNode('scripts/generate-schemas.mjs', { args: ['--check'] });
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: 'schemas and their tables are up to date\n',
    stderr: '',
  });
});

/** Of ours: what stands in the folder of another agent has its rules. */
const examples = readdirSync('examples', { recursive: true, encoding: 'utf8' }).filter(
  (file) => /settings\.jsonc?$/.test(file) && !/\.(?:claude|qwen)/.test(file),
);

test.each([['settings.jsonc'], ['budget-settings.jsonc']])('%s of the documentation is one that is checked', (file) => {
  expect(examples).toContain(`configuration/${file}`);
  const page = readFileSync('docs/configuration.md', 'utf8');
  expect(page).toContain(readFileSync(`examples/configuration/${file}`, 'utf8'));
});

test.each(examples)('the schema accepts examples/%s, and loading finds nothing wrong with it', async (file) => {
  const settings: unknown = parse(readFileSync(`examples/${file}`, 'utf8'));
  expect(accepts(settings), JSON.stringify(accepts.errors)).toBe(true);
  expect(await judge(settings)).toEqual({ schema: true, loading: true });
});

const hook = (member: object): object => ({ hooks: { BeforeTool: [{ hooks: [{ command: 'a', ...member }] }] } });

describe('what the schema and loading agree about', () => {
  test.each<[title: string, settings: unknown]>([
    ['nothing', {}],
    ['a schema', { $schema: 'x' }],
    ['budgets', { budgetMs: { BeforeTool: 200, SessionEnd: 1_000 } }],
    ['advice', hook({ advisory: true, onFault: 'allow' })],
    ['an event without hooks', { hooks: { SessionEnd: [] } }],
    ['all of a hook', hook({ name: 'n', args: ['a'], timeout: 5_000, env: { A: 'b' }, cwd: '/', onFault: 'ask' })],
    ['a condition', hook({ if: 'sh(git push *)' })],
    ['several conditions', hook({ if: ['Edit(.env)', 'mcp__github__*'] })],
    ['a rule', { hooks: { BeforeTool: [{ hooks: [{ type: 'rule', verdict: 'ask', reason: 'r' }] }] } }],
    ['a rule where a group stands', { hooks: { BeforeTool: [{ matcher: 'a', if: 'a(b *)', verdict: 'deny' }] } }],
    ['times with units', hook({ timeout: '1.5 m' })],
    ['background as others call it', hook({ async: true })],
    ['a request', { hooks: { AfterTool: [{ hooks: [{ type: 'http', url: 'https://h.example' }] }] } }],
    [
      'a group with all it can have',
      { hooks: { AfterTool: [{ matcher: '', sequential: true, description: 'd', hooks: [] }] } },
    ],
  ])('%s is fine', async (_title, settings) => {
    expect(await judge(settings)).toEqual({ schema: true, loading: true });
  });

  test.each<[title: string, settings: unknown]>([
    ['a list', []],
    ['an unknown key', { hook: {} }],
    ['an unknown event', { hooks: { BeforeTol: [] } }],
    ['an event that is no list', { hooks: { BeforeTool: { hooks: [] } } }],
    ['a hook in place of its group', { hooks: { BeforeTool: [{ command: 'a' }] } }],
    ['an unknown key of a hook', hook({ comand: 'a' })],
    ['a hook without a command', { hooks: { BeforeTool: [{ hooks: [{ name: 'a' }] }] } }],
    ['a request without an address', { hooks: { BeforeTool: [{ hooks: [{ type: 'http', command: 'a' }] }] } }],
    ['an empty command', hook({ command: ' ' })],
    ['a condition that is no pattern', hook({ if: 'git push *)' })],
    ['an empty list of conditions', hook({ if: [] })],
    ['a rule that allows', { hooks: { BeforeTool: [{ matcher: 'a', verdict: 'allow' }] } }],
    ['a rule without a verdict', { hooks: { BeforeTool: [{ hooks: [{ type: 'rule' }] }] } }],
    ['an unknown type', hook({ type: 'comand' })],
    ['an unknown policy', hook({ onFault: 'block' })],
    ['advice that would deny', hook({ advisory: true, onFault: 'deny' })],
    ['a budget of an unknown event', { budgetMs: { BeforeTol: 200 } }],
    ['a budget with a unit', { budgetMs: { BeforeTool: '200ms' } }],
    ['a budget of nothing', { budgetMs: { BeforeTool: 0 } }],
    ['a budget for everything', { budgetMs: 200 }],
    ['a time that is none', hook({ timeout: 'soon' })],
    ['a time below zero', hook({ timeout: -1 })],
    ['an environment with numbers', hook({ env: { A: 1 } })],
    ['a matcher that is no text', { hooks: { BeforeTool: [{ matcher: 7, hooks: [] }] } }],
    ['a switch that is none', { hooksConfig: { enabled: 'yes' } }],
    ['names that are none', { hooksConfig: { disabled: [7] } }],
  ])('%s is not', async (_title, settings) => {
    expect(await judge(settings)).toEqual({ schema: false, loading: false });
  });
});

test('the schema of an extension has hooks and no switches, as loading does', () => {
  const acceptsExtension = new Ajv({ strict: false }).compile(extensionJsonSchema());
  expect(acceptsExtension({ description: 'd', ...hook({ timeout: '5s' }) })).toBe(true);
  for (const refused of [hook({ comand: 'a' }), { hooksConfig: {} }, { allowEnv: [] }, { BeforeTool: [] }]) {
    expect(acceptsExtension(refused)).toBe(false);
  }
});

test.each([settingsJsonSchema(), extensionJsonSchema()])(
  '$title: every member has a title and a description',
  (schema) => {
    const bare: string[] = [];
    const look = (schema: unknown, path: string): void => {
      if (!isRecord(schema)) return;
      for (const [key, member] of Object.entries(isRecord(schema.properties) ? schema.properties : {})) {
        if (!isRecord(member) || !member.title || !member.description) bare.push(`${path}.${key}`);
        look(member, `${path}.${key}`);
      }
    };
    look(schema, '');
    if (isRecord(schema.definitions)) for (const [name, each] of Object.entries(schema.definitions)) look(each, name);
    expect(bare).toEqual([]);
  },
);
