/** Chooses the command line with which an agent starts hookwright, and starts installed command lines to check them. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import * as z from 'zod/mini';
import { type Agent, type InstalledLine, listAgents } from '../../agents/cli-api.ts';
import { isRecord, once, parseJson, shorten } from '../../kit/index.ts';
import { findProgram, findRealPath, isFile, isWithin, splitSearchPath } from '../../kit/node.ts';
import type { CliProblem } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { findCliScript } from '../package-version.ts';
import { CANARIES_MEMBER, START_CHECK_MEMBER } from './agent-flags.ts';

type StartContext = Pick<Context, 'env'>;

/** Agents do not have the directories that npm, npx and Yarn add to PATH. */
export const removeNpmFromPath = (path = ''): string =>
  splitSearchPath(path)
    .filter((directory) => !/[\\/](?:node_modules[\\/]\.bin|node-gyp-bin|xfs-[\da-f]+)[\\/]?$/.test(directory))
    .join(delimiter);

const quotePath = (path: string): string =>
  /^[\w./:@+\\-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

/** Only Yarn can read a program in its archive. */
const isInCache = (path: string): boolean => /[\\/]_npx[\\/]|\.zip[\\/]/.test(path);

const LOCAL_BIN_PATH = 'node_modules/.bin/hookwright';

const NPX_COMMAND = 'npx hookwright';

/** With Plug'n'Play, Yarn makes no `node_modules`, and only Yarn finds what the project has installed. */
const PLUG_AND_PLAY_PATH = '.pnp.cjs';
const YARN_COMMAND = 'yarn hookwright';

const findAbove = (projectDir: string, wanted: string): string | undefined => {
  for (let at = projectDir, path = wanted; ; at = dirname(at), path = `../${path}`) {
    if (isFile(join(at, wanted))) return path;
    if (at === dirname(at)) return undefined;
  }
};

export const selectStartProgram = (agent: Agent, isOfUser: boolean, { env }: StartContext): string => {
  const own = findCliScript();
  if (isOfUser && own !== undefined && isFile(own) && !isInCache(own))
    return `${quotePath(process.execPath)} ${quotePath(own)}`;
  const { text, isFilledIn } = agent.projectInLines;
  const bin = isOfUser ? undefined : findAbove(agent.projectDir, LOCAL_BIN_PATH);
  if (bin !== undefined) return text === '.' || isFilledIn ? `${text}/${bin}` : `"${text}"/${bin}`;
  if (!isOfUser && findAbove(agent.projectDir, PLUG_AND_PLAY_PATH) !== undefined) return YARN_COMMAND;
  const inPath = findProgram('hookwright', splitSearchPath(removeNpmFromPath(env.PATH)));
  return inPath === undefined || isInCache(inPath) ? NPX_COMMAND : 'hookwright';
};

export type LineStartResult =
  | {
      readonly ok: true;
      readonly version: string;
      readonly hooks: number;
      readonly broken: readonly CliProblem[];
      readonly canaries: number;
      readonly lost: readonly CliProblem[];
      readonly tookMs: number;
    }
  | { readonly ok: false; readonly why: string };

const LINE_START_TIMEOUT_MS = 30_000;

const problemListSchema = once(() =>
  z.array(
    z.object({
      file: z.optional(z.string()),
      line: z.optional(z.number()),
      message: z.string(),
      hint: z.optional(z.string()),
    }),
  ),
);

const parseProblems = (value: unknown): CliProblem[] | undefined => {
  const read = problemListSchema().safeParse(value ?? []);
  return read.success ? read.data.map((one) => ({ severity: 'error', ...one })) : undefined;
};

const readAnswer = (stdout: string, check: string, tookMs: number): LineStartResult | undefined => {
  const read = parseJson(stdout.trim());
  const value = read.ok && isRecord(read.value) ? read.value : {};
  const { hookwright: version, hooks } = value;
  const canaries = typeof value[CANARIES_MEMBER] === 'number' ? value[CANARIES_MEMBER] : 0;
  const [broken, lost] = [parseProblems(value.broken), parseProblems(value.lost)];
  if (broken === undefined || lost === undefined || value.check !== check) return undefined;
  if (typeof version !== 'string' || typeof hooks !== 'number') return undefined;
  return { ok: true, version, hooks, broken, canaries, lost, tookMs };
};

export const startLine = async (line: string, agent: Agent, context: StartContext): Promise<LineStartResult> => {
  const started = await startLineOnce(line, agent, context, {});
  if (!started.ok || started.canaries === 0) return started;
  const tried = await startLineOnce(line, agent, context, { [CANARIES_MEMBER]: true });
  if (tried.ok) {
    const lost = tried.lost.map((one) => ({ ...one, message: `by the line of ${agent.title}, ${one.message}` }));
    return { ...started, lost };
  }
  const message = `the canaries of guards could not be run by the line of ${agent.title}: ${tried.why}`;
  return { ...started, lost: [{ severity: 'error', message }] };
};

/** Agents that insert the directory as text also quote it. For others it is a variable, which the shell expands. */
const fillInProject = (line: string, { projectDir, projectInLines: { text, isFilledIn } }: Agent): string =>
  isFilledIn ? line.replaceAll(text, () => quotePath(projectDir)) : line;

const startLineOnce = (line: string, agent: Agent, { env }: StartContext, more: object): Promise<LineStartResult> =>
  new Promise((done) => {
    const check = randomUUID();
    const from = performance.now();
    const texts = { stdout: '', stderr: '' };
    const child = spawn(fillInProject(line, agent), {
      shell: true,
      cwd: agent.projectDir,
      env: { ...env, ...agent.variables, PATH: removeNpmFromPath(env.PATH) },
      timeout: LINE_START_TIMEOUT_MS,
    });
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].on('data', (bytes: Buffer) => {
        texts[stream] = `${texts[stream]}${bytes.toString('utf8')}`.slice(0, 65_536);
      });
    child.on('error', ({ message }) => done({ ok: false, why: message }));
    child.on('close', (code, signal) => {
      const tookMs = Math.round(performance.now() - from);
      const said = shorten((texts.stderr.trim() || texts.stdout.trim()).split('\n')[0] ?? '', 200);
      const ending =
        signal === null ? `it ended with ${code}` : `it did not end within ${LINE_START_TIMEOUT_MS / 1_000} s`;
      done(readAnswer(texts.stdout, check, tookMs) ?? { ok: false, why: said === '' ? ending : `${ending}: ${said}` });
    });
    // The program may end before it reads stdin, and writing then fails.
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify({ [START_CHECK_MEMBER]: check, ...more }));
  });

const toRealPath = (path: string): string => findRealPath(path) ?? path;

const findStartedFile = (line: string, agent: Agent, { env }: StartContext): string | undefined => {
  const program = /^(.*?) run(?: [\w-]+)? --as-hook(?: --[\w-]+(?: [\w.-]+)?)*$/.exec(line)?.[1];
  if (program === undefined) return undefined;
  const { text } = agent.projectInLines;
  const bin = findAbove(agent.projectDir, LOCAL_BIN_PATH) ?? LOCAL_BIN_PATH;
  if ([`${text}/${bin}`, `"${text}"/${bin}`, NPX_COMMAND].includes(program)) return join(agent.projectDir, bin);
  const words = program.split(' ').map((word) => word.replaceAll(/^["']|["']$/g, ''));
  if (words.some((word) => !/^[\w./:@+-]+$/.test(word))) return undefined;
  const [first = '', second, ...more] = words;
  const isOurs =
    second === undefined ? /(?:^|[\\/])hookwright$/.test(first) : /[\\/](?:cli\.js|hookwright)$/.test(second);
  if (!isOurs || more.length > 0 || (second !== undefined && !/(?:^|[\\/])node$/.test(first))) return undefined;
  if ([first, second].some((path = '') => /[\\/]/.test(path) && !isAbsolute(path))) return undefined;
  if (second !== undefined) return second;
  return isAbsolute(first) ? first : findProgram(first, splitSearchPath(removeNpmFromPath(env.PATH)));
};

/** A program that comes with the project may be malicious, so a check must not start it. */
const explainNotStarted = (
  { command, isOfProject }: InstalledLine,
  agent: Agent,
  context: StartContext,
): string | undefined => {
  if (!isOfProject) return undefined;
  if (command.startsWith(`${YARN_COMMAND} `)) return 'Yarn runs programs that the project brings';
  const file = findStartedFile(command, agent, context);
  if (file === undefined) {
    const isBare = /^hookwright run /.test(command);
    return isBare ? undefined : 'the project brings a line that install did not write';
  }
  if (!isFile(file))
    return command.startsWith(NPX_COMMAND) ? 'npx finds no hookwright here, and would download it' : undefined;
  const isOwn = toRealPath(file) === toRealPath(findCliScript() ?? '');
  const mayBeTheirs = isWithin(agent.projectDir, file) || file.endsWith(join('/', LOCAL_BIN_PATH));
  return isOwn || !mayBeTheirs ? undefined : 'it starts a program that the project brings';
};

export interface InstalledLineReport {
  readonly agent: string;
  readonly title: string;
  readonly file: string;
  readonly line: number;
  readonly started: LineStartResult | { readonly ok: undefined; readonly why: string };
}

export const startInstalledLines = async (context: Context): Promise<InstalledLineReport[]> => {
  const agents = await listAgents(context);
  const found = await Promise.all(
    agents.map(async (agent) => {
      const lines = await agent.installedLines();
      const programs = new Map(lines.map((one) => [`${one.file}\n${one.command.replace(/ run .*/s, '')}`, one]));
      return Promise.all(
        [...programs.values()].map(async (one): Promise<InstalledLineReport> => {
          const why = explainNotStarted(one, agent, context);
          const started = why === undefined ? await startLine(one.command, agent, context) : { ok: undefined, why };
          return { agent: agent.name, title: agent.title, file: one.file, line: one.line, started };
        }),
      );
    }),
  );
  return found.flat();
};

export const listLineProblems = (reports: readonly InstalledLineReport[]): CliProblem[] =>
  reports.flatMap(({ agent, title, file, line, started }): CliProblem[] => {
    if (started.ok === true) return [...started.lost];
    const place = { file, line, hint: `hookwright install --into ${agent} writes a line that starts` };
    return started.ok === false
      ? [{ ...place, severity: 'error', message: `${title} cannot start hookwright by this line: ${started.why}` }]
      : [{ ...place, severity: 'warning', message: `the line of ${title} was not started: ${started.why}` }];
  });

export const formatStartedLines = (reports: readonly InstalledLineReport[]): string[] =>
  reports.flatMap(({ title, started }) =>
    started.ok === true ? [`${title} can start hookwright: it answered in ${started.tookMs} ms`] : [],
  );
