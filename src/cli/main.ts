#!/usr/bin/env node
import module from 'node:module';

/** Node 20 does not have it, and its types do not know it. */
const enableCompileCache: unknown = Reflect.get(module, 'enableCompileCache');
// Later ones start the second time in less. It counts for what is imported from here on.
if (typeof enableCompileCache === 'function') enableCompileCache();
const [{ commands: all }, { runCli }] = await Promise.all([import('./commands.ts'), import('./run-cli.ts')]);

/** A hook of an agent may be asked about each event of that agent. */
const commands: typeof all = all.map(({ spec, prepare }) => ({
  spec,
  prepare: (words) => {
    const { global, run } = prepare(words);
    const withEvents: typeof run = async (context) => {
      const { addEvents, allAgentEvents } = await import('../events/index.ts');
      addEvents(allAgentEvents);
      return run(context);
    };
    return { global, run: withEvents };
  },
}));

// What a command leaves behind, such as a hook that does not want to end, must not keep the shell waiting.
process.exit(await runCli(process, commands));
