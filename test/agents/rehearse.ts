import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InterpretedHook, type TranslatedAnswer } from '../../src/agents/agent-hook.ts';
import { type Answer, type DialectProblem, dialectNamed, readDialectFile } from '../../src/agents/index.ts';
import { mergeByAgentRule } from '../../src/merging/index.ts';

type Json = Record<string, unknown>;

/** A case: a settings file as its users write it, a call, what each hook answers, and what has to come of it. */
export interface Case {
  readonly title: string;
  /** What it rests on. */
  readonly fact: string;
  readonly version?: string;
  readonly mode?: 'strict' | 'faithful';
  /** The host's vocabulary; that of the dialect itself when left out. */
  readonly tools?: string;
  readonly settings?: unknown;
  /** The file's text, where it is no JSON. */
  readonly text?: string;
  readonly form?: string;
  /** Several files, by their paths below `project` and `home`; only a whole engine plays such a case. */
  readonly files?: Readonly<Record<string, unknown>>;
  readonly moment?: string;
  readonly call?: Json;
  /** By command: how it ends. A command that is not named ends with 0 and says nothing. */
  readonly answers?: Readonly<
    Record<
      string,
      Partial<{ exit: number | null; stdout: unknown; stderr: string; timedOut: boolean; notStarted: string }>
    >
  >;
  readonly sees?: Json;
  readonly neverSees?: readonly string[];
  readonly runs?: readonly string[];
  readonly comes?: Json;
  readonly timeoutMs?: number;
  readonly problem?: { readonly message: string; readonly line?: number; readonly fix?: string };
  readonly void?: boolean;
  readonly off?: boolean;
}

const folder = join(import.meta.dirname, '../../conformance');

/** All cases of a dialect, each with the name of its file. */
export const casesOf = (dialect: string): (Case & { file: string })[] =>
  readdirSync(join(folder, dialect))
    .sort()
    .map((file) => ({ ...JSON.parse(readFileSync(join(folder, dialect, file), 'utf8')), file }));

export interface Rehearsal {
  readonly problems: readonly DialectProblem[];
  readonly isVoid: boolean;
  readonly isOff: boolean;
  readonly ran: readonly string[];
  readonly seen: readonly Json[];
  readonly timeouts: readonly number[];
  readonly comes: TranslatedAnswer;
}

const base = {
  session_id: 'session-1',
  transcript_path: '/home/someone/transcript.jsonl',
  cwd: '/home/someone/project',
  timestamp: '2026-11-18T12:00:00.000Z',
};

const textOf = (stdout: unknown): string =>
  typeof stdout === 'string' ? stdout : stdout === undefined ? '' : JSON.stringify(stdout);

const strictest = mergeByAgentRule({ decision: 'strictest', reasons: 'join' });

/** Plays a case through the pack, without an engine: reading, matching, stdin, answers and merging. */
export const rehearse = (name: string, example: Case): Rehearsal => {
  const dialect = dialectNamed(name);
  if (dialect === undefined) throw new Error(`no dialect ${name}`);
  const { mode = 'faithful', version = dialect.latest, moment, call = {} } = example;
  const tools = example.tools === undefined ? dialect.tools : dialectNamed(example.tools)?.tools;
  const text = example.text ?? JSON.stringify(example.settings, null, 2);
  const file = {
    path: '/home/someone/project/settings.json',
    scope: 'project',
    form: example.form ?? 'settings',
    text,
  } as const;
  const reading = readDialectFile(dialect, file, { version });
  const isVoid = reading.void !== undefined;
  const isOff = reading.off !== undefined;
  const entries = isVoid || isOff ? [] : reading.entries.filter(({ off }) => off === undefined);
  const hooks = entries.flatMap((entry) =>
    entry.handler !== undefined && entry.rule !== undefined && [entry.rule.moment, entry.rule.alsoAt].includes(moment)
      ? [new InterpretedHook(dialect, entry, entry.rule, { mode, version, tools, projectDir: base.cwd })]
      : [],
  );
  const toolName = typeof call.tool_name === 'string' ? call.tool_name : undefined;
  const trigger = [call.source, call.reason, call.trigger].find((value) => typeof value === 'string');
  const planned = hooks.filter(
    (hook) =>
      hook.matcher.leftOut !== true &&
      hook.matches({ toolName, ...(typeof trigger === 'string' ? { trigger } : {}) }) === true,
  );
  const input = { ...base, hook_event_name: moment, ...call };
  const fed = planned
    .map((hook) => ({ hook, fed: hook.inputFor(input, 'call-1') }))
    .filter(({ fed }) => fed.matches === true);
  const commandOf = (hook: InterpretedHook): string => hook.entry.handler?.command ?? hook.entry.handler?.url ?? '';
  const answers: Answer[] = fed.map(({ hook }) => {
    const { exit = 0, stdout, stderr = '', timedOut, notStarted } = example.answers?.[commandOf(hook)] ?? {};
    return hook.read({
      exitCode: timedOut === true || notStarted !== undefined ? null : exit,
      stdout: textOf(stdout),
      stderr,
      ...(timedOut === undefined ? {} : { timedOut }),
      ...(notStarted === undefined ? {} : { notStarted }),
      ...(exit === null ? { signal: 'SIGKILL' } : {}),
    });
  });
  const [first] = fed;
  const event = first?.hook.entry.event ?? '';
  const deciding = answers.filter((_answer, index) => fed[index]?.hook.entry.handler?.isAsync !== true);
  const merged = mode === 'strict' ? strictest(deciding) : dialect.merge(deciding, { event, version });
  return {
    problems: reading.problems,
    isVoid,
    isOff,
    ran: fed.map(({ hook }) => commandOf(hook)),
    seen: fed.map(({ fed: { stdin } }) => stdin),
    timeouts: fed.map(({ hook }) => hook.entry.handler?.timeoutMs ?? 0),
    comes: first === undefined ? { notes: [] } : first.hook.translateBack(merged, first.fed),
  };
};
