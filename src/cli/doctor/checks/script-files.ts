import { existsSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import type { Check, Diagnosis, Patient, Script, World } from '../check.ts';
import { onPath } from './programs.ts';
import { beginsWithMark, interpreterIn } from './shebang.ts';

const isShell = (program: string): boolean => /^(?:ba|da|z|k)?sh$/.test(basename(program));

const fails = 'Each run fails, and the agent goes on as if the hook had no opinion, unless onFault says otherwise.';

/** Whether a shell reads it: because its first line or its name says so, or because it is handed to one. */
const isForShell = ({ text, named }: Script, { commands }: Patient): boolean => {
  const interpreter = interpreterIn(text);
  if (interpreter !== undefined) return isShell(interpreter.program);
  return (
    named.endsWith('.sh') ||
    commands.some(({ words: [program = '', ...args] }) => isShell(program) && args.includes(named))
  );
};

const lineEnds = (script: Script, patient: Patient): Diagnosis[] => {
  const { text = '', named, isStarted } = script;
  const firstLine = /^\ufeff?#![^\n]*\r\n/.test(text) && isStarted;
  if (!firstLine && !(text.includes('\r\n') && isForShell(script, patient))) return [];
  return [
    {
      severity: 'error',
      what: `${named} has line ends of Windows (CRLF)`,
      why: firstLine
        ? 'The carriage return counts as part of the name of the interpreter, which is then not found.'
        : 'To a shell the carriage return is a part of the last word of each line.',
      fix: `sed -i 's/\\r$//' ${named}, and in .gitattributes: *.sh text eol=lf`,
    },
  ];
};

const firstLine = ({ text, named, isStarted }: Script): Diagnosis[] => {
  if (text === undefined || !isStarted) return [];
  if (beginsWithMark(text)) {
    return [
      {
        severity: 'error',
        what: `${named} begins with a byte order mark`,
        why: 'The system does not see the #! behind it.',
        fix: 'store it as UTF-8 without a byte order mark',
      },
    ];
  }
  if (text.startsWith('#!')) return [];
  return [
    {
      severity: 'warning',
      what: `${named} does not say what reads it: its first line is no #!`,
      why: 'Who starts it decides: a shell reads it as a script of its own, anything else fails.',
      fix: 'begin it with a line such as #!/bin/sh or #!/usr/bin/env node',
    },
  ];
};

const interpreter = ({ text, named, isStarted }: Script, { environment }: World): Diagnosis[] => {
  const program = isStarted ? interpreterIn(text)?.program : undefined;
  if (program === undefined) return [];
  const isThere = isAbsolute(program) ? existsSync(program) : onPath(program, environment) !== undefined;
  if (isThere) return [];
  const where = isAbsolute(program) ? 'does not exist' : 'is on none of the directories of PATH';
  return [
    {
      severity: 'error',
      what: `the first line of ${named} names ${program}, which ${where}`,
      why: fails,
      fix: `install ${basename(program)}, or name another program`,
    },
  ];
};

export const scriptFiles: Check = {
  id: 'script',
  title: 'scripts that fail when they are started',
  about:
    'A script with CRLF, with a byte order mark, without a #! or with one that names a program which is not there: the file exists and may be executed, and yet nothing of it runs.',
  look: (patient, world) =>
    patient.scripts.flatMap((script) => [
      ...lineEnds(script, patient),
      ...firstLine(script),
      ...interpreter(script, world),
    ]),
};
