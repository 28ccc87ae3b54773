import { resolve } from 'node:path';
import { catalogue, isHookEventName } from '../events/index.ts';
import { isRecord } from '../kit/index.ts';
import { readRegular } from '../kit/node.ts';
import type { Dialect, EventRule } from './dialect.ts';
import { stdinMembers } from './judging/drift.ts';
import type { DialectEntry } from './reading/read-file.ts';

/** A script that a person wrote is not longer. */
const MAX_BYTES = 262_144;

/** Members of every stdin of ours, and of every answer to us. */
const ourStdin: readonly string[] = ['session_id', 'transcript_path', 'cwd', 'hook_event_name', 'timestamp'];
const ourAnswer: readonly string[] = [
  'decision',
  'reason',
  'continue',
  'stopReason',
  'systemMessage',
  'suppressOutput',
  'hookSpecificOutput',
];

/** The command line and the scripts that it names, as one text. */
const textOf = async (command: string, projectDir: string): Promise<string> => {
  const words = command.split(/\s+/).map((word) => word.replaceAll(/["']/g, '').replace(/^\$\{?\w+\}?\//, ''));
  const texts = await Promise.all(
    words.slice(0, 8).map(async (word) => {
      if (word === '' || word.startsWith('-')) return '';
      const found = await readRegular(resolve(projectDir, word), { maxBytes: MAX_BYTES });
      return 'bytes' in found && !found.bytes.includes(0) ? found.bytes.toString('utf8') : '';
    }),
  );
  return [command, ...texts].join('\n');
};

const escaped = (text: string): string => text.replaceAll(/[^\w]/g, '\\$&');

/** `.name` of the input itself, or the name as a text. */
const namesMember = (text: string, key: string): boolean =>
  new RegExp(`(?<!tool_input)(?<!toolArgs)\\.${escaped(key)}\\b|["']${escaped(key)}["']`).test(text);

const namesWord = (text: string, word: string): boolean => new RegExp(`(?<!\\w)${escaped(word)}(?!\\w)`).test(text);

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/** Members of a denial in the agent's own words that are none of ours. */
const answerMembers = ({ host, latest }: Dialect, event: string, rule: EventRule): readonly string[] => {
  const { stdout } = host.write({ decision: 'deny', reason: '-', message: '-' }, { event, rule, version: latest });
  return isRecord(stdout) ? Object.keys(stdout).filter((key) => !ourAnswer.includes(key)) : [];
};

const readsPlainText = (dialect: Dialect, event: string, rule: EventRule): boolean => {
  const context = { event, rule, version: dialect.latest, failClosed: false };
  const { said } = dialect.readAnswer({ exitCode: 0, stdout: 'a text', stderr: '' }, context);
  return said?.context !== undefined;
};

/** What a script reads and prints that is otherwise once its hook is one of hookwright's own. */
export const changesFor = async (dialect: Dialect, entry: DialectEntry, projectDir: string): Promise<string[]> => {
  const { event, rule, handler } = entry;
  const { moment } = rule ?? {};
  if (rule === undefined || moment === undefined || handler?.command === undefined) return [];
  const text = await textOf([handler.command, ...(handler.args ?? [])].join(' '), projectDir);
  const sample = isHookEventName(moment) ? Object.keys(catalogue[moment].sample) : [];
  const missing = [...(stdinMembers(dialect, event) ?? [])].filter(
    (key) => !sample.includes(key) && !ourStdin.includes(key) && namesMember(text, key),
  );
  const foreign = moment !== event && namesWord(text, event);
  const tools = [...new Set(dialect.tools.tools.flatMap(({ names }) => names))].filter((name) =>
    namesMember(text, name),
  );
  const printed = answerMembers(dialect, event, rule).filter((key) => namesWord(text, key));
  return [
    ...(missing.length === 0 ? [] : [`its script reads ${quoted(missing)}, which hookwright does not send`]),
    ...(foreign ? [`its script names the event ${event}, which is ${moment} here`] : []),
    ...(tools.length === 0 ? [] : [`its script names ${quoted(tools)}; the agent's own names of tools arrive here`]),
    ...(printed.length === 0 ? [] : [`its script prints ${quoted(printed)}, which hookwright does not read`]),
    ...(readsPlainText(dialect, event, rule)
      ? ['plain text that it prints goes to the user here, not to the model; print JSON with additionalContext']
      : []),
  ];
};
