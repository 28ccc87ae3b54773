import { createRequire } from 'node:module';
import type { Ajv as AjvClass } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readHookText } from '../../src/abilities/declaration/read-hook-file.ts';
import { abilityHookJsonSchema } from '../../src/abilities/internal.ts';

// Its types describe a module that its files are not.
const { Ajv }: { Ajv: typeof AjvClass } = createRequire(import.meta.url)('ajv');
const accepts = new Ajv({ strict: false }).compile(abilityHookJsonSchema());

const good = {
  id: 'guard-edit',
  event_type: 'PreAbilityCall',
  enabled: true,
  blocking: true,
  summary: 'x',
  match: { ability_scope: ['edit_*'] },
  handler: { kind: 'script', command: './guard.sh', args: ['x'], timeout_ms: 100 },
  on_fault: 'fail',
  effects: ['reads', { writes: 'a log' }],
};

const isClean = (value: unknown): boolean => readHookText(stringify(value), 'a.yaml', 'a.yaml').problems.length === 0;

test('the schema takes a declaration with everything in it, and so does loading', () => {
  expect([accepts(good), isClean(good)]).toEqual([true, true]);
});

test('what the schema takes and what loading finds no fault with is the same', () => {
  const odd = fc.oneof(
    fc.constantFrom('', ' ', 'x', 'skip', 'yes', -1, 0, 1, true, null, [], ['x'], [''], {}, { kind: 'script' }),
    fc.boolean(),
  );
  const key = fc.constantFrom(...Object.keys(good), 'unknown');
  fc.assert(
    fc.property(fc.array(fc.tuple(key, odd), { maxLength: 2 }), fc.array(key, { maxLength: 1 }), (changes, without) => {
      const value: Record<string, unknown> = { ...good, ...Object.fromEntries(changes) };
      for (const name of without) delete value[name];
      // Blanks make no name and no command; one letter makes both.
      expect(isClean(value)).toBe(accepts(value));
    }),
  );
});

test('every key has words for editors', () => {
  const { properties } = abilityHookJsonSchema();
  for (const member of Object.values(Object(properties))) expect(member).toHaveProperty('description');
});
