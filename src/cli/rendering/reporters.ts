/** `--reporter`: renders the findings of a command for GitHub, JUnit or SARIF readers. */
import { toPathWithin } from '../../kit/node.ts';
import { defineFlags } from '../arguments/spec.ts';
import type { CliProblem, CommandOutcome } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { readPackageVersion } from '../package-version.ts';
import { UsageError } from '../usage-error.ts';

interface CheckReport {
  readonly command: string;
  readonly cwd: string;
  readonly checks: readonly ReportedCheck[];
}

export interface ReportedCheck {
  readonly name: string;
  readonly rule: string;
  readonly level?: 'error' | 'warning' | 'note' | undefined;
  readonly message?: string | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly durationMs?: number | undefined;
}

const toRelativePath = (cwd: string, file: string): string => toPathWithin(cwd, file) ?? file;

const escapeGithubData = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const escapeGithubProperty = (text: string): string =>
  escapeGithubData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

const githubLevels = { error: 'error', warning: 'warning', note: 'notice' } as const;

const renderGithub = ({ command, cwd, checks }: CheckReport): string =>
  checks
    .flatMap(({ level, message = '', rule, file, line, column }) => {
      if (level === undefined) return [];
      const properties = [
        ...(file === undefined ? [] : [`file=${escapeGithubProperty(toRelativePath(cwd, file))}`]),
        ...(line === undefined ? [] : [`line=${line}`]),
        ...(column === undefined ? [] : [`col=${column}`]),
        `title=${escapeGithubProperty(`hookwright ${command}: ${rule}`)}`,
      ];
      return [`::${githubLevels[level]} ${properties.join(',')}::${escapeGithubData(message)}`];
    })
    .join('\n');

// XML does not allow control characters, not even as references.
const escapeXmlCharacter = (sign: string): string => {
  const code = sign.codePointAt(0) ?? 0;
  return code < 32 && !'\t\n\r'.includes(sign) ? '\ufffd' : `&#${code};`;
};

const escapeXml = (text: string): string => text.replace(/[<>&"'\p{Cc}]/gu, escapeXmlCharacter);

const formatTestCase = (
  { name, rule, level, message = '', file, line, durationMs = 0 }: ReportedCheck,
  cwd: string,
): string => {
  const place =
    file === undefined
      ? ''
      : ` file="${escapeXml(toRelativePath(cwd, file))}"${line === undefined ? '' : ` line="${line}"`}`;
  const head = `    <testcase classname="${escapeXml(rule)}" name="${escapeXml(name)}"${place} time="${(durationMs / 1_000).toFixed(3)}"`;
  if (level === undefined || level === 'note') return `${head}/>`;
  return `${head}>\n      <failure type="${level}" message="${escapeXml(message)}"/>\n    </testcase>`;
};

/** Passed checks are reported as tests, because pipelines treat a run without tests as a failure. */
const renderJunit = ({ command, cwd, checks }: CheckReport): string => {
  const all = checks.length === 0 ? [{ name: 'nothing was found', rule: command }] : checks;
  const failures = all.filter(({ level }) => level === 'error' || level === 'warning').length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="hookwright ${escapeXml(command)}" tests="${all.length}" failures="${failures}">`,
    ...all.map((check) => formatTestCase(check, cwd)),
    '  </testsuite>',
    '</testsuites>',
  ].join('\n');
};

const listLocations = ({ file, line, column }: ReportedCheck, cwd: string): object[] => {
  if (file === undefined) return [];
  const artifactLocation = { uri: encodeURI(toRelativePath(cwd, file)) };
  const region = line === undefined ? undefined : { startLine: line, startColumn: column };
  return [{ physicalLocation: { artifactLocation, region } }];
};

const renderSarif = ({ command, cwd, checks }: CheckReport): string => {
  const found = checks.filter(({ level }) => level !== undefined);
  const rules = [...new Set(found.map(({ rule }) => rule))].map((id) => ({ id }));
  const driver = { name: `hookwright ${command}`, version: readPackageVersion(), rules };
  const results = found.map((check) => ({
    ruleId: check.rule,
    level: check.level,
    message: { text: check.message ?? check.name },
    locations: listLocations(check, cwd),
  }));
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, results }],
  };
  return JSON.stringify(log, null, 2);
};

const reporters: Readonly<Record<string, (report: CheckReport) => string>> = {
  github: renderGithub,
  junit: renderJunit,
  sarif: renderSarif,
};

export const renderReport = (form: string, report: CheckReport): string => reporters[form]?.(report) ?? '';

export const reporterFlag = defineFlags({
  reporter: {
    kind: 'text',
    value: 'form',
    summary: 'print the findings in the format of a pipeline',
    choices: Object.keys(reporters),
  },
});

/** With a reporter, stdout has only its format, so unreadable settings become findings instead of text. */
export const createReportingContext = (context: Context, reporter: string | undefined): Context => {
  if (reporter === undefined) return context;
  if (context.isJson) throw new UsageError('--json and --reporter are two forms of one answer', 'take one of them');
  return { ...context, reportUnreadable: undefined };
};

/** With a reporter, replaces the text of the outcome by its problems and the checks, in the reporter's format. */
export const withReporter = (
  outcome: CommandOutcome,
  form: string | undefined,
  { command, cwd, checks }: { command: string; cwd: string; checks?: () => readonly ReportedCheck[] },
): CommandOutcome => {
  if (form === undefined) return outcome;
  const all = [...(outcome.problems ?? []).map(toReportedProblem), ...(checks?.() ?? [])];
  const text = renderReport(form, { command, cwd, checks: all });
  return { ...outcome, text: () => (text === '' ? [] : text.split('\n')) };
};

const toReportedProblem = (problem: CliProblem): ReportedCheck => {
  const { severity, code = 'settings', message, hint, file, line, column } = problem;
  const fix = hint === undefined || message.includes(hint) ? '' : `; ${hint}`;
  return { name: message, rule: code, level: severity, message: `${message}${fix}`, file, line, column };
};
