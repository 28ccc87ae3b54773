import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hookEventNames } from '../src/events/catalogue.ts';

const source = join(import.meta.dirname, '../src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const read = (file: string): string => readFileSync(join(source, file), 'utf8');

/**
 * What each folder may import beside itself and errors.ts. `type x` allows only `import type`, `node:*` any module of
 * Node; packages are listed too, so that what is called pure stays so. Whatever is not a key here is the outer ring: it
 * may import anything, and nothing listed here may import it.
 */
const mayImport: Record<string, readonly string[]> = {
  kit: ['node:*'],
  'errors.ts': [],
  protocol: ['kit', 'zod'],
  translator: ['kit', 'protocol'],
  events: ['kit', 'protocol', 'translator', 'zod'],
  bus: ['kit', 'protocol', 'type events', 'mitt', 'nanoid', 'rxjs'],
  registry: ['kit', 'protocol', 'events'],
  planner: ['kit', 'protocol', 'events', 'registry', 'picomatch', 'node:vm'],
  runners: ['kit', 'protocol', 'events', 'planner', 'execa', 'rxjs', 'node:*'],
  aggregator: ['kit', 'protocol', 'events', 'type translator'],
  handlers: ['kit', 'bus', 'planner', 'runners', 'aggregator', 'registry', 'protocol', 'events', 'translator', 'rxjs'],
  triggers: ['kit', 'config.ts', 'protocol', 'translator', 'events', 'bus', 'type handlers', 'type hook-system.ts'],
  recorder: ['kit', 'protocol', 'bus', 'rxjs', 'zod', 'node:*'],
};

/** `bus` for src/bus/index.ts, `errors.ts` for src/errors.ts: a file and a folder of one name are two layers. */
const layerOf = (file: string): string => file.split(/[\\/]/)[0] ?? '';

/** `../bus/index.ts` seen from a file is `bus`; a package is its own name, `zod` for `zod/mini`. */
const targetOf = (file: string, specifier: string): string =>
  layerOf(specifier.startsWith('.') ? join(file, '..', specifier) : specifier);

const importsIn = (text: string): { isType: boolean; specifier: string }[] => {
  const statements = /(?:^(?:import|export)\s+(type\s)?[^;'"]*?\sfrom\s+|\bimport\s*\(?\s*)['"]([^'"]+)['"]/gm;
  return [...text.matchAll(statements)].map(([, type, specifier = '']) => ({ isType: type !== undefined, specifier }));
};

test.each(files)('%s imports only layers below it', (file) => {
  const listed = mayImport[layerOf(file)];
  if (listed === undefined) return;
  const allowed = [layerOf(file), 'errors.ts', ...listed];
  const refused = importsIn(read(file)).filter(({ isType, specifier }) => {
    const target = targetOf(file, specifier);
    const names = [target, target.replace(/^node:.*/, 'node:*'), ...(isType ? [`type ${target}`] : [])];
    return !names.some((name) => allowed.includes(name));
  });
  expect(refused).toEqual([]);
});

/** The files through which other rooms may come in, where a room has doors; the first is the usual one. */
const doors: Record<string, readonly string[]> = {
  kit: ['index.ts', 'node.ts'],
  runners: ['index.ts', 'commands.ts'],
};

test.each(files)('%s comes into other rooms by their doors', (file) => {
  const beside = importsIn(read(file)).filter(({ specifier }) => {
    if (!specifier.startsWith('.')) return false;
    const target = join(file, '..', specifier).replaceAll('\\', '/');
    const room = layerOf(target);
    const open = doors[room];
    return open !== undefined && room !== layerOf(file) && !open.includes(target.slice(room.length + 1));
  });
  expect(beside).toEqual([]);
});

test('an import is seen in all its forms', () => {
  const text = `
import { a, type B } from './a.ts';
import type { C } from './c.ts';
import {
  d,
} from './d.ts';
import './e.ts';
export { f } from './f.ts';
export type * from './g.ts';
const h = await import('./h.ts');
`;
  const seen = importsIn(text).map(({ isType, specifier }) => `${isType ? 'type ' : ''}${specifier}`);
  expect(seen).toEqual(['./a.ts', 'type ./c.ts', './d.ts', './e.ts', './f.ts', 'type ./g.ts', './h.ts']);
});

describe('what is particular to an event stands in its record', () => {
  const name = `(?:HookEventName\\.\\w+|['"](?:${hookEventNames.join('|')})['"])`;
  const branch = new RegExp(`case\\s+${name}|[!=]==?\\s*${name}|${name}\\s*[!=]==?`, 'g');

  // The events of other agents stand in their packs, by names that are sometimes ours.
  const others = files.filter((file) => layerOf(file) !== 'events' && !/^dialects.packs/.test(file));
  test.each(others)('%s does not branch on an event name', (file) => {
    expect(read(file).match(branch) ?? []).toEqual([]);
  });
});
