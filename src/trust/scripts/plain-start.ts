// Recognizes command lines that are so simple that the script they start is certain: approvals cover only these.
import { getOrigin, type HookConfig } from '../../protocol/index.ts';
import { expandPlainly, splitPlainWords, type Variables } from '../../runners/process-api.ts';

/**
 * Interpreters that run only the given script. Perl and Ruby are not among them: they load or start programs named in
 * the script's first line.
 */
const plainInterpreterPattern = /^(?:sh|bash|dash|node|python(?:3(?:\.\d{1,2})?)?)$/;

const getProgramName = (program: string): string => program.slice(program.lastIndexOf('/') + 1);

export const isPlainInterpreter = (program: string): boolean => plainInterpreterPattern.test(getProgramName(program));

/** Required prefix of a hook's variables: no shell, loader or interpreter reads variables with this prefix. */
const HOOK_VARIABLE_PREFIX = 'HOOK_';

export interface PlainStart {
  /** Absent if the script is started directly. */
  readonly interpreter?: string;
  readonly script: string;
}

export interface CoverageGap {
  readonly why: string;
  readonly fix?: string;
}

export const formatNotCovered = ({ why, fix }: CoverageGap): string => {
  const meaning = `approving this line means trusting whatever it starts, now and later: ${why}`;
  return fix === undefined ? meaning : `${meaning}; to have it covered, ${fix}`;
};

const ONE_COMMAND_FIX =
  'write one command: a script of the project by its path, or an interpreter and a script, then words';

const expandWords = ({ command = '', args }: HookConfig, variables: Variables): readonly string[] | undefined =>
  args === undefined
    ? splitPlainWords(command, variables)
    : [command, ...args].map((word) => expandPlainly(word, variables));

/**
 * Accepts `script words…` and `interpreter script words…` without a shell, options before the script, or variables
 * without the prefix `HOOK_`. Which programs other lines start cannot be known.
 */
export const parsePlainStart = (
  hook: HookConfig,
  { variables, own, filledIn }: { variables: Variables; own: Variables; filledIn: Variables },
): PlainStart | CoverageGap => {
  if (process.platform === 'win32') return { why: 'Windows decides what it starts', fix: 'read what it names' };
  const foreign = Object.keys(own).find(
    (name) => !name.startsWith(HOOK_VARIABLE_PREFIX) && filledIn[name] !== own[name],
  );
  if (foreign !== undefined) {
    return { why: `it sets ${foreign}`, fix: `give its variables names that begin with ${HOOK_VARIABLE_PREFIX}` };
  }
  if (hook.shell !== undefined && hook.args === undefined) {
    const title = getOrigin(hook)?.dialect?.title;
    const fix = title === undefined ? 'leave out "shell"' : `write its words as "args", if ${title} reads them`;
    return { why: `${getProgramName(hook.shell)} decides what the line starts`, fix };
  }
  const words = expandWords(hook, { ...variables, ...filledIn });
  if (words === undefined) return { why: 'a shell reads it', fix: ONE_COMMAND_FIX };
  const [program = '', script = ''] = words;
  if (!isPlainInterpreter(program)) {
    if (program.includes('/')) return { script: program };
    return { why: `${program === '' ? 'it' : program} decides what it starts`, fix: ONE_COMMAND_FIX };
  }
  const interpreter = getProgramName(program);
  if (script === '' || script.startsWith('-') || script.startsWith('+')) {
    const what = script === '' ? 'nothing' : script;
    return { why: `${interpreter} is given ${what} where its script should be`, fix: ONE_COMMAND_FIX };
  }
  // A bare word may be a command of the interpreter (`node inspect`); a path or an extension makes it a file.
  if (!script.includes('/') && !/.\.\w+$/.test(script)) {
    return { why: `"${script}" may be a command of ${interpreter}`, fix: `write ./${script}` };
  }
  return { interpreter: program, script };
};
