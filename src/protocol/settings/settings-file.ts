// Schemas of settings files: hookwright's own, and the `hooks.json` of an extension.
import * as z from 'zod/mini';
import { once } from '../../kit/index.ts';
import { CALL_PATTERN } from './call-pattern.ts';
import { hookFields } from './settings.ts';

const names = () => z.array(z.string());

const DURATION = /^\s*\d+(?:\.\d+)?\s*(?:[mM]?[sS]|[mMhH])\s*$/;

/** Members of a settings file that are objects, except `hooks`. */
export const settingsSections = once(() => ({
  hooksConfig: { enabled: z.boolean(), disabled: names(), notifications: z.boolean() },
  tools: { enableHooks: z.boolean() },
}));

const conditionSchema = () => {
  const pattern = () => z.string().check(z.regex(CALL_PATTERN));
  return z.union([pattern(), z.array(pattern()).check(z.minLength(1))]);
};

/** A hook in a file: without functions, and with units for times. */
export const hookInFileSchema = once(() => {
  const { action: _onlyInCode, ...fields } = hookFields();
  const type = z.enum(['command', 'worker', 'http', 'rule', 'prompt', 'mcp']);
  const timeout = z.union([z.number().check(z.positive()), z.string().check(z.regex(DURATION))]);
  return z.strictObject(optional({ ...fields, async: fields.background, type, timeout, if: conditionSchema() }));
});

export const definitionSchema = once(() =>
  z.strictObject({
    matcher: z.optional(z.string()),
    sequential: z.optional(z.boolean()),
    description: z.optional(z.string()),
    hooks: z.array(hookInFileSchema()),
  }),
);

/** A rule in place of a group. */
export const ruleSchema = once(() => {
  const { name, description, verdict, reason } = hookFields();
  const { matcher, sequential } = definitionSchema().shape;
  const more = optional({ if: conditionSchema(), name, description, reason, type: z.literal('rule') });
  return z.strictObject({ matcher, sequential, verdict, ...more });
});

const optional = <Fields extends Record<string, z.ZodMiniType>>(
  fields: Fields,
): { [Key in keyof Fields]: z.ZodMiniOptional<Fields[Key]> } => z.partial(z.object(fields)).shape;

const eventsSchema = (eventNames: readonly string[]) =>
  z.strictObject(
    optional(
      Object.fromEntries(eventNames.map((name) => [name, z.array(z.union([definitionSchema(), ruleSchema()]))])),
    ),
  );

const budgetsSchema = (eventNames: readonly string[]) =>
  z.strictObject(optional(Object.fromEntries(eventNames.map((name) => [name, z.number().check(z.positive())]))));

/** Agents whose hooks are read: agent name → whether, or with which version and mode. */
const dialectsSchema = () => {
  const how = z.strictObject(optional({ version: z.string(), mode: z.enum(['strict', 'faithful']) }));
  return z.record(z.string(), z.union([z.boolean(), how]));
};

/** Keys at the top level of a settings file. */
export const settingsFileKeys: readonly string[] = [
  '$schema',
  'hooks',
  'budgetMs',
  'hooksConfig',
  'tools',
  'allowEnv',
  'projectEnv',
  'required',
  'journal',
  'agents',
  'dialects',
];

/** Schema of a settings file with these events. */
export const settingsFileSchema = (eventNames: readonly string[]) => {
  const { hooksConfig, tools } = settingsSections();
  return z.strictObject({
    $schema: z.optional(z.string()),
    hooks: z.optional(eventsSchema(eventNames)),
    budgetMs: z.optional(budgetsSchema(eventNames)),
    hooksConfig: z.optional(z.strictObject(optional(hooksConfig))),
    tools: z.optional(z.strictObject(optional(tools))),
    allowEnv: z.optional(names()),
    projectEnv: z.optional(z.enum(['all', 'listed'])),
    required: z.optional(names()),
    journal: z.optional(z.boolean()),
    agents: z.optional(dialectsSchema()),
    dialects: z.optional(dialectsSchema()),
  });
};

/** Keys at the top level of the `hooks.json` of an extension. */
export const extensionFileKeys: readonly string[] = ['$schema', 'description', 'hooks'];

/** Schema of the `hooks.json` of an extension with these events. */
export const extensionFileSchema = (eventNames: readonly string[]) =>
  z.strictObject({
    $schema: z.optional(z.string()),
    description: z.optional(z.string()),
    hooks: z.optional(eventsSchema(eventNames)),
  });
