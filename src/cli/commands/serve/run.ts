/** `hookwright serve`: answers the hook requests of other processes over a NATS broker. */
import { MessageBus } from '../../../bus/index.ts';
import { createHooks, type Hooks } from '../../../facade/index.ts';
import type { HookSystem } from '../../../hook-system.ts';
import { describeThrown, omitUndefined } from '../../../kit/index.ts';
import { sha256 } from '../../../kit/node.ts';
import { finishOnSignal } from '../../../runners/index.ts';
import { startJournal } from '../../../sessions/index.ts';
import { watchConfig } from '../../../settings/index.ts';
import { type NatsStats, type NatsTransport, natsTransport } from '../../../transports/index.ts';
import type { CommandMain } from '../../command.ts';
import { type Context, waitForInterrupt } from '../../context.ts';
import { formatCount, formatProblems } from '../../rendering/problem-lines.ts';
import { createSpan, type Style } from '../../rendering/text.ts';
import { readBrokerOptions } from '../../sources/broker.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { NotFoundError } from '../../usage-error.ts';
import type { serveSpec } from './spec.ts';

export const run: CommandMain<typeof serveSpec> = async (options, context) => {
  const { group, prefix, unobserved, drain = Number.POSITIVE_INFINITY, health = 60 } = options;
  const broker = await readBrokerOptions('serve', options, context);
  const transport = natsTransport({ ...broker, group, prefix, observed: !unobserved });
  const bus = new MessageBus({ transport });
  const warn = (message: string, code?: string): void =>
    context.item({ state: 'problem', ...omitUndefined({ code }), message }, () => [[createSpan('yellow', message)]]);
  bus.on('error', ({ code, message }) => warn(message, code));
  const { config, problems } = await loadSettings(context, undefined, { deps: { warnings: true } });
  context.note(formatProblems(problems, context));
  if (!config.getEnableHooks()) {
    await transport.close();
    const how =
      'create one with hookwright init, use another directory with --cwd, or see with hookwright list what is switched off';
    throw new NotFoundError('no hook is enabled here, so there is nothing to serve', how);
  }
  // The first signal drains the open requests. The second signal ends this process with its hooks.
  finishOnSignal();
  const hooks = await createHooks({ config, bus });
  const journal = config.getJournal();
  const closeJournal = journal && startJournal(hooks.system, journal, { warn });
  const serving = new Serving(context, transport, hooks);
  const watch = watchConfig(config, {
    onReload: () => void serving.reloaded(),
    onProblem: ({ message }) => serving.report('problem', message, { message }, 'yellow'),
  });
  const ended = waitForInterrupt(context);
  context.onHangup(() => void serving.reload());
  await serving.announce();
  await Promise.race([transport.flush(), ended]);
  if (!context.signal.aborted) await serving.ready(group ?? 'hosts');
  const timers = [
    setInterval(() => serving.checkConnection(), CONNECTION_CHECK_MS),
    ...(health === 0 ? [] : [setInterval(() => serving.health(), health * 1_000)]),
  ];
  await ended;
  for (const timer of timers) clearInterval(timer);
  serving.report('draining', `accepting no more requests; ${transport.stats().owed} still running`);
  const isDrained = await transport.drain(drain * 1_000);
  const left = transport.stats().owed;
  await watch.close();
  await hooks.close();
  closeJournal?.();
  await transport.close();
  const { answered } = transport.stats();
  return {
    findings: !isDrained,
    data: { answered, left },
    text: () => [
      `${formatCount(answered, 'request')} answered${left === 0 ? '' : `, ${left} left without their answer`}`,
    ],
  };
};

class Serving {
  readonly #context: Context;
  readonly #transport: NatsTransport;
  readonly #hooks: Hooks;
  #config = '';
  #isUp = false;

  constructor(context: Context, transport: NatsTransport, hooks: Hooks) {
    this.#context = context;
    this.#transport = transport;
    this.#hooks = hooks;
  }

  report(state: string, text: string, facts: object = {}, style: Style = 'dim'): void {
    this.#context.item({ state, host: this.#transport.hostId, config: this.#config, ...facts }, () => [
      [createSpan(style, text)],
    ]);
  }

  async announce(): Promise<void> {
    this.#config = await hashConfiguration(this.#hooks.system);
    this.#transport.announce(this.#config);
  }

  async ready(group: string): Promise<void> {
    this.#isUp = true;
    const { hooks, runs, text: count } = await this.#countHooks();
    const { server } = this.#transport.stats();
    const text = `serving ${count} on ${server} as one of ${group} · configuration ${this.#config} · host ${this.#transport.hostId}`;
    this.report('ready', text, { hooks, runs, server, group }, runs < hooks ? 'yellow' : 'green');
  }

  async #countHooks() {
    const rows = await this.#hooks.explain();
    const hooks = rows.length;
    const runs = rows.filter(({ planned, reason }) => planned === 'run' || reason === 'matcher-mismatch').length;
    const all = formatCount(hooks, 'hook');
    return { hooks, runs, text: runs < hooks ? `${runs} of ${all}` : all };
  }

  health(): void {
    const stats = this.#transport.stats();
    this.report(stats.isUp ? 'up' : 'down', formatHealthLine(stats), stats, stats.isUp ? 'dim' : 'yellow');
  }

  checkConnection(): void {
    const { isUp, server } = this.#transport.stats();
    if (isUp && !this.#isUp) this.report('up', `connected to ${server} again`, { server }, 'green');
    this.#isUp = isUp;
  }

  async reload(): Promise<void> {
    try {
      await this.#hooks.system.reload();
      await this.reloaded();
    } catch (error) {
      this.report('reload-failed', `the settings stay unchanged: ${describeThrown(error)}`, {}, 'red');
    }
  }

  async reloaded(): Promise<void> {
    const before = this.#config;
    await this.announce();
    if (before === this.#config) return;
    const { hooks, runs, text } = await this.#countHooks();
    this.report('reloaded', `now ${text} · configuration ${this.#config}`, { hooks, runs });
  }
}

const formatHealthLine = ({ isUp, answered, owed, late, duplicates, dropped }: NatsStats): string =>
  [
    isUp ? 'up' : 'no connection to the broker',
    `${answered} answered`,
    `${owed} under way`,
    ...(late === 0 ? [] : [`${late} too late`]),
    ...(duplicates === 0 ? [] : [`${duplicates} delivered twice`]),
    ...(dropped === 0 ? [] : [`${dropped} not sent`]),
  ].join(' · ');

const CONNECTION_CHECK_MS = 250;

/** Leaves out paths, so that hosts whose hooks behave alike have the same hash. */
const hashConfiguration = async (system: HookSystem): Promise<string> => {
  const entries = system
    .getAllHooks()
    .map(({ hookId, config, eventName, matcher, sequential, enabled }) => [
      hookId,
      eventName,
      matcher,
      sequential,
      enabled,
      Object.entries(config).sort(([one], [other]) => (one < other ? -1 : 1)),
    ]);
  const rows = (await system.explain()).map(({ hookId, planned, reason }) => [hookId, planned, reason]);
  return sha256(JSON.stringify([entries, rows])).slice(0, 12);
};
