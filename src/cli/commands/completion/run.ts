import type { Run } from '../../command.ts';
import { scripts } from './scripts.ts';
import type { completionSpec } from './spec.ts';

const isShell = (shell: string): shell is keyof typeof scripts => Object.hasOwn(scripts, shell);

export const run: Run<typeof completionSpec> = ({ shell }, context) => {
  if (!isShell(shell)) throw new TypeError('unreachable: the choices are the scripts');
  const script = scripts[shell];
  if (!context.isJson) context.write(script);
  return Promise.resolve({ data: { shell, script }, text: () => [] });
};
