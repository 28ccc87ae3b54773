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
      what: `${named} has no interpreter: its first line does not begin with #!`,
      why: 'A shell would run it as a shell script; other programs cannot start it.',
      fix: 'begin it with a line such as #!/bin/sh or #!/usr/bin/env node',
    },
  ];
};

export const scriptFiles: Check = {
  id: 'script',
  title: 'scripts that fail when they are started',
  about:
    'A script with CRLF, with a byte order mark, without a #! line, or with one that names a missing program: the file exists and is executable, but cannot start.',
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
