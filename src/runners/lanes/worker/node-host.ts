import { basename, resolve } from 'node:path';
import { beginningOf, interpreterIn } from '../../../kit/node.ts';
import type { ProcessRequest } from '../../process/run-process.ts';

/**
 * What runs in front of a script of Node: it loads the script, and serves the function that it exports, if it does. A
 * script that reads its lines itself, by `serveHook` or otherwise, is left alone. It says in one string what
 * `worker/serve-hook.ts` says for authors; both pass the same tests.
 */
const hostScript = `
import { pathToFileURL } from 'node:url';
for (const name of ['log', 'info', 'debug']) console[name] = console.error;
const { default: found } = await import(pathToFileURL(process.argv[1]).href);
const run = typeof found === 'function' ? found : found?.default;
if (typeof run === 'function') {
  const ending = new AbortController();
  let rest = '';
  let unsaid = '';
  const messageOf = (error) => error instanceof Error ? error.message : String(error);
  const flush = () => { const text = unsaid; unsaid = ''; process.stdout.write(text); };
  const lineOf = (id, answer) => {
    try { return JSON.stringify({ id, ...answer }) + '\\n'; }
    catch (error) { return JSON.stringify({ id, error: 'the answer cannot be written as JSON: ' + messageOf(error) }) + '\\n'; }
  };
  const say = (id, answer) => { if (unsaid === '') queueMicrotask(flush); unsaid += lineOf(id, answer); };
  const answer = ({ id, input, traceparent }) => {
    const fail = (error) => say(id, { error: messageOf(error) });
    try {
      const output = run(input, traceparent === undefined ? { signal: ending.signal } : { signal: ending.signal, traceparent });
      if (typeof output?.then === 'function') output.then((value) => say(id, { output: value }), fail);
      else say(id, { output });
    } catch (error) { fail(error); }
  };
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (text) => {
    const lines = (rest + text).split('\\n');
    rest = lines.pop();
    for (const line of lines) if (line !== '') answer(JSON.parse(line));
  });
  process.stdin.on('end', () => { ending.abort(); flush(); process.exit(); });
}
`;

const isNode = (file: string): boolean => /^node(?:\.exe)?$/i.test(basename(file));
const isScript = (file: string | undefined): file is string => file !== undefined && /\.[cm]?js$/i.test(file);

/** Whether a script of its own accord is run by Node: by what its first line names, or because it names nothing. */
const isForNode = (path: string): boolean => isNode(interpreterIn(beginningOf(path)) ?? 'node');

type Launch = Pick<ProcessRequest, 'file' | 'args' | 'cwd'>;

/** The script of Node that a command starts with nothing in between, and what it is given. */
export const nodeScriptOf = ({
  file,
  args,
  cwd,
}: Launch): { node: string; script: string; rest: readonly string[] } | undefined => {
  const [first, ...rest] = args;
  if (isNode(file) && isScript(first)) return { node: file, script: resolve(cwd, first), rest };
  if (!isScript(file) || !/[\\/]/.test(file)) return undefined;
  const script = resolve(cwd, file);
  return isForNode(script) ? { node: process.execPath, script, rest: args } : undefined;
};

/** A script of Node that exports a function is served as it is; everything else is started as it stands. */
export const throughNodeHost = <Request extends Launch>(request: Request): Request => {
  const found = nodeScriptOf(request);
  if (found === undefined) return request;
  const args = ['--input-type=module', '--eval', hostScript, found.script, ...found.rest];
  return { ...request, file: found.node, args };
};
