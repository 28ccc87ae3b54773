import { printable } from '../../kit/index.ts';
import type { ConfigProblem } from './settings.ts';

const withoutBase = (file: string, base: string | undefined): string => {
  if (base === undefined || base === '' || !file.startsWith(base)) return file;
  const rest = file.slice(base.length);
  return /^[\\/]./.test(rest) ? rest.slice(1) : file;
};

/**
 * A problem as people read it: `.hookwright/settings.json:7:20 hooks.BeforeTool[0].hooks[0].timeout must be milliseconds,
 * found "30s"; write 30000`. Files below `base` are written without it.
 */
export const formatProblem = (
  { file, line, column, message }: Pick<ConfigProblem, 'file' | 'line' | 'column' | 'message'>,
  base?: string,
): string => {
  if (file === undefined) return printable(message);
  const position = line === undefined ? '' : `:${line}${column === undefined ? '' : `:${column}`}`;
  return printable(`${withoutBase(file, base)}${position} ${message}`);
};
