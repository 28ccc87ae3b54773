import { within } from '../../kit/node.ts';
import type { FlagSpec } from '../arguments/spec.ts';
import type { CliProblem, CommandOutcome } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { packageVersion } from '../package-version.ts';
import { UsageError } from '../usage-error.ts';

/** What was checked, by which command. */
interface CheckReport {
  readonly command: string;
  readonly cwd: string;
  readonly checks: readonly Reported[];
}

const pathFrom = (cwd: string, file: string): string => within(cwd, file) ?? file;

const forData = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const forProperty = (text: string): string => forData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

const githubWords = { error: 'error', warning: 'warning', note: 'notice' } as const;

/** Commands of a GitHub workflow: each finding stands beside its line in a pull request. */
const github = ({ command, cwd, checks }: CheckReport): string =>
  checks
    .flatMap(({ level, message = '', rule, file, line, column }) => {
      if (level === undefined) return [];
      const properties = [
        ...(file === undefined ? [] : [`file=${forProperty(pathFrom(cwd, file))}`]),
        ...(line === undefined ? [] : [`line=${line}`]),
        ...(column === undefined ? [] : [`col=${column}`]),
        `title=${forProperty(`hookwright ${command}: ${rule}`)}`,
      ];
      return [`::${githubWords[level]} ${properties.join(',')}::${forData(message)}`];
    })
    .join('\n');

/** Control characters have no place in XML, not even as references. */
const forXml = (sign: string): string => {
  const code = sign.codePointAt(0) ?? 0;
  return code < 32 && !'\t\n\r'.includes(sign) ? '\ufffd' : `&#${code};`;
};

const xml = (text: string): string => text.replace(/[<>&"'\p{Cc}]/gu, forXml);

const caseText = ({ name, rule, level, message = '', file, line, durationMs = 0 }: Reported, cwd: string): string => {
  const place =
    file === undefined ? '' : ` file="${xml(pathFrom(cwd, file))}"${line === undefined ? '' : ` line="${line}"`}`;
  const head = `    <testcase classname="${xml(rule)}" name="${xml(name)}"${place} time="${(durationMs / 1_000).toFixed(3)}"`;
  if (level === undefined || level === 'note') return `${head}/>`;
  return `${head}>\n      <failure type="${level}" message="${xml(message)}"/>\n    </testcase>`;
};

/** The form of JUnit, which nearly every pipeline shows. What passed is a test too, so that an empty file is no success. */
const junit = ({ command, cwd, checks }: CheckReport): string => {
  const all = checks.length === 0 ? [{ name: 'nothing was found', rule: command }] : checks;
  const failures = all.filter(({ level }) => level === 'error' || level === 'warning').length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="hookwright ${xml(command)}" tests="${all.length}" failures="${failures}">`,
    ...all.map((check) => caseText(check, cwd)),
    '  </testsuite>',
    '</testsuites>',
  ].join('\n');
};

const locationOf = ({ file, line, column }: Reported, cwd: string): object[] =>
  file === undefined
    ? []
    : [
        {
          physicalLocation: {
            artifactLocation: { uri: encodeURI(pathFrom(cwd, file)) },
            ...(line === undefined
              ? {}
              : { region: { startLine: line, ...(column === undefined ? {} : { startColumn: column }) } }),
          },
        },
      ];

/** SARIF 2.1.0, which code scanning reads. */
const sarif = ({ command, cwd, checks }: CheckReport): string => {
  const found = checks.filter(({ level }) => level !== undefined);
  const rules = [...new Set(found.map(({ rule }) => rule))].map((id) => ({ id }));
  const driver = { name: `hookwright ${command}`, version: packageVersion(), rules };
  const results = found.map((check) => ({
    ruleId: check.rule,
    level: check.level,
    message: { text: check.message ?? check.name },
    locations: locationOf(check, cwd),
  }));
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, results }],
  };
  return JSON.stringify(log, null, 2);
};

/** A further form is a line here. */
const reporters: Readonly<Record<string, (report: CheckReport) => string>> = { github, junit, sarif };

const reporterNames: readonly string[] = Object.keys(reporters);

export const reportIn = (form: string, report: CheckReport): string => reporters[form]?.(report) ?? '';

export const reporterFlag = {
  reporter: {
    kind: 'text',
    value: 'form',
    summary: 'print the findings in the format of a pipeline',
    choices: reporterNames,
  },
} as const satisfies Readonly<Record<string, FlagSpec>>;

/** Where a pipeline reads stdout nothing else may stand there: broken settings are findings like the others. */
export const reportingContext = (context: Context, reporter: string | undefined): Context => {
  if (reporter === undefined) return context;
  if (context.isJson) throw new UsageError('--json and --reporter are two forms of one answer', 'take one of them');
  return { ...context, broken: undefined };
};

/** The outcome in the form that was asked for. */
export const inForm = (
  outcome: CommandOutcome,
  form: string | undefined,
  { command, cwd, checks }: { command: string; cwd: string; checks: () => readonly Reported[] },
): CommandOutcome => {
  if (form === undefined) return outcome;
  const text = reportIn(form, { command, cwd, checks: checks() });
  return { ...outcome, text: () => (text === '' ? [] : text.split('\n')) };
};

/** One thing that a pipeline is told about: it passed, or something was found. */
export interface Reported {
  /** What was looked at. */
  readonly name: string;
  /** What kind of finding it is, for those who filter. */
  readonly rule: string;
  /** Absent where it passed. */
  readonly level?: 'error' | 'warning' | 'note' | undefined;
  readonly message?: string | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly durationMs?: number | undefined;
}

export const reportedProblem = (problem: CliProblem): Reported => {
  const { severity, code = 'settings', message, hint, file, line, column } = problem;
  const fix = hint === undefined || message.includes(hint) ? '' : `; ${hint}`;
  return { name: message, rule: code, level: severity, message: `${message}${fix}`, file, line, column };
};
