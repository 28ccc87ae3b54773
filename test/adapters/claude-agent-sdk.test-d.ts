import { hooksOption } from '../../src/adapters/claude-agent-sdk/index.ts';
import { createHooks } from '../../src/index.ts';
import type { Options } from './claude-agent-sdk-types.ts';

// Checked by the compiler and never run.

const hooks = await createHooks();

const options: Options = { hooks: hooksOption(hooks) };
// Beside others of one's own.
const mine: Options = {
  hooks: { ...hooksOption(hooks), SessionEnd: [{ hooks: [async () => ({ continue: true })] }] },
};

// @ts-expect-error: the engine itself is no option
const wrong: Options = { hooks };

export { mine, options, wrong };
