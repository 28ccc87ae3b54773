import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Dialect, dialectNamed } from '../../src/agents/index.ts';
import {
  type ConfigProblem,
  createHooks,
  type HookDeps,
  type HookEventName,
  type HookExecutionResult,
  type HookOutput,
} from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { untyped } from '../support/untyped.ts';
import type { Case } from './rehearse.ts';

type Json = Record<string, unknown>;

/** What came of a case in an engine that read the file, planned, fed, heard and merged. */
export interface Played {
  readonly problems: readonly ConfigProblem[];
  readonly ran: readonly string[];
  readonly seen: readonly Json[];
  readonly output: HookOutput | undefined;
  readonly results: readonly HookExecutionResult[];
}

/** The file of a project in which hooks of this form stand. */
const pathFor = (dialect: Dialect, form: string | undefined, projectDir: string): string => {
  const rule = dialect.files.find((file) => file.scope === 'project' && file.form === form);
  const path = form === undefined ? dialect.writes.path : rule?.path;
  if (typeof path !== 'string') throw new Error(`${dialect.name} has no project file for this form`);
  return path.replace(/^\{(?:project|cwd\+)\}/, projectDir).replace('*.json', 'hooks.json');
};

const textOf = (stdout: unknown): string =>
  typeof stdout === 'string' ? stdout : stdout === undefined ? '' : JSON.stringify(stdout);

const least: Readonly<Record<string, Json>> = {
  BeforeTool: { tool_input: {} },
  AfterTool: { tool_input: {}, tool_response: {} },
  PermissionRequest: { tool_input: {} },
  AfterToolFailure: { tool_input: {}, error: 'failed' },
  AfterAgent: { prompt: '', prompt_response: '' },
  BeforeModel: { llm_request: { model: 'm', messages: [] } },
  AfterModel: { llm_request: { model: 'm', messages: [] }, llm_response: { candidates: [] } },
  Notification: { message: '' },
};

/** Answers as the case says, so that no process is needed. */
const actor =
  (
    answers: NonNullable<Case['answers']>,
    keep: (command: string, stdin: string) => void,
  ): NonNullable<HookDeps['executor']> =>
  async ({ file, args, stdin }) => {
    const line = [file, ...args].join(' ');
    const known = Object.keys(answers).find((command) => line.includes(command));
    keep(known ?? (args.some((arg) => arg === '-c' || arg === '-lc') ? (args.at(-1) ?? '') : file), String(stdin));
    const { exit = 0, stdout, stderr = '', timedOut, notStarted } = answers[known ?? ''] ?? {};
    if (notStarted !== undefined) return { error: new Error(notStarted) };
    return {
      exitCode: timedOut === true ? null : exit,
      ...(exit === null ? { signal: 'SIGKILL' } : {}),
      stdout: textOf(stdout),
      stderr,
      ...(timedOut === true ? { timedOut } : {}),
    };
  };

/** Scripts of the project that answer as the case says, and keep what they read. */
const writeScripts = (projectDir: string, answers: NonNullable<Case['answers']>): void => {
  for (const [command, { exit = 0, stdout, stderr = '' }] of Object.entries(answers)) {
    const file = join(projectDir, command);
    const say = (text: string, to: string): string => (text === '' ? '' : `cat <<'END' ${to}\n${text}\nEND\n`);
    writeFileSync(
      file,
      `#!/bin/sh\ncat > '${file}.seen'\n${say(textOf(stdout), '')}${say(stderr, '>&2')}exit ${exit}\n`,
    );
    chmodSync(file, 0o755);
  }
};

const seenByScripts = (projectDir: string, answers: NonNullable<Case['answers']>): string[] =>
  Object.keys(answers).flatMap((command) => {
    const file = join(projectDir, `${command}.seen`);
    return existsSync(file) ? [readFileSync(file, 'utf8')] : [];
  });

/** Plays a case through a whole engine: a file on disk, `createHooks`, an event. Only the processes are not there. */
export const play = async (name: string, example: Case, { real = false } = {}): Promise<Played> => {
  const dialect = dialectNamed(name);
  if (dialect === undefined) throw new Error(`no dialect ${name}`);
  const root = temporaryFolder('case');
  const { mode = 'faithful', version = dialect.latest, moment, call = {}, answers = {} } = example;
  const path = pathFor(dialect, example.form, join(root, 'project'));
  mkdirSync(join(root, 'project', '.git'), { recursive: true });
  const alone = { [relative(root, path)]: example.text ?? example.settings };
  for (const [name, content] of Object.entries(example.files ?? alone)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
  if (real) writeScripts(join(root, 'project'), answers);
  const ran: string[] = [];
  const seen: Json[] = [];
  const keep = (command: string, stdin: string): void => {
    ran.push(command);
    seen.push(JSON.parse(stdin.replaceAll(join(root, 'project'), '/home/someone/project')));
  };
  const hooks = await createHooks({
    cwd: join(root, 'project'),
    home: join(root, 'home'),
    sessionId: 'session-1',
    dialects: { [name]: { mode, version } },
    tools: example.tools ?? name,
    deps: {
      trustCheck: () => true,
      clock: { now: () => Date.parse('2026-11-18T12:00:00.000Z') },
      ...(real ? {} : { executor: actor(answers, keep) }),
    },
  });
  try {
    if (moment === undefined) return { problems: hooks.problems, ran, seen, output: undefined, results: [] };
    const payload = { ...least[moment], ...(call.tool_name === undefined ? {} : { tool_use_id: 'call-1' }), ...call };
    const handler = hooks.system.getEventHandler();
    const { result, results } = await handler.fireDetailed(untyped<HookEventName>(moment), untyped(payload));
    if (real) for (const text of seenByScripts(join(root, 'project'), answers)) keep('', text);
    return { problems: hooks.problems, ran, seen, output: untyped(result.finalOutput), results };
  } finally {
    await hooks.close();
    rmSync(root, { recursive: true, force: true });
  }
};
