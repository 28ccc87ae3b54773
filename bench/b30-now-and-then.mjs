// B30: what does a command hook cost that is called as an agent calls it, every 50 ms, when nothing is warm?
import { setTimeout as sleep } from 'node:timers/promises';
import { ours, plainLine, shellLine, startInShell, startPlainly } from './commands.mjs';
import { peerCommand } from './peers.mjs';
import { alternate, ratioRow } from './support.mjs';

const PAUSE_MS = 50;

const nowAndThen = async (call) => {
  await call();
  return async () => {
    await sleep(PAUSE_MS);
    const started = performance.now();
    await call();
    return performance.now() - started;
  };
};

export const variants = {
  plain: async () => nowAndThen(await ours(1, plainLine)),
  plainBare: () => nowAndThen(startPlainly),
  plainPeer: () => nowAndThen(peerCommand(plainLine)),
  shell: async () => nowAndThen(await ours(1, shellLine)),
  shellBare: () => nowAndThen(startInShell),
  shellPeer: () => nowAndThen(peerCommand(shellLine)),
};

export const measure = async () => {
  const figures = await alternate(import.meta.url, Object.keys(variants), { rounds: 60 });
  const row = (what, name, budget) =>
    ratioRow({
      id: 'B30',
      what,
      ours: figures[name],
      bare: figures[`${name}Bare`],
      peer: figures[`${name}Peer`],
      budget,
    });
  return [
    row('one command every 50 ms, no shell needed', 'plain', 1.15),
    row('one command every 50 ms, with shell syntax', 'shell', 1.12),
  ];
};
