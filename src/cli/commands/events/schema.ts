/** `hookwright events --schema`: prints the JSON Schema of a file, a message or a payload. */
import * as z from 'zod/mini';
import { abilityHookJsonSchema } from '../../../abilities/internal.ts';
import { hookEventNames } from '../../../events/index.ts';
import { formatSuggestion } from '../../../kit/index.ts';
import { messageSchemas } from '../../../protocol/index.ts';
import { extensionJsonSchema, settingsJsonSchema } from '../../../settings/index.ts';
import type { CommandMain } from '../../command.ts';
import { createPayloadJsonSchema } from '../../event-pages/event-page.ts';
import { hookTestFileSchema } from '../../hook-tests/test-format.ts';
import { dataSchemas } from '../../rendering/data-schemas.ts';
import { envelopeSchema, itemSchema } from '../../rendering/json-envelope.ts';
import { UsageError } from '../../usage-error.ts';
import type { eventsSchemaSpec } from './spec.ts';

export const run: CommandMain<typeof eventsSchemaSpec> = ({ name }) => {
  const names = Object.keys(schemas);
  if (name === undefined) return Promise.resolve({ data: { names }, text: () => names });
  const make = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  if (make === undefined) {
    throw new UsageError(
      `there is no schema ${JSON.stringify(name)}${formatSuggestion(name, names)}`,
      names.join(', '),
    );
  }
  const schema = make();
  return Promise.resolve({ data: schema, text: () => JSON.stringify(schema, null, 2).split('\n') });
};

export const createHookTestJsonSchema = (): Record<string, unknown> => {
  const { $schema: _draft, ...schema } = z.toJSONSchema(hookTestFileSchema(), { target: 'draft-7', io: 'input' });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Tests of hooks',
    description: 'A .hookwright/tests/<name>.test.json: JSON, in which comments and trailing commas are fine.',
    allowComments: true,
    allowTrailingCommas: true,
    ...schema,
  };
};

const toJsonSchema = (schema: z.ZodMiniType): unknown =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

const schemas: Readonly<Record<string, () => unknown>> = {
  settings: settingsJsonSchema,
  'extension-hooks': extensionJsonSchema,
  'ability-hook': abilityHookJsonSchema,
  'hook-test': createHookTestJsonSchema,
  envelope: () => toJsonSchema(envelopeSchema()),
  item: () => toJsonSchema(itemSchema()),
  ...Object.fromEntries(
    Object.entries(dataSchemas()).map(([name, schema]) => [
      `data:${name.replace(/ (?:--)?/g, '-')}`,
      () => toJsonSchema(schema),
    ]),
  ),
  ...Object.fromEntries(hookEventNames.map((name) => [name, () => createPayloadJsonSchema(name)])),
  ...Object.fromEntries(Object.entries(messageSchemas()).map(([name, schema]) => [name, () => toJsonSchema(schema)])),
};
