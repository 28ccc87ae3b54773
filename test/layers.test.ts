import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hookEventNames } from '../src/events/index.ts';

const source = join(import.meta.dirname, '../src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const read = (file: string): string => readFileSync(join(source, file), 'utf8');

/**
 * What each folder may import beside itself and errors.ts. `type x` allows only `import type`, `node:*` any module of
 * Node; packages are listed too, so that what is called pure stays so. The rooms around the engine are below; nothing listed
 * here may import them.
 */
const mayImport: Record<string, readonly string[]> = {
  kit: ['node:*'],
  'errors.ts': [],
  protocol: ['kit', 'zod'],
  models: ['kit', 'protocol'],
  events: ['kit', 'protocol', 'models', 'zod'],
  bus: ['kit', 'protocol', 'type events', 'mitt', 'nanoid', 'rxjs'],
  registry: ['kit', 'protocol', 'events'],
  planner: ['kit', 'protocol', 'events', 'registry', 'picomatch', 'node:path', 'node:vm'],
  runners: ['kit', 'protocol', 'events', 'planner', 'execa', 'rxjs', 'node:*'],
  merging: ['kit', 'protocol', 'events', 'type models'],
  handlers: ['kit', 'bus', 'planner', 'runners', 'merging', 'registry', 'protocol', 'events', 'models', 'rxjs'],
  triggers: [
    'kit',
    'config.ts',
    'protocol',
    'models',
    'events',
    'merging',
    'bus',
    'type handlers',
    'type hook-system.ts',
  ],
};

/** The rooms around the engine: each may import the engine, any package, and those that stand before it. */
const around = [
  ...['agents', 'trust', 'settings', 'sessions', 'abilities', 'transports', 'facade'],
  ...['inspector', 'adapters', 'testing', 'cli'],
];

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

/** The door of kit behind which all that needs Node stands. */
const nodeDoor = join('kit', 'node.ts');
const pure = Object.keys(mayImport).filter(
  (room) => room !== 'kit' && !mayImport[room]?.some((name) => name.startsWith('node:')),
);

test.each(pure)('R074 %s reads no file: it imports nothing of Node, nor what needs Node', (room) => {
  const reaching = files.filter((file) => {
    if (layerOf(file) !== room) return false;
    const text = read(file);
    const specifiers = importsIn(text).map(({ specifier }) => specifier);
    return (
      /\bgetBuiltinModule\b|\brequire\s*\(/.test(text) ||
      specifiers.some((specifier) => specifier.startsWith('node:') || join(file, '..', specifier) === nodeDoor)
    );
  });
  expect(reaching).toEqual([]);
});

test.each(files.filter((file) => around.includes(layerOf(file))))(
  '%s imports only rooms that stand before its own',
  (file) => {
    const own = around.indexOf(layerOf(file));
    const targets = importsIn(read(file)).map(({ specifier }) => targetOf(file, specifier));
    expect(targets.filter((target) => around.indexOf(target) > own)).toEqual([]);
  },
);

test('every room is one of the engine or stands around it', () => {
  const rooms = new Set(files.filter((file) => /[\\/]/.test(file)).map(layerOf));
  expect([...rooms].filter((room) => !(room in mayImport) && !around.includes(room))).toEqual([]);
  expect(rooms.size).toBeLessThanOrEqual(22);
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
  const others = files.filter((file) => layerOf(file) !== 'events' && !/^agents.packs/.test(file));
  test.each(others)('%s does not branch on an event name', (file) => {
    expect(read(file).match(branch) ?? []).toEqual([]);
  });
});

test('R122 R235 hooks of an event are run by the families of the handler and by nothing else', () => {
  // What runs one hook on purpose, to measure or to compare it, fires no event: it stands in the outer ring, by name.
  const alone = ['sessions/backtest/', 'cli/benching/', 'cli/commands/bench/warm.ts'];
  const running = files
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) =>
      /[.?]\s*\[?['"]?execute(?:Hook|HooksParallel|HooksSequential|All)\b|runner\.runParallel|'executeHooks/.test(
        read(file),
      ),
    )
    .filter((file) => layerOf(file) !== 'runners' && !alone.some((folder) => file.startsWith(folder)));
  expect(running).toEqual(['handlers/ability-firing.ts', 'handlers/agent-firing.ts']);
});

describe('doors', () => {
  const rooms = [...new Set(files.filter((file) => /[\\/]/.test(file)).map(layerOf))];
  /** index.ts, and what says of itself at its beginning that it is a door, directly in the room. */
  const isDoor = (file: string): boolean =>
    file.split(/[\\/]/).length === 2 &&
    (/[\\/]index\.ts$/.test(file) || /^(?:\/\/|\/\*\*?).{0,200}\bdoor\b/is.test(read(file)));
  const targetsOf = (file: string): string[] =>
    importsIn(read(file))
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => join(file, '..', specifier));

  test.each(rooms)('%s has one, and at most three', (room) => {
    const doors = files.filter((file) => layerOf(file) === room && isDoor(file));
    expect(doors.map((file) => file.replaceAll('\\', '/'))).toContain(`${room}/index.ts`);
    expect(doors.length).toBeLessThanOrEqual(3);
    expect(read(join(room, 'index.ts')), 'says in a sentence what the room is for').toMatch(/^\/\*\*\s/);
  });

  test.each(files)('%s imports nothing past one', (file) => {
    const past = targetsOf(file).filter(
      (target) => /[\\/]/.test(target) && layerOf(target) !== layerOf(file) && !isDoor(target),
    );
    expect(past).toEqual([]);
  });

  test('no room leads back to itself', () => {
    const ways = new Map<string, Set<string>>();
    for (const file of files) {
      const to = ways.get(layerOf(file)) ?? new Set<string>();
      for (const target of targetsOf(file)) if (layerOf(target) !== layerOf(file)) to.add(layerOf(target));
      ways.set(layerOf(file), to);
    }
    const reached = (from: string, seen = new Set<string>()): Set<string> => {
      for (const next of ways.get(from) ?? []) if (!seen.has(next)) reached(next, seen.add(next));
      return seen;
    };
    expect([...ways.keys()].filter((room) => reached(room).has(room))).toEqual([]);
  });

  test('no file leads back to itself', () => {
    const state = new Map<string, 'open' | 'done'>();
    const cycles: string[] = [];
    const visit = (file: string, way: readonly string[]): void => {
      state.set(file, 'open');
      for (const target of targetsOf(file).filter((one) => files.includes(one))) {
        if (state.get(target) === 'open') cycles.push([...way.slice(way.indexOf(target)), target].join(' > '));
        else if (!state.has(target)) visit(target, [...way, target]);
      }
      state.set(file, 'done');
    };
    for (const file of files) if (!state.has(file)) visit(file, [file]);
    expect(cycles).toEqual([]);
  });
});
