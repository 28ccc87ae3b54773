#!/usr/bin/env node
import module from 'node:module';

/** Node 20 does not have it, and its types do not know it. */
const enableCompileCache: unknown = Reflect.get(module, 'enableCompileCache');
// Later ones start the second time in less. It counts for what is imported from here on.
if (typeof enableCompileCache === 'function') enableCompileCache();
const [{ commands }, { runCli }] = await Promise.all([import('./commands.ts'), import('./run-cli.ts')]);

// What a command leaves behind, such as a hook that does not want to end, must not keep the shell waiting.
process.exit(await runCli(process, commands));
