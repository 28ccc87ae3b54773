import { RUN_MARKER } from '../../command/environment.ts';

/**
 * What the start helper does: it starts what it is asked to, one process a turn, and sends the three ends of its pipes and its
 * id, so that all else happens as if the host had started it. Then it only waits, to tell how the process ended, and when.
 * Nothing is read here: a byte that came before the pipe was handed over would be lost. When the host is gone, what
 * still runs goes, too.
 */
export const helperScript = `
const { spawn } = require('node:child_process');
const { readdirSync, readFileSync } = require('node:fs');
const running = new Map();
// Their group was ended; what left it is the host's to find, unless it ends before it has heard of the start.
const cancelled = new Set();
const asked = [];
const say = (message, stream) => process.connected && process.send(message, stream, undefined, () => undefined);
const refuse = (id, { message, code }) => say({ id, refused: { message, code } });
const end = (pid) => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
};
const begin = ({ id, file, args, cwd, env }) => {
  let child;
  try {
    child = spawn(file, args, { cwd, env, stdio: 'pipe', detached: true });
  } catch (error) {
    return refuse(id, error);
  }
  child.on('error', (error) => child.pid === undefined && refuse(id, error));
  if (child.pid === undefined) return;
  running.set(id, { pid: child.pid, marker: '${RUN_MARKER}=' + env.${RUN_MARKER} });
  child.on('exit', (exitCode, signal) => {
    running.delete(id);
    say({ id, ended: { exitCode, signal, at: Number(process.hrtime.bigint() / 1000n) / 1000 } });
  });
  const streams = [child.stdin, child.stdout, child.stderr];
  for (const { _handle: handle } of streams) handle.readStop();
  // At its end Node would close the one and read the others, which may be yet to be handed over.
  Object.assign(child, { stdin: null, stdout: null, stderr: null, stdio: [] });
  for (const stream of streams) say({ id, pid: child.pid }, stream);
  say({ id, sent: true });
};
const next = () => {
  const request = asked.shift();
  if (request !== undefined) begin(request);
  if (asked.length > 0) setImmediate(next);
};
const cancel = (id) => {
  const at = asked.findIndex((request) => request.id === id);
  if (at >= 0) asked.splice(at, 1);
  if (running.has(id)) {
    const { pid, marker } = running.get(id);
    cancelled.add(marker);
    setTimeout(() => cancelled.delete(marker), 1_000).unref();
    end(-pid);
  } else refuse(id, { message: 'nobody waits for it any more', code: 'ECANCELED' });
};
process.on('message', (request) => {
  if (request.cancelled) cancel(request.id);
  else if (asked.push(request) === 1) setImmediate(next);
});
const carries = (pid, markers) => {
  try {
    return readFileSync('/proc/' + pid + '/environ', 'latin1').split('\\0').some((entry) => markers.has(entry));
  } catch {
    return false;
  }
};
// The channel is not closed while the other side owes it an answer; a pipe ends in any case.
process.stdin.resume().on('close', () => {
  for (const { pid } of running.values()) end(-pid);
  const markers = new Set([...cancelled, ...[...running.values()].map(({ marker }) => marker)]);
  // What left its group, and what was forked meanwhile.
  for (let round = 0; round < 3 && markers.size > 0; round += 1) {
    const left = readdirSync('/proc').filter((pid) => /^[0-9]+$/.test(pid) && carries(pid, markers));
    if (left.length === 0) break;
    for (const pid of left) end(Number(pid));
  }
  process.exit();
});
say({ ready: true });
`;
