import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createConsumer } from './consumer.ts';

test('plain JavaScript in an empty project can import it', async () => {
  const consumer = await createConsumer();
  consumer.write(
    'index.js',
    `import { MessageBus } from 'hookwright';
     import { MessageBus as MessageBusForBrowsers } from 'hookwright/bus';
     const bus = new MessageBus();
     const seen = [];
     bus.stream().subscribe((message) => seen.push(message.type));
     bus.publish({ type: 'hook-execution-cancel', correlationId: 'c1' });
     console.log(JSON.stringify({ seen, same: MessageBus === MessageBusForBrowsers }));`,
  );
  expect(JSON.parse(await consumer.node('index.js'))).toEqual({ seen: ['hook-execution-cancel'], same: true });
});

test('a command hook runs in an empty project: what starts it is in the bundle', async () => {
  const consumer = await createConsumer();
  consumer.write(
    'index.js',
    `import { createHooks } from 'hookwright';
     const command = \`"\${process.execPath}" -e "console.error('not here'); process.exit(2)"\`;
     const hooks = await createHooks({ hooks: { BeforeTool: [{ hooks: [{ type: 'command', command }] }] } });
     const { verdict, reason } = await hooks.beforeTool({ tool: 'Bash', input: {} });
     console.log(JSON.stringify({ verdict, reason }));
     await hooks.close();`,
  );
  expect(JSON.parse(await consumer.node('index.js'))).toEqual({ verdict: 'deny', reason: 'not here' });
});

/** The files that are loaded with `file`: what it imports statically, and what those import. */
const loadedWith = (file: string, loaded = new Map<string, string>()): Map<string, string> => {
  const text = readFileSync(file, 'utf8');
  loaded.set(file, text);
  for (const [, specifier = ''] of text.matchAll(/\b(?:import|export)\b(?:[^;'"()]*?\bfrom)?\s*"(\.[^"]+)"/g)) {
    const imported = join(dirname(file), specifier);
    if (!loaded.has(imported)) loadedWith(imported, loaded);
  }
  return loaded;
};

test('what starts processes is loaded with the first command, not with the package', async () => {
  const { directory } = await createConsumer();
  const dist = join(directory, 'node_modules/hookwright/dist');
  const loaded = loadedWith(join(dist, 'index.js'));
  expect(loaded.size).toBeGreaterThan(1);
  const holdsExeca = (text: string): boolean => text.includes('ExecaError');
  expect([...loaded.values()].filter(holdsExeca)).toEqual([]);
  expect([...loaded.values()].filter((text) => text.includes('"node:child_process"'))).toEqual([]);
  const chunks = readdirSync(join(dist, 'chunks')).map((name) => readFileSync(join(dist, 'chunks', name), 'utf8'));
  expect(chunks.filter(holdsExeca)).toHaveLength(1);
});

test("a user's own copy of rxjs understands the bus", async () => {
  const consumer = await createConsumer(['rxjs']);
  consumer.write(
    'index.js',
    `import { from, map, take, toArray } from 'rxjs';
     import { MessageBus } from 'hookwright/bus';
     const bus = new MessageBus();
     const piped = [];
     const all = [];
     let completed = false;
     bus
       .stream('hook-execution-request')
       .pipe(map((message) => message.eventName), take(1))
       .subscribe({ next: (name) => piped.push(name), complete: () => { completed = true; } });
     from(bus.stream()).pipe(take(2), map((message) => message.type), toArray()).subscribe((types) => all.push(...types));
     const request = { type: 'hook-execution-request', correlationId: 'r1', eventName: 'BeforeTool', payload: {} };
     bus.publish(request);
     bus.publish({ type: 'hook-execution-cancel', correlationId: 'r1' });
     console.log(JSON.stringify({ piped, completed, all }));`,
  );
  expect(JSON.parse(await consumer.node('index.js'))).toEqual({
    piped: ['BeforeTool'],
    completed: true,
    all: ['hook-execution-request', 'hook-execution-cancel'],
  });
});
