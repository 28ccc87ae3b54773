// What the scripts share: where the project is, and how they run something and read what it said.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The script behind a dev dependency's command: any Node can run it, and no shell is needed on any platform. */
export const commandOf = (packageName, command) => {
  const directory = join(root, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  return join(directory, typeof bin === 'string' ? bin : bin[command]);
};

/** Runs a program in the project to its end. Never rejects: a program that cannot start has `code` null. */
export const run = (file, args, options = {}) =>
  new Promise((resolve) => {
    const child = spawn(file, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let stdout = '';
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      output += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.on('error', (error) => resolve({ code: null, stdout, output: `${output}${error.message}\n` }));
    child.on('close', (code) => resolve({ code, stdout, output }));
  });
