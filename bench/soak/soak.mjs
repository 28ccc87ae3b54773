import { HookSystem, MessageBus, requestHooks } from 'hookwright';
import { openEndpoint } from './endpoint.mjs';
import { atMost, descriptors, endMarked, markedProcesses, watchLoop } from './looks.mjs';
import { isStricter, leastOf, plansOf } from './plans.mjs';
import { probeHooks, probes } from './probes.mjs';
import { randomOf } from './random.mjs';

const ignore = () => {};
/** Faults are what a soak is made of: without a logger, each would be a warning on stderr. */
const silent = { debug: ignore, log: ignore, warn: ignore, error: ignore };

const GRACE_MS = 300;
const LATE_MS = 100;
const PLANS = 12;
/** So often a fixed plan is put to the test beside the random ones. */
const PROBE_EVERY = 10;
/** An engine is reloaded after so many requests, and replaced after so many more. */
const RELOAD_EVERY = 150;
const REPLACE_EVERY = 600;

/** From so many requests on memory has to stay where it was. */
const MEMORY_FROM = 2_000;
const MAY_GROW = 1.2;
const LOOKS = 3;

const turn = () => new Promise((resolve) => setImmediate(resolve));
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const quantile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;

export const createId = () => `${process.pid}-${Date.now()}`;

/** The verdict of a merged answer, by what it says and not by what was meant. */
const verdictOf = (output) => {
  if (output === undefined) return 'none';
  if (output.isBlockingDecision() || output.shouldStopExecution()) return 'deny';
  return output.isAskDecision() ? 'ask' : 'none';
};
const saysBlock = ({ decision, continue: goesOn }) => decision === 'deny' || decision === 'block' || goesOn === false;

export class Soak {
  #options;
  #random;
  #broken = [];
  /** All there will be from the start, so that it does not look like memory that is lost. */
  #durations;
  #faults = new Map();
  #codes = new Map();
  #memory = [];
  #endpoint;
  #loop = watchLoop();
  #engine;
  #isReplacing = false;
  #generation = 0;

  constructor(options) {
    this.#options = options;
    this.#random = randomOf(options.seed);
    this.#durations = new Float64Array(options.requests).fill(Number.NaN);
  }

  async run() {
    const { requests, atOnce, seconds, kinds, marker } = this.#options;
    const onTrouble = (kind) => (trouble) => this.#report('P2', `${kind}: ${trouble?.stack ?? trouble}`);
    for (const kind of ['unhandledRejection', 'uncaughtException', 'warning']) process.on(kind, onTrouble(kind));
    this.#endpoint = await openEndpoint();
    const startedAt = performance.now();
    const before = descriptors();
    let started = 0;
    let done = 0;
    const isOver = () =>
      started >= requests ||
      performance.now() - startedAt > seconds * 1_000 ||
      (this.#options.endsAtFirst && this.#broken.length > 0);
    /** How much is over, of the requests or of the time: one that its time ends has looks to tell of, too, from when it is warm. */
    const tenths = () => {
      const ofTime = done < MEMORY_FROM ? 0 : (performance.now() - startedAt) / (seconds * 1_000);
      return Math.min(10, Math.floor(Math.max(done / requests, ofTime) * 10));
    };
    let looked = 0;
    await this.#replaceEngine();
    const work = async () => {
      while (!isOver()) {
        const at = started;
        started += 1;
        if (at > 0 && at % REPLACE_EVERY === 0) await this.#replaceEngine();
        else if (at > 0 && at % RELOAD_EVERY === 0) void this.#reload();
        await this.#request(at);
        if (at % PROBE_EVERY === 0) await this.#probe(at);
        // Functions that answer at once would never let anything else happen.
        await turn();
        done += 1;
        if (tenths() > looked) {
          looked = tenths();
          this.#memory.push({ ...this.#now(), done });
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    const took = performance.now() - startedAt;
    await this.#dispose(this.#engine);
    const left = await this.#leftBehind(marker);
    if (left.length > 0) this.#report('P3', `left behind: ${left.join('; ')}`);
    endMarked(marker);
    await this.#endpoint.close();
    await sleep(200);
    const after = descriptors();
    if (after > before) this.#report('P13', `${after - before} descriptors more than before`);
    this.#loop.stop();
    this.#checkMemory();
    return { broken: this.#broken, lines: this.#summary({ done, took, before, after, left, kinds }) };
  }

  /** What was ended by force in the last moment may take a little on a machine that is busy with it. */
  async #leftBehind(marker) {
    const startedAt = performance.now();
    let left = markedProcesses(marker);
    while (left.length > 0 && performance.now() - startedAt < atMost(LATE_MS) + this.#loop.since(startedAt)) {
      await sleep(20);
      left = markedProcesses(marker);
    }
    return left;
  }

  #report(promise, what) {
    this.#broken.push(`${promise} (seed ${this.#options.seed}): ${what}`);
  }

  #now() {
    globalThis.gc?.();
    return { rss: process.memoryUsage().rss, heap: process.memoryUsage().heapUsed, descriptors: descriptors() };
  }

  #newPlans() {
    const { kinds, marker } = this.#options;
    this.#generation += 1;
    return plansOf(this.#generation, PLANS, kinds, { random: this.#random, marker, url: this.#endpoint.url });
  }

  #hooksOf = (plans) => ({
    ...probeHooks,
    BeforeTool: [...plans.map(({ definition }) => definition), ...probeHooks.BeforeTool],
  });

  async #replaceEngine() {
    if (this.#isReplacing) return;
    this.#isReplacing = true;
    const old = this.#engine;
    const bus = new MessageBus();
    const plans = this.#newPlans();
    const engine = {
      bus,
      plans,
      next: plans,
      byTool: new Map(),
      responses: new Map(),
      traces: new Map(),
      isDisposed: false,
    };
    this.#remember(engine, plans);
    const config = {
      getSessionId: () => 'soak',
      getWorkingDir: () => process.cwd(),
      getHooks: () => this.#hooksOf(engine.next),
    };
    engine.system = new HookSystem(config, bus, { limits: { killGraceMs: GRACE_MS }, logger: silent });
    bus.on('error', (error) => this.#report('P8', `an error event: ${error.message}`));
    bus.subscribe('hook-execution-response', (response) => {
      const { correlationId } = response;
      engine.responses.set(correlationId, (engine.responses.get(correlationId) ?? 0) + 1);
      this.#checkLeast(engine, response);
    });
    bus.subscribe('hook-execution-trace', (trace) => {
      // How a hook in the background ended is told in a trace of its own.
      if (trace.rows.every(({ background }) => background === true)) return;
      engine.traces.set(trace.correlationId, trace);
      this.#checkDurations(engine, trace);
    });
    await engine.system.initialize();
    this.#engine = engine;
    this.#isReplacing = false;
    // With requests under way.
    if (old !== undefined) await this.#dispose(old);
  }

  /** One at a time: with two of them nobody could say which plans an engine has. */
  async #reload() {
    const engine = this.#engine;
    if (engine.plans !== engine.next) return;
    engine.next = this.#newPlans();
    this.#remember(engine, engine.next);
    await engine.system.reload().catch((error) => this.#report('P2', `reload rejects: ${error.message}`));
    engine.plans = engine.next;
  }

  async #dispose(engine) {
    engine.isDisposed = true;
    const startedAt = performance.now();
    await engine.system.dispose();
    const late = performance.now() - startedAt - GRACE_MS - 250 - this.#loop.since(startedAt);
    if (late > atMost(LATE_MS)) this.#report('P13', `dispose took ${Math.round(late)} ms longer than it may`);
    for (const [id, count] of engine.responses) if (count !== 1) this.#report('P1', `${count} responses to ${id}`);
  }

  async #request(at) {
    const engine = this.#engine;
    const random = this.#random;
    const plan = random.pick(engine.plans);
    const controller = new AbortController();
    const timeoutMs = random.chance(0.2) ? random.between(20, 400) : undefined;
    const cancelMs = random.chance(0.1) ? random.between(0, 200) : undefined;
    const overBus = random.chance(0.5);
    const payload = { tool_name: plan.tool, tool_input: plan.tool_input };
    if (cancelMs !== undefined) setTimeout(() => controller.abort(), cancelMs);
    const startedAt = performance.now();
    const options = { ...(timeoutMs === undefined ? {} : { timeoutMs }), signal: controller.signal };
    let result;
    try {
      result = overBus
        ? await requestHooks(engine.bus, 'BeforeTool', payload, options)
        : await engine.system.getEventHandler().fire('BeforeTool', payload, options);
    } catch (error) {
      this.#report('P2', `request ${at} rejects: ${error.message}`);
      return;
    }
    const ms = performance.now() - startedAt;
    this.#durations[at] = ms;
    const due = Math.min(timeoutMs ?? Number.POSITIVE_INFINITY, cancelMs ?? Number.POSITIVE_INFINITY);
    const late = ms - due - this.#loop.since(startedAt);
    if (late > atMost(LATE_MS)) this.#report('P1', `request ${at} came ${Math.round(late)} ms after ${due} ms`);
    this.#check(at, plan, result);
  }

  async #probe(at) {
    const engine = this.#engine;
    const { event, payload, promise, isKept } = this.#random.pick(probes);
    const result = this.#random.chance(0.5)
      ? await requestHooks(engine.bus, event, payload)
      : await engine.system.getEventHandler().fire(event, payload);
    if (engine.isDisposed || isKept(result.finalOutput)) return;
    const found = JSON.stringify(result.finalOutput);
    this.#report('P4', `request ${at}: ${promise}; the answer is ${found}`);
  }

  /** Requests may still be answered by plans that were replaced. */
  #remember({ byTool }, plans) {
    for (const plan of plans) byTool.set(plan.tool, plan);
  }

  /** What each hook did is in the rows; the answer must not be less than that. */
  #checkLeast(engine, { correlationId, output, error }) {
    const trace = engine.traces.get(correlationId);
    engine.traces.delete(correlationId);
    if (trace === undefined) {
      if (error === undefined) this.#report('P9', `no row for the answer to ${correlationId}`);
      return;
    }
    const { subject, rows } = trace;
    const ran = rows.filter(({ planned, recheck }) => planned === 'run' && recheck !== true);
    const plan = engine.byTool.get(subject);
    if (plan === undefined) return;
    const where = `${plan.tool} (${plan.members.map(({ hook }) => hook.name).join(' | ')})`;
    const isReplaced = !engine.plans.includes(plan) || !engine.next.includes(plan);
    // A plan that was replaced, or an event that ended before it was planned, has no hooks.
    if (ran.length === 0 && (isReplaced || error !== undefined)) return;
    if (ran.some(({ name }, at) => name !== plan.members[at]?.hook.name) || ran.length !== plan.members.length) {
      this.#report('P9', `${where}: its rows are ${ran.map(({ name }) => name).join(' | ')}`);
      return;
    }
    const least = leastOf(plan, ran, (what) => this.#report('P7', `${where}: ${what}`));
    const verdict = verdictOf(output);
    if (isStricter(least, verdict)) this.#report('P4', `${where}: ${least} has to come of it, and ${verdict} came`);
  }

  /** However a hook ends, it takes no longer than its timeout and the grace period. */
  #checkDurations({ byTool }, { subject, rows, durationMs: all }) {
    const standstill = this.#loop.since(performance.now() - all - LATE_MS);
    const ran = rows.filter(({ planned, durationMs }) => planned === 'run' && durationMs !== undefined);
    for (const { name, durationMs, code } of ran) {
      const timeout = byTool.get(subject)?.members.find(({ hook }) => hook.name === name)?.hook.timeout;
      if (timeout === undefined) continue;
      const late = durationMs - timeout - GRACE_MS - standstill;
      if (late > atMost(LATE_MS))
        this.#report('P3', `${name} (${code}) took ${Math.round(durationMs)} ms of ${timeout}`);
    }
  }

  #check(at, plan, result) {
    const verdict = verdictOf(result.finalOutput);
    const code = result.errors[0]?.code;
    if (code !== undefined && code !== 'hook_failed') this.#count(this.#codes, code);
    for (const { details } of result.errors) if (details?.fault !== undefined) this.#count(this.#faults, details.fault);
    const names = plan.members.map(({ hook }) => hook.name);
    const where = `request ${at} (${names.join(' | ')})`;
    if (result.allOutputs.some(saysBlock) && verdict !== 'deny') this.#report('P4', `${where}: a block was lost`);
    if (isStricter(verdict, plan.most)) {
      this.#report('P5', `${where}: ${verdict}, and no hook could have said more than ${plan.most}`);
    }
  }

  /** One look may be just before or after garbage was collected; three of ten say where it stands. */
  #checkMemory() {
    const warm = this.#memory.filter(({ done }) => done >= MEMORY_FROM);
    if (warm.length < 2 * LOOKS) return;
    const middle = (looks) => looks.map(({ rss }) => rss).sort((one, other) => one - other)[LOOKS >> 1];
    const early = middle(warm.slice(0, LOOKS));
    const late = middle(warm.slice(-LOOKS));
    if (late > MAY_GROW * early) this.#report('P6', `${late} bytes of memory at the end, ${early} at the beginning`);
  }

  #count(counts, what) {
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }

  #summary({ done, took, before, after, left, kinds }) {
    const sorted = this.#durations.filter((ms) => !Number.isNaN(ms)).sort();
    const list = (counts) =>
      [...counts]
        .sort(([, one], [, other]) => other - one)
        .map(([what, count]) => `${what} ${count}`)
        .join(', ');
    const mega = (bytes) => Math.round(bytes / 1_048_576);
    return [
      `${done} requests of ${kinds.join(', ')} in ${(took / 1_000).toFixed(1)} s, seed ${this.#options.seed}`,
      `p50 ${quantile(sorted, 0.5).toFixed(2)} ms, p99 ${quantile(sorted, 0.99).toFixed(2)} ms, longest ${quantile(sorted, 1).toFixed(0)} ms`,
      `faults of hooks survived: ${list(this.#faults) || 'none'}`,
      `requests ended early: ${list(this.#codes) || 'none'}`,
      `memory over time (RSS, heap in MB): ${this.#memory.map(({ rss, heap }) => `${mega(rss)}/${mega(heap)}`).join(' ')}`,
      `descriptors: ${before} before, ${this.#memory.map((each) => each.descriptors).join(' ')}, ${after} after`,
      `left behind: ${left.length} processes; the loop stood still for at most ${Math.round(this.#loop.longest())} ms`,
      this.#broken.length === 0 ? 'every promise was kept' : `${this.#broken.length} promises were broken`,
    ];
  }
}
