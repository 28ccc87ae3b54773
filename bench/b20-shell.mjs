// B20: one command hook whose line needs a shell, against a bash started by hand as other agents do. In a session of
// its own like ours: on a busy machine Linux shares the processors among sessions.
import { spawn } from 'node:child_process';
import { environment, expectAllowed, ours, shellLine } from './commands.mjs';
import { hookInput } from './payloads.mjs';
import { alternate, fewCalls, ratioRow } from './support.mjs';

const startAsOthersDo = () =>
  new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', shellLine], { env: environment, detached: true });
    let answer = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      answer += text;
    });
    child.stderr.resume();
    child.stdin.on('error', () => {});
    child.on('error', reject);
    child.on('close', () => resolve(expectAllowed(JSON.parse(answer))));
    child.stdin.end(JSON.stringify(hookInput));
  });

export const variants = {
  ours: async () => fewCalls(await ours(1, shellLine), 2),
  bare: () => fewCalls(startAsOthersDo, 2),
};

export const measure = async () => {
  const { ours, bare } = await alternate(import.meta.url, ['ours', 'bare'], { rounds: 120 });
  return [ratioRow({ id: 'B20', what: 'one command with shell syntax, as others start it', ours, bare, budget: 1.12 })];
};
