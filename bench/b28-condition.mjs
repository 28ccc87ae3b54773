// B28: a call that the `if` of a command hook is not about, beside one that it is about and that starts a process.
import { createHooks } from 'hookwright';
import { absoluteRow, alternate, fewCalls, manyCalls } from './support.mjs';

const engineWith = async (condition) => {
  const hooks = [{ name: 'guard', command: 'true', onFault: 'deny', if: condition }];
  const engine = await createHooks({ hooks: { BeforeTool: [{ matcher: 'Bash', hooks }] } });
  return () => engine.beforeTool({ tool: 'Bash', input: { command: 'git status --short && ls -la' } });
};

export const variants = {
  'other call': async () => manyCalls(await engineWith('Bash(git push *)')),
  'its call': async () => fewCalls(await engineWith('Bash(git status *)'), 31),
};

export const measure = async () => {
  const figures = await alternate(import.meta.url, Object.keys(variants), { rounds: 5 });
  const [started] = figures['its call'].toSorted((a, b) => a - b).slice(2);
  const what = `if, about other calls (its own call takes ${started.toFixed(1)} ms)`;
  return [absoluteRow({ id: 'B28', what, ours: figures['other call'], unit: 'µs', budget: 100 })];
};
