/** Generates the JSON Schemas of settings files and of extension hooks. */
import * as z from 'zod/mini';
import { agentEvents, catalogue, hookEventNames } from '../../events/index.ts';
import { isRecord } from '../../kit/index.ts';
import {
  createExtensionFileSchema,
  createSettingsFileSchema,
  definitionSchema,
  hookInFileSchema,
  ruleSchema,
  UNQUOTED_LIST_PATTERN,
} from '../../protocol/index.ts';
import {
  groupMemberTexts,
  hookMemberTexts,
  type MemberTexts,
  sectionMemberTexts,
  topLevelTexts,
} from './descriptions.ts';

type JsonSchema = Record<string, unknown>;

const toJsonSchema = (schema: z.ZodMiniType): JsonSchema => {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, { target: 'draft-7' });
  return rest;
};

const getRecord = (schema: JsonSchema, key: string): JsonSchema => {
  const member = schema[key];
  if (!isRecord(member)) throw new TypeError(`a schema has no ${key}`);
  return member;
};

const addDescriptions = (schema: JsonSchema, words: Readonly<Record<string, MemberTexts>>): JsonSchema => {
  const properties = Object.entries(getRecord(schema, 'properties')).map(([key, member]) => {
    const own = words[key];
    if (own === undefined || !isRecord(member))
      throw new TypeError(`${key} has no words yet; describe it in descriptions.ts`);
    return [key, { ...own, ...member }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
};

const withProperty = (schema: JsonSchema, key: string, member: JsonSchema): JsonSchema => {
  const properties = getRecord(schema, 'properties');
  const { title, description } = isRecord(properties[key]) ? properties[key] : {};
  const words = title === undefined ? {} : { title, description };
  return { ...schema, properties: { ...properties, [key]: { ...words, ...member } } };
};

const createTypeCondition = (type: string): JsonSchema => ({
  properties: { type: { const: type } },
  required: ['type'],
});

const requireIf = (condition: JsonSchema, required: readonly string[], otherwise: JsonSchema): JsonSchema => ({
  if: condition,
  // biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema
  then: { required },
  else: otherwise,
});

const ruleCondition: JsonSchema = { anyOf: [createTypeCondition('rule'), { required: ['verdict'] }] };
const mcpRequirement = requireIf(createTypeCondition('mcp'), ['server', 'tool'], { required: ['command'] });
const promptRequirement = requireIf(createTypeCondition('prompt'), ['prompt'], mcpRequirement);

const requiredByType = {
  ...requireIf(createTypeCondition('http'), ['url'], requireIf(ruleCondition, ['verdict'], promptRequirement)),
  // An event does not wait for an advisory hook, so a fault of the hook cannot deny.
  not: {
    properties: { advisory: { const: true }, onFault: { enum: ['deny', 'ask'] } },
    required: ['advisory', 'onFault'],
  },
};

const createEventsSchema = (): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    [...hookEventNames.map((name) => ({ name, when: catalogue[name].when })), ...Object.values(agentEvents)].map(
      ({ name, when }) => [
        name,
        {
          title: name,
          description: `When: ${when}.`,
          type: 'array',
          items: {
            if: { required: ['verdict'] },
            // biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema
            then: { $ref: '#/definitions/rule' },
            else: { $ref: '#/definitions/definition' },
          },
        },
      ],
    ),
  ),
  additionalProperties: false,
});

const withMatcher = (schema: JsonSchema): JsonSchema => {
  const properties = getRecord(schema, 'properties');
  const not = { pattern: UNQUOTED_LIST_PATTERN.source.replace('^', '^(?=.*[\\s,;])') };
  return { ...schema, properties: { ...properties, matcher: { ...getRecord(properties, 'matcher'), not } } };
};

const createFileSchema = (title: string, description: string, top: JsonSchema): JsonSchema => {
  const hook = { ...addDescriptions(toJsonSchema(hookInFileSchema()), hookMemberTexts), ...requiredByType };
  const group = addDescriptions(toJsonSchema(definitionSchema()), groupMemberTexts);
  const definition = withProperty(withMatcher(group), 'hooks', {
    type: 'array',
    items: { $ref: '#/definitions/hook' },
  });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title,
    description,
    allowComments: true,
    allowTrailingCommas: true,
    ...withProperty(top, 'hooks', createEventsSchema()),
    definitions: {
      definition: { title: 'Group of hooks', description: 'Hooks that share a matcher.', ...definition },
      rule: {
        title: 'Rule',
        description: 'A hook without a program: it denies or asks wherever its matcher and its `if` fit.',
        ...withMatcher(addDescriptions(toJsonSchema(ruleSchema()), { ...hookMemberTexts, ...groupMemberTexts })),
      },
      hook: {
        title: 'Hook',
        description:
          'A command, a request, a worker, a rule, a question to a model or a tool of an MCP server, run at an event.',
        ...hook,
      },
    },
  };
};

const budgetTexts = Object.fromEntries(
  hookEventNames.map((name) => [
    name,
    { title: name, description: `The time that all hooks of ${name} together may take.` },
  ]),
);

export const settingsJsonSchema = (): JsonSchema => {
  const top = addDescriptions(toJsonSchema(createSettingsFileSchema(hookEventNames)), topLevelTexts);
  const properties = getRecord(top, 'properties');
  const whole = Object.entries({ ...sectionMemberTexts, budgetMs: budgetTexts }).reduce(
    (schema, [name, words]) => withProperty(schema, name, addDescriptions(getRecord(properties, name), words)),
    top,
  );
  const description = 'A .hookwright/settings.json: JSON, in which comments and trailing commas are fine.';
  return createFileSchema('Settings of hookwright', description, whole);
};

export const extensionJsonSchema = (): JsonSchema => {
  const top = addDescriptions(toJsonSchema(createExtensionFileSchema(hookEventNames)), topLevelTexts);
  const description = 'The hooks/hooks.json of an extension: JSON, in which comments and trailing commas are fine.';
  return createFileSchema('Hooks of an extension', description, top);
};
