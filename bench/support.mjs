// What the questions share: variants in processes of their own, medians, and rows for the table.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// ── statistics ────────────────────────────────────────────────────────────────────────────────────────────────────

const quantile = (values, part) => {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (sorted.length - 1) * part;
  const below = sorted[Math.floor(at)];
  return below + (sorted[Math.ceil(at)] - below) * (at - Math.floor(at));
};

export const median = (values) => quantile(values, 0.5);

/** The middle half: rounds that something else on the machine disturbed are outside of it. */
const middleHalf = (values) => [quantile(values, 0.25), quantile(values, 0.75)];

/** Round by round, so that whatever slows the machine down for a while slows both sides of a quotient. */
const pairwise = (ones, others, combine) => ones.map((one, round) => combine(one, others[round]));

// ── processes ─────────────────────────────────────────────────────────────────────────────────────────────────────

const host = fileURLToPath(new URL('variant.mjs', import.meta.url));

const startVariant = (url, name, execArgv) => {
  const child = fork(host, [url, name], { execArgv });
  const nextMessage = () =>
    new Promise((resolve, reject) => {
      const ended = (code, signal) => reject(new Error(`variant "${name}" ended with ${code ?? signal}`));
      child.once('exit', ended);
      child.once('message', (message) => {
        child.off('exit', ended);
        if (message.failure === undefined) resolve(message.figure);
        else reject(new Error(`variant "${name}": ${message.failure}`));
      });
    });
  const round = () => {
    child.send('round');
    return nextMessage();
  };
  return { name, round, ready: nextMessage(), end: () => child.disconnect() };
};

/**
 * Runs each variant in a process of its own, one at a time, taking turns. A process of its own, because call sites
 * shared between variants slow all of them down; turns, because the machine has better and worse moments.
 */
export const alternate = async (url, names, { rounds, execArgv = [] }) => {
  const variants = [];
  try {
    const figures = Object.fromEntries(names.map((name) => [name, []]));
    for (const name of names) {
      const variant = startVariant(url, name, execArgv);
      variants.push(variant);
      // One after the other: warming up takes a whole processor too.
      await variant.ready;
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const { name, round: run } of variants) figures[name].push(await run());
      variants.push(variants.shift());
    }
    return figures;
  } finally {
    for (const { end } of variants) end();
  }
};

const WARM_UP_MS = 300;
/** Long enough to hold its share of garbage collection. */
const ROUND_MS = 15;
const MAX_ATTEMPTS = 3;
/** How many make one figure. */
const DIFFERENCES = 6;

const timeCalls = async (call, count) => {
  const started = performance.now();
  for (let index = 0; index < count; index += 1) await call(index);
  return performance.now() - started;
};

/** Repeats what was measured while others took the processor away, as far as patience goes. */
const leastDisturbed = async (run) => {
  let best = { switches: Infinity, figure: 0 };
  for (let attempt = 0; attempt < MAX_ATTEMPTS && best.switches > 0; attempt += 1) {
    const before = process.resourceUsage().involuntaryContextSwitches;
    const figure = await run();
    const switches = process.resourceUsage().involuntaryContextSwitches - before;
    if (switches < best.switches) best = { switches, figure };
  }
  return best.figure;
};

/** A round for something that takes microseconds: how long one call takes among many. */
export const manyCalls = async (call) => {
  let calls = 100;
  for (const until = performance.now() + WARM_UP_MS; performance.now() < until; ) {
    const tookMs = await timeCalls(call, calls);
    calls = Math.max(100, Math.round((calls * ROUND_MS) / tookMs));
  }
  return async () => ((await leastDisturbed(() => timeCalls(call, calls))) * 1_000) / calls;
};

/**
 * A round for what one way adds to another that leads to the same code: both in one process, one right after the other.
 * Between two processes the same code differs by more than that, by where the compiler and the collector happened to put it.
 */
export const addedCalls = async (more, less) => {
  const [ours, without] = [await manyCalls(more), await manyCalls(less)];
  /** Each of the two once before and once after the other. */
  const differences = async () => {
    const [first, then] = [await ours(), await without()];
    const [later, last] = [await without(), await ours()];
    return [first - then, last - later];
  };
  return async () => {
    const found = [];
    while (found.length < DIFFERENCES) found.push(...(await differences()));
    return median(found);
  };
};

/** A round for something that takes milliseconds: the median of a few. */
export const fewCalls = async (call, count) => {
  const round = async () => {
    const times = [];
    while (times.length < count) times.push(await timeCalls(call, 1));
    return median(times);
  };
  await round();
  return round;
};

/** This machine lacks what a question needs. That is no miss, and no pass either. */
export class NotMeasured extends Error {}

// ── rows ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const number = (value) => (Math.abs(value) < 10 ? value.toFixed(2) : value.toFixed(1));
const text = (value, unit) => `${number(value)} ${unit}`;

const withSpread = (values, unit) => {
  if (values.length === 1) return text(values[0], unit);
  const [low, high] = middleHalf(values);
  return `${text(median(values), unit)} (${number(low)}–${number(high)})`;
};

/** What an agent of others takes for the same, as in peers.mjs, and how many times ours that is. */
const besidePeer = (ours, peer, unit) =>
  peer === undefined
    ? {}
    : {
        peer: `${text(median(peer), unit)}, ${median(pairwise(peer, ours, (other, one) => other / one)).toFixed(2)} ×`,
      };

/** A budget that is a ratio of two things measured in the same run. */
export const ratioRow = ({ id, what, ours, bare, peer, unit = 'ms', budget }) => {
  const ratio = median(pairwise(ours, bare, (one, other) => one / other));
  return {
    id,
    what,
    measured: withSpread(ours, unit),
    bare: withSpread(bare, unit),
    ...besidePeer(ours, peer, unit),
    judged: 'ratio',
    figure: `${ratio.toFixed(2)} ×`,
    budget: `${budget.toFixed(2)} ×`,
    ok: ratio <= budget,
  };
};

/**
 * A budget in absolute time. It was set on a machine on which the bare equivalent took `bareInDocument`; here it is
 * faster or slower, and the figure is converted by that factor before it is judged. Without a budget it is only shown.
 */
export const scaledRow = ({ id, what, ours, bare, bareInDocument, peer, unit = 'µs', budget }) => {
  const scale = median(bare) / bareInDocument;
  const figure = median(ours) / scale;
  return {
    id,
    what,
    measured: withSpread(ours, unit),
    bare: withSpread(bare, unit),
    scale: scale.toFixed(2),
    ...besidePeer(ours, peer, unit),
    judged: 'time, scaled',
    figure: text(figure, unit),
    ...(budget === undefined ? { ok: true } : { budget: text(budget, unit), ok: figure <= budget }),
  };
};

/** A budget in absolute terms that holds on any machine. */
export const absoluteRow = ({ id, what, ours, unit, budget }) => {
  const figure = median(ours);
  return {
    id,
    what,
    measured: withSpread(ours, unit),
    judged: 'absolute',
    figure: text(figure, unit),
    budget: text(budget, unit),
    ok: figure <= budget,
  };
};

/** What one way adds to another, converted like any other time. */
export const addedRow = ({ ours, without, ...row }) =>
  scaledRow({ ...row, ours: pairwise(ours, without, (one, other) => one - other) });

const columns = ['id', 'what', 'measured', 'bare', 'scale', 'peer', 'judged', 'figure', 'budget', ''];

export const table = (rows) => {
  const lines = [columns, ...rows.map((row) => columns.map((name) => row[name] ?? (name === '' ? verdict(row) : '–')))];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const verdict = ({ ok, budget }) => (ok ? (budget === undefined ? '' : 'ok') : 'MISS');
