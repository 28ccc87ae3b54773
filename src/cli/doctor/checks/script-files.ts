import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { directoriesOf, findProgram } from '../../../kit/node.ts';
import { type Script, scriptTrouble } from '../../../runners/commands.ts';
import type { Check, Diagnosis } from '../check.ts';
import { failing } from '../failing.ts';

const firstLine = ({ text, named, isStarted }: Script): Diagnosis[] => {
  if (text === undefined || !isStarted || /^(?:\ufeff|#!)/.test(text)) return [];
  return [
    {
      severity: 'warning',
      what: `${named} does not say what reads it: its first line is no #!`,
      why: 'Who starts it decides: a shell reads it as a script of its own, anything else fails.',
      fix: 'begin it with a line such as #!/bin/sh or #!/usr/bin/env node',
    },
  ];
};

export const scriptFiles: Check = {
  id: 'script',
  title: 'scripts that fail when they are started',
  about:
    'A script with CRLF, with a byte order mark, without a #! or with one that names a program which is not there: the file exists and may be executed, and yet nothing of it runs.',
  look: (hook, { environment }) => {
    const isThere = (program: string): boolean =>
      isAbsolute(program) ? existsSync(program) : findProgram(program, directoriesOf(environment.PATH)) !== undefined;
    return hook.scripts.flatMap((script) => [
      ...scriptTrouble(script, isThere).map(
        ({ what, why = failing(hook), fix }): Diagnosis => ({ severity: 'error', what, why, fix }),
      ),
      ...firstLine(script),
    ]);
  },
};
