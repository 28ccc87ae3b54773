/** Builds the engine of `createHooks` from its options. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Bus, MessageBus } from '../bus/index.ts';
import { Config, getBus, getHookSystem, type HookDeps, type TriggerConfig } from '../config.ts';
import { createInvalidArgument, HookwrightError } from '../errors.ts';
import { addEvents, explainBadSettings, hookEventNames, isHookEventName } from '../events/index.ts';
import type { HookSystem } from '../hook-system.ts';
import {
  attempt,
  describeThrown,
  describeValue,
  expectKnown,
  findNearestName,
  formatSuggestion,
  isRecord,
} from '../kit/index.ts';
import { type ConfigProblem, ConfigSource, createPartLogger } from '../protocol/index.ts';
import { olderSwitchNames, readHooks } from '../registry/index.ts';
import { expectRequiredGuards, listRequiredGuards } from '../required-guards.ts';
import { loadConfigWith } from '../settings/index.ts';
import { expectFunction } from './arguments.ts';
import { type CallOf, type ChangesOf, type FacadeMethod, facadeMethods } from './calls.ts';
import type { CreateHooksOptions, HooksInCode } from './create-options.ts';
import type { DefinedHook } from './define-hook.ts';
import type { HookCallOptions, Hooks, HookVerdict } from './hooks.ts';
import { HooksEngine } from './hooks-engine.ts';
import { findLaunchProblems } from './launch-problems.ts';
import { createTeamHooks, readTeam } from './team.ts';
import type { ToolTable } from './tool-types.ts';

const isDefinedHookList = (hooks: unknown): hooks is readonly DefinedHook[] => Array.isArray(hooks);

const createHooksOptionNames: readonly string[] = [
  'config',
  'load',
  'hooks',
  'events',
  'require',
  'bus',
  'team',
  'sessionId',
  'transcriptPath',
  'cwd',
  'home',
  'agents',
  'dialects',
  'tools',
  'mode',
  'onConflict',
  'budgetMs',
  'warnings',
  'journal',
  'deps',
] satisfies (keyof CreateHooksOptions)[];

const depNames: Readonly<Record<keyof HookDeps, true>> = {
  askModel: true,
  background: true,
  clock: true,
  confirm: true,
  events: true,
  executor: true,
  idGenerator: true,
  isTrial: true,
  lanes: true,
  limits: true,
  logger: true,
  matchRegex: true,
  mcp: true,
  onReload: true,
  onTrace: true,
  orphanGuard: true,
  parking: true,
  telemetry: true,
  translator: true,
  trustCheck: true,
  variables: true,
  warnings: true,
};

/** A host may pass further members, but a name close to a known one is a mistake. */
const findUnknownDeps = (deps: HookDeps): ConfigProblem[] =>
  Object.keys(deps)
    .filter((key) => !Object.hasOwn(depNames, key))
    .flatMap((key) => {
      const near = findNearestName(key, Object.keys(depNames));
      if (near === undefined) return [];
      const path = `deps.${key}`;
      const message = `createHooks does not know ${path}; did you mean "${near}"?`;
      return [{ code: 'unknown-key', severity: 'warning', skipped: true, path, source: ConfigSource.Runtime, message }];
    });

const expectCreateOptions = (options: unknown): void => {
  if (!isRecord(options))
    throw createInvalidArgument(`createHooks takes an object of options; got ${describeValue(options)}`);
  const misplaced = Object.keys(options).find(
    (key) => Object.hasOwn(depNames, key) && !createHooksOptionNames.includes(key),
  );
  if (misplaced !== undefined) {
    throw createInvalidArgument(`createHooks takes ${misplaced} in deps; write deps: {${misplaced}: …}`);
  }
  expectKnown('createHooks', options, createHooksOptionNames);
  const { hooks, deps } = options;
  if (isDefinedHook(hooks))
    throw createInvalidArgument('createHooks needs hooks as a list; write hooks: [ … ] around the hook');
  if (isRecord(deps) && deps.confirm !== undefined) {
    expectFunction('createHooks', 'deps.confirm', 'what answers a hook that asks', deps.confirm);
  }
  const wrong = explainBadSettings(options);
  if (wrong !== undefined) throw createInvalidArgument(`createHooks ${wrong}`);
  for (const key of ['load', 'warnings', 'journal'] as const) {
    const value = options[key];
    if (value !== undefined && typeof value !== 'boolean') {
      throw createInvalidArgument(`createHooks needs ${key} as true or false; got ${describeValue(value)}`);
    }
  }
  const { load, config, journal } = options;
  if (journal === true && load !== true) {
    throw createInvalidArgument(
      'createHooks keeps a journal with load: true; other hosts record with hookwright/recorder',
    );
  }
  if (load !== true || config === undefined) return;
  throw createInvalidArgument(
    'createHooks takes either a config or load, not both; load one with loadConfig and give it as config',
  );
};

const optionsOfConfig = ['sessionId', 'transcriptPath', 'cwd', 'mode', 'onConflict', 'budgetMs'] as const;

/** Refuses options that a given `config` decides itself. */
const expectNoOptionsOfConfig = (options: CreateHooksOptions): void => {
  const deps = Object.keys(options.deps ?? {}).filter((key) => key !== 'confirm');
  const refused = [
    ...optionsOfConfig.filter((name) => options[name] !== undefined),
    ...deps.map((key) => `deps.${key}`),
  ];
  if (refused.length === 0) return;
  throw createInvalidArgument(`createHooks({config}) takes ${refused.join(', ')} from the config; give it there`);
};

/** A given configuration must already use the wanted bus: the bus of a hook system cannot be changed later. */
const getSharedBus = (config: TriggerConfig, wanted: Bus | undefined): Bus => {
  const bus = getBus(config);
  if (bus === undefined) {
    throw createInvalidArgument(
      'The hook system of the given config listens on no bus; give the config a bus, or call createHooks before its system is used',
    );
  }
  if (wanted !== undefined && wanted !== bus)
    throw createInvalidArgument('The given config has another bus; leave out `bus`');
  return bus;
};

/** In code, an unknown event is a programming mistake, whose hooks would never run. */
const expectEvents = (hooks: unknown): void => {
  if (!isRecord(hooks)) return;
  const unknown = Object.keys(hooks).find((key) => !isHookEventName(key) && !olderSwitchNames.includes(key));
  if (unknown === undefined) return;
  const hint = formatSuggestion(unknown, hookEventNames) || `; events are ${hookEventNames.join(', ')}`;
  throw new HookwrightError('unsupported_event', `createHooks: hooks.${unknown} is not an event${hint}`, {
    details: { eventName: unknown, known: hookEventNames },
  });
};

const createConfig = async (options: CreateHooksOptions, bus: Bus): Promise<TriggerConfig> => {
  const { hooks, sessionId, transcriptPath, cwd, home, agents, dialects, tools, load } = options;
  const { mode, onConflict, budgetMs, deps } = options;
  const runtimeHooks = isDefinedHookList(hooks) ? undefined : hooks;
  const given = { sessionId, transcriptPath, mode, onConflict, budgetMs, bus, deps };
  if (load === true || agents !== undefined || dialects !== undefined) {
    const loaded = await loadConfigWith(
      { ...given, cwd, home, agents, dialects, tools },
      { runtimeHooks, alwaysOn: true },
    );
    return loaded.config;
  }
  return new Config({ ...given, home, enableHooks: true, runtimeHooks, workingDir: cwd });
};

/** Throws if options were added to the result of `defineHook`: they would be ignored, such as the `onFault` of a guard. */
const expectUnchangedDefinitions = (hooks: readonly unknown[]): void => {
  for (const [index, given] of hooks.entries()) {
    if (!isDefinedHook(given)) continue;
    const key = Object.keys(given).find((name) => !definedHookKeys.includes(name));
    if (key === undefined) continue;
    const hint = `its options are those that it was made with; write defineHook({…}) again, with ${key}`;
    throw createInvalidArgument(
      `createHooks does not read "${key}" of hooks[${index}], which defineHook made: ${hint}`,
    );
  }
};

const definedHookKeys: readonly string[] = [
  'event',
  'hook',
  'matcher',
  'sequential',
  'notice',
] satisfies (keyof DefinedHook)[];

const addDefinedHooks = (engine: HooksEngine, hooks: readonly unknown[]): void => {
  for (const [index, given] of hooks.entries()) {
    const path = `hooks[${index}]`;
    try {
      if (!isDefinedHook(given)) {
        const form = isRecord(given) ? ', or write {event, hook}' : '';
        throw createInvalidArgument(`make it with defineHook${form}; found ${describeValue(given)}`);
      }
      engine.add(given);
    } catch (error) {
      const message = `${path} cannot be used: ${describeThrown(error)}`;
      const source = ConfigSource.Runtime;
      engine.report({ code: 'invalid-value', severity: 'error', skipped: true, path, source, message });
    }
  }
};

const isDefinedHook = (value: unknown): value is DefinedHook =>
  isRecord(value) && typeof value.event === 'string' && isRecord(value.hook);

/** A given configuration accepts no further hooks, so hooks from code are registered one by one. */
const addHooksInCode = (engine: HooksEngine, hooks: HooksInCode): void => {
  const reading = readHooks(hooks, { source: ConfigSource.Runtime, skipReasons: [] });
  for (const problem of reading.problems) engine.report(problem);
  for (const { config: hook, eventName: event, matcher, sequential } of reading.hooks) {
    if (hook !== undefined && isHookEventName(event)) engine.add({ event, hook, matcher, sequential });
  }
};

const createMethod =
  <M extends FacadeMethod>(engine: HooksEngine, method: M) =>
  (call: CallOf<M> & HookCallOptions): Promise<HookVerdict & ChangesOf<M>> =>
    engine.call(method, call);

const hasAllEventMethods = <Tools extends ToolTable<Tools>>(
  engine: HooksEngine,
): engine is HooksEngine & Hooks<Tools> =>
  facadeMethods.every((method) => typeof Reflect.get(engine, method) === 'function');

/** The user who starts the agent requests a tap with HOOKWRIGHT_TAP; see docs/cli.md. */
const openTapFromVariable = async (config: TriggerConfig, bus: Bus): Promise<(() => Promise<void>) | undefined> => {
  // Deno throws if the program may not read variables.
  const wish = attempt(() => process.env.HOOKWRIGHT_TAP);
  if (wish === undefined || wish === '') return undefined;
  const { openTapFromEnvironment } = await import('../sessions/tap.ts');
  return openTapFromEnvironment(bus, wish, createPartLogger(config.getDeps?.()?.logger, 'tap'));
};

/** The journal of decisions is for `hookwright why`; see docs/replay.md. */
const openJournal = async (system: HookSystem, config: TriggerConfig): Promise<(() => void) | undefined> => {
  const place = config.getJournal?.();
  if (place === undefined) return undefined;
  const { startJournal } = await import('../sessions/index.ts');
  return startJournal(system, place, createPartLogger(config.getDeps?.()?.logger, 'journal'));
};

/** Warns of a settings file in the working directory that the host neither loads nor excludes. */
const findUnloadedSettings = ({ load, hooks, config, team, cwd = '' }: CreateHooksOptions): ConfigProblem[] => {
  if ((load ?? hooks ?? config ?? team) !== undefined) return [];
  const file = resolve(cwd, '.hookwright', 'settings.json');
  if (!existsSync(file)) return [];
  const hint = 'write createHooks({ load: true }), or load: false if it should not be read';
  const message = `createHooks did not read these settings, so none of their hooks runs; ${hint}`;
  const source = ConfigSource.Project;
  return [{ code: 'not-loaded', severity: 'warning', skipped: true, path: 'hooks', source, file, message, hint }];
};

const isUnreadHookProblem = ({ source, skipped, path }: ConfigProblem): boolean =>
  source === ConfigSource.Runtime && skipped && path.startsWith('hooks');

export const makeHooks = async <Tools extends ToolTable<Tools>>(options: CreateHooksOptions): Promise<Hooks<Tools>> => {
  expectCreateOptions(options);
  addEvents(options.events ?? []);
  const given = options.config;
  if (isDefinedHookList(options.hooks)) expectUnchangedDefinitions(options.hooks);
  else expectEvents(options.hooks);
  if (given !== undefined) expectNoOptionsOfConfig(options);
  const tools =
    options.tools === undefined ? undefined : (await import('../agents/engine-api.ts')).mapToolKinds(options.tools);
  const offered = options.bus ?? new MessageBus();
  const config = given ?? (await createConfig(options, offered));
  // If the files have no hooks, or switch them off, the engine must still work with hooks from code.
  config.keepOn?.();
  const system = getHookSystem(config, offered);
  if (system === undefined)
    throw createInvalidArgument('The given config has hooks switched off; set enableHooks to true');
  const bus = getSharedBus(config, options.bus);
  const team = options.team === undefined ? [] : createTeamHooks(readTeam(options.team, bus));
  const required = listRequiredGuards(config, options.require);
  await system.initialize();

  const confirm = options.deps?.confirm ?? config.getDeps?.()?.confirm;
  const closeTap = await openTapFromVariable(config, bus);
  const closeJournal =
    options.load === true && options.journal !== false ? await openJournal(system, config) : undefined;
  const onClosed = async (): Promise<void> => {
    closeJournal?.();
    await closeTap?.();
  };
  const warnings = system.getEventHandler().guardWarnings;
  if (options.warnings === false) warnings?.switchOff();
  const engine = new HooksEngine({ config, system, bus, confirm, required, tools, onClosed });
  for (const [row, problem] of await findLaunchProblems(system)) {
    engine.report(problem);
    warnings?.warnOfUnstartable(row, problem);
  }
  const { hooks, deps = {} } = options;
  const unread = (options.load === true && (await config.getUnreadAgents?.())) || [];
  for (const problem of [...findUnknownDeps(deps), ...findUnloadedSettings(options), ...unread]) engine.report(problem);
  for (const hook of team) engine.add(hook);
  if (isDefinedHookList(hooks)) addDefinedHooks(engine, hooks);
  else if (given !== undefined && hooks !== undefined) addHooksInCode(engine, hooks);
  for (const problem of engine.problems) {
    if (isUnreadHookProblem(problem)) warnings?.warnOfUnreadEntry(problem);
  }
  try {
    await expectRequiredGuards(system, required);
  } catch (error) {
    await engine.close();
    throw error;
  }
  for (const method of facadeMethods) Object.defineProperty(engine, method, { value: createMethod(engine, method) });
  if (!hasAllEventMethods<Tools>(engine))
    throw new HookwrightError('internal_error', 'unreachable: methods come from the table');
  return engine;
};
