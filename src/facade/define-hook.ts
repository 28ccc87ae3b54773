/** `defineHook`: function hooks with input and answer typed by their event. */
import { createInvalidArgument, HookwrightError } from '../errors.ts';
import {
  catalogue,
  firedEventNames,
  type HookAnswer,
  type HookEventName,
  type HookInput,
  isHookEventName,
} from '../events/index.ts';
import {
  checkByStandard,
  describeValue,
  escapeRegex,
  expectKnown,
  formatSuggestion,
  isPositiveNumber,
  isRecord,
  isStandardSchema,
  type StandardSchema,
} from '../kit/index.ts';
import {
  AnswerWithWarnings,
  explainInvalidCondition,
  type HookAction,
  type HookActionContext,
  type HookConfig,
  type HookTimeout,
  notice,
  type OnFault,
  onFaultPolicies,
  suggestCondition,
  suggestMatcher,
  toMilliseconds,
} from '../protocol/index.ts';
import type { Args } from '../triggers/index.ts';
import type { AnswerFor, InputFor, ToolEvent } from './tool-types.ts';

// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only looks returns nothing at all
type ReplyOf<Answer> = Answer | undefined | void;
export type HookReply<E extends HookEventName> = ReplyOf<HookAnswer<E>>;

/**
 * Without this check of types, `{desicion: 'deny', reason: '…'}` would pass as an answer with only a reason. Types with
 * an index signature accept any member.
 */
type OnlyKnown<Shape, Given> = Given extends object
  ? { readonly [Key in keyof Given]: OnlyKnownMember<Shape, Given, Key> }
  : Given;
type OnlyKnownMember<Shape, Given, Key extends keyof Given> = Key extends keyof Shape
  ? unknown extends Shape[Key]
    ? Given[Key]
    : OnlyKnown<NonNullable<Shape[Key]>, Given[Key]>
  : string extends Key
    ? Given[Key]
    : Key extends string
      ? `${Key} is not a field of this answer`
      : never;

type OnlyKnownReply<Answer, Reply> =
  Reply extends Promise<infer Later> ? Promise<OnlyKnown<Answer, Later>> : OnlyKnown<Answer, Reply>;

export type Replies<Answer> = ReplyOf<Answer> | Promise<ReplyOf<Answer>>;

/** Accepts an answer with misspelt members, which `ExactReply` then names in its error. */
type NearlyReply<Answer> = Answer & { readonly [key: symbol]: unknown };
export type NearlyReplies<Answer> = Replies<Answer> | NearlyReply<Answer> | Promise<NearlyReply<Answer>>;

/**
 * Is intersected with the type of a hook function. `unknown`, which changes nothing, if the reply is valid. Otherwise a
 * function type with the valid reply, so that the error of the compiler names the wrong member.
 */
export type ExactReply<Answer, Reply> = [Reply] extends [OnlyKnownReply<Answer, Reply>]
  ? [Reply] extends [Replies<Answer>]
    ? unknown
    : (...args: never) => Replies<Answer>
  : (...args: never) => OnlyKnownReply<Answer, Reply>;

export type HookFunction<E extends HookEventName, Reply = Replies<HookAnswer<E>>, Input = HookInput<E>> = (
  input: Input,
  context: HookActionContext,
) => Reply;

export interface HookOptions {
  /** A regular expression for the event's subject, such as a tool name. */
  readonly matcher?: string | undefined;
  /** Patterns of tool calls, such as `Bash(git push *)`. */
  readonly if?: string | readonly string[] | undefined;
  /** Runs all hooks of the event one after another. */
  readonly sequential?: boolean | undefined;
  /** Milliseconds, or a text with a unit such as `5s`. */
  readonly timeout?: HookTimeout | undefined;
  /** @deprecated Write `timeout`. */
  readonly timeoutMs?: number | undefined;
  /**
   * The event does not wait for the hook: verdict and changes have no effect, context and messages reach a later event.
   */
  readonly background?: boolean | undefined;
  /** The hook's verdict if it fails. Default: `allow`. */
  readonly onFault?: OnFault | undefined;
}

export interface HookedTool<Input extends object = object> {
  readonly name: string;
  /** A Standard Schema (zod, valibot, arktype and others). Arguments are checked, but not changed. */
  readonly input: StandardSchema<Input>;
  /** For invalid arguments: `fault` lets `onFault` decide, `skip` does not run the hook. Default: `fault`. */
  readonly misfit?: 'fault' | 'skip' | undefined;
}

export type ToolOption<E extends HookEventName, Input extends object> = E extends ToolEvent
  ? string | HookedTool<Input> | undefined
  : undefined;

export interface HookDefinitionOf<E extends HookEventName, Reply = Replies<HookAnswer<E>>, Input extends object = Args>
  extends HookOptions {
  readonly event: E;
  readonly name: string;
  readonly tool?: ToolOption<E, Input>;
  readonly run: HookFunction<E, Reply, InputFor<E, Input>>;
}

interface AnyDefinition extends HookOptions {
  readonly event: string;
  readonly name: string;
  readonly tool?: string | HookedTool | undefined;
  readonly run: HookAction;
}

export interface DefinedHook {
  readonly event: HookEventName;
  readonly hook: HookConfig;
  readonly matcher?: string | undefined;
  readonly sequential?: boolean | undefined;
  readonly notice?: string | undefined;
}

const isFilledText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';

const isOptional = (value: unknown, type: 'string' | 'boolean'): boolean =>
  value === undefined || typeof value === type;

const hookOptionNames: readonly (keyof AnyDefinition)[] = [
  'name',
  'matcher',
  'tool',
  'if',
  'sequential',
  'timeout',
  'timeoutMs',
  'onFault',
  'background',
];

const readTimeout = ({ timeout, timeoutMs }: HookOptions): unknown => toMilliseconds(timeout ?? timeoutMs);

const definingMethods = {
  defineHook: { expected: 'an object with event, name and run', known: ['event', 'run', ...hookOptionNames] },
  on: { expected: 'its options as an object', known: hookOptionNames },
} as const;

export type DefiningMethod = keyof typeof definingMethods;

export const expectHookOptions = (method: DefiningMethod, given: object): void => {
  if (!isRecord(given)) {
    const message = `${method} needs ${definingMethods[method].expected}; got ${describeValue(given)}`;
    throw createInvalidArgument(message);
  }
  expectKnown(method, given, definingMethods[method].known);
};

type ErrorFactory = (what: string, value: unknown, hint?: string) => HookwrightError;

const checkToolOption = (event: HookEventName, { tool, matcher }: AnyDefinition, wrong: ErrorFactory): void => {
  if (!('tool_name' in catalogue[event].sample)) throw wrong(`no tool for ${event}, which is about none`, tool);
  if (matcher !== undefined) throw wrong('either tool or matcher', matcher);
  if (
    typeof tool === 'string'
      ? isFilledText(tool)
      : isRecord(tool) && isFilledText(tool.name) && isStandardSchema(tool.input)
  ) {
    const misfit = isRecord(tool) ? tool.misfit : undefined;
    if (misfit === undefined || misfit === 'fault' || misfit === 'skip') return;
    throw wrong('tool.misfit as "fault" or "skip"', misfit);
  }
  throw wrong('tool as the exact name of a tool, or as {name, input} with a Standard Schema', tool);
};

const checkDefinition = (definition: AnyDefinition, method: DefiningMethod): HookEventName => {
  const wrong: ErrorFactory = (what, value, hint = '') =>
    createInvalidArgument(`${method} needs ${what}; got ${describeValue(value)}${hint}`);
  const { event, name, run, matcher, tool, if: condition } = definition;
  const { sequential, timeout, timeoutMs, background, onFault } = definition;
  if (!isHookEventName(event)) {
    const near = typeof event === 'string' ? formatSuggestion(event, firedEventNames) : '';
    const hint = near === '' ? `; events are ${firedEventNames.join(', ')}` : near;
    throw new HookwrightError('unsupported_event', `${method}: ${describeValue(event)} is not an event${hint}`);
  }
  if (!isFilledText(name)) throw wrong('name, by which people find the hook', name);
  if (typeof run !== 'function') throw wrong('run, a function', run);
  if (!isOptional(matcher, 'string'))
    throw wrong('matcher as a string', matcher, '; write the source of the expression');
  const meant = catalogue[event].subject?.field === 'tool_name' ? suggestMatcher(matcher ?? '') : undefined;
  if (meant !== undefined) throw wrong('matcher as a regular expression that fits a tool', matcher, `; ${meant}`);
  const unread = condition === undefined ? undefined : explainInvalidCondition(condition);
  if (unread !== undefined) throw wrong('`if` as a pattern of calls', condition, `; ${suggestCondition(condition)}`);
  if (tool !== undefined) checkToolOption(event, definition, wrong);
  if (!isOptional(sequential, 'boolean')) throw wrong('sequential as true or false', sequential);
  if (!isOptional(background, 'boolean')) throw wrong('background as true or false', background);
  if (background === true && (onFault ?? 'allow') !== 'allow') {
    throw wrong('a guard that is waited for: remove background, or onFault', onFault);
  }
  const time = readTimeout(definition);
  if (time !== undefined && (!isPositiveNumber(time) || typeof timeoutMs === 'string')) {
    throw wrong('timeout in milliseconds over 0, or a text such as "5s"', timeout ?? timeoutMs);
  }
  if (timeout !== undefined && timeoutMs !== undefined) throw wrong('timeout and no timeoutMs beside it', timeoutMs);
  if (onFault === undefined || onFaultPolicies.includes(onFault)) return event;
  throw wrong(
    `onFault as one of ${onFaultPolicies.join(', ')}`,
    onFault,
    formatSuggestion(String(onFault), onFaultPolicies),
  );
};

/** A matcher also matches parts of names, so an exact name needs an anchored pattern. */
const createMatcher = ({ matcher, tool }: AnyDefinition): string | undefined => {
  if (tool === undefined) return matcher;
  const name = typeof tool === 'string' ? tool : tool.name;
  return `^${escapeRegex(name)}$`;
};

const isFunction = (value: unknown): value is (input: unknown, context: HookActionContext) => unknown =>
  typeof value === 'function';

const withInputCheck = (tool: AnyDefinition['tool'], run: HookAction): HookAction => {
  if (tool === undefined || typeof tool === 'string' || !isFunction(run)) return run;
  return async (input: { readonly tool_input: unknown }, context: HookActionContext) => {
    const issues = await checkByStandard(tool.input, input.tool_input);
    if (issues.length === 0) return run(input, context);
    const why = `the arguments of ${tool.name} do not fit what this hook takes: ${issues.join('; ')}`;
    if (tool.misfit !== 'skip') throw createInvalidArgument(why);
    return new AnswerWithWarnings(undefined, [notice('condition-mismatch', `left out: ${why}`)]);
  };
};

export const toHook = (definition: AnyDefinition, method: DefiningMethod = 'defineHook'): DefinedHook => {
  const event = checkDefinition(definition, method);
  const { name, tool, if: condition, sequential, timeoutMs, background, onFault, run } = definition;
  const matcher = createMatcher(definition);
  const action = withInputCheck(tool, run);
  const time = readTimeout(definition);
  const timeout = typeof time === 'number' ? time : undefined;
  const listed = condition === undefined || typeof condition === 'string' ? condition : [...condition];
  const hook: HookConfig = { type: 'runtime', name, action, timeout, onFault, background, if: listed };
  if (timeoutMs === undefined) return { event, hook, matcher, sequential };
  const olderName = `Hook ${name} is written with timeoutMs, which is called timeout now; a later release does not read it`;
  return { event, hook, matcher, sequential, notice: olderName };
};

/** Defines a function hook for `createHooks({hooks: [ … ]})`. @throws HookwrightError if the definition is invalid. */
export const defineHook = <
  E extends HookEventName,
  Reply extends NearlyReplies<AnswerFor<E, Input>>,
  Input extends object = Args,
>(
  definition: HookDefinitionOf<E, Reply, Input> & { readonly run: ExactReply<AnswerFor<E, Input>, Reply> },
): DefinedHook => {
  expectHookOptions('defineHook', definition);
  return toHook(definition);
};
