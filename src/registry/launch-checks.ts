/** Finds mistakes in command lines of hooks, and lines that would start hookwright again. */
import { catalogue, isHookEventName } from '../events/index.ts';
import {
  ConfigSource,
  canSteerPrograms,
  type FindingReporter,
  type HookConfig,
  isGuardEntry,
} from '../protocol/index.ts';

export const reportLaunchMistakes = (
  eventName: string,
  config: HookConfig,
  at: string,
  report: FindingReporter,
): void => {
  const last = mustNotLoseDenial(eventName, config) ? findLostExitCode(config) : undefined;
  if (last !== undefined) {
    const path = `${at}.command`;
    const message = `${path} ends with the exit code of "${last}", so the exit code 2 of a program before it is lost`;
    const line = JSON.stringify(`set -o pipefail; ${config.command}`);
    const hint = `write "command": ${line}, which needs bash, or let the script write its own log`;
    report({ code: 'no-effect', skipped: false, path, message, hint });
  }
  const index = config.args?.findIndex((arg) => arg.startsWith('~/')) ?? -1;
  const arg = config.args?.[index];
  if (arg !== undefined) {
    const path = `${at}.args[${index}]`;
    const message = `${path}: no shell reads the arguments of a hook with args, so ~ is not replaced`;
    report({ code: 'no-effect', skipped: false, path, message, hint: `write "$HOME${arg.slice(1)}"` });
  }
};

const quotedPattern = /'[^']*'|"(?:[^"\\]|\\.)*"|\\./gs;

const splitLastPipe = (line: string): string[][] => {
  const plain = line.replace(quotedPattern, (quoted) => quoted.replace(/[|&;\n]/g, '_'));
  const last =
    plain
      .trim()
      .split(/;|&&|\|\||\n/)
      .at(-1) ?? '';
  return last.split(/\|&?/).map((part) => part.trim().split(/\s+/));
};

const isScript = ([program = '', ...words]: readonly string[]): boolean =>
  program.includes('/') || words.some((word) => /\.(?:[cm]?[jt]s|sh|py|rb|pl|php)['"]?$/.test(word));

/** In `./guard.sh | tee -a log` the shell returns the exit code of `tee`. */
const findLostExitCode = ({ command = '', args, type = 'command' }: HookConfig): string | undefined => {
  if (args !== undefined || type !== 'command' || /\bpipefail\b|\bPIPESTATUS\b/.test(command)) return undefined;
  const parts = splitLastPipe(command);
  const [last = []] = parts.slice(-1);
  return parts.slice(0, -1).some(isScript) && !isScript(last) ? last[0] : undefined;
};

/** For guards, and at events that wait for the verdict. */
const mustNotLoseDenial = (eventName: string, config: HookConfig): boolean =>
  isGuardEntry({ ...config }) || (isHookEventName(eventName) && catalogue[eventName].onLost === 'deny');

const MAX_LISTED_NAMES = 20;

export const reportRefusedVariables = (
  { env = {} }: HookConfig,
  source: ConfigSource,
  at: string,
  report: FindingReporter,
): void => {
  if (source !== ConfigSource.Project && source !== ConfigSource.Extensions) return;
  const refused = Object.keys(env).filter(canSteerPrograms);
  for (const name of refused.slice(0, MAX_LISTED_NAMES)) {
    const path = `${at}.env.${name}`;
    const hint = 'set it in the settings of the user, or in the script';
    const message = `${path} is not set: it could change which code runs, and a project or an extension may not do that; ${hint}`;
    report({ code: 'refused-variables', skipped: false, path, message, hint });
  }
  const more = refused.length - MAX_LISTED_NAMES;
  if (more <= 0) return;
  const path = `${at}.env`;
  report({
    code: 'refused-variables',
    skipped: false,
    path,
    message: `${path} has ${more} more of that kind, none of which is set`,
  });
};

/** Matches the command lines that `hookwright install` writes for other agents. */
const hookwrightLinePattern = /(?:^|\s)run\s(?:[^;&|]*\s)?--as-hook(?:\s|$)/;

export const isHookwrightLine = (line: string | undefined): boolean =>
  line !== undefined && hookwrightLinePattern.test(line);

export const HOOKWRIGHT_LINE_HINT =
  'This line starts hookwright itself. Its hooks run already, so it does not run here.';

export const startsHookwright = ({ command, args }: HookConfig): boolean =>
  isHookwrightLine([command ?? '', ...(args ?? [])].join(' '));
