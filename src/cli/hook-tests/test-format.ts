/** The schema of the files with tests of hooks. */
import * as z from 'zod/mini';
import { hookEventNames } from '../../events/index.ts';
import { once } from '../../kit/index.ts';
import { faultCodes, rowOutcomes, skipReasons, verdicts } from '../../protocol/index.ts';

export const TEST_FILE_PATTERN = /\.test\.jsonc?$/;

export const hookResultWords: readonly string[] = [
  ...new Set(['ran', 'skipped', ...rowOutcomes, ...verdicts, ...Object.keys(skipReasons), ...faultCodes]),
];

const createRecordSchema = () => z.record(z.string(), z.unknown());
const createTextSchema = () => z.string().check(z.regex(/\S/));
const describeSchema = <Schema extends z.ZodMiniType>(schema: Schema, description: string): z.ZodMiniOptional<Schema> =>
  z.optional(schema.check(z.describe(description)));

const describeWantedText = () => 'Part of the text, or a regular expression between slashes: "/^rm/i".';

export const expectationSchema = once(() =>
  z.strictObject({
    verdict: describeSchema(z.enum(verdicts), 'What all hooks together decide; "none" when no hook has an opinion.'),
    reason: describeSchema(createTextSchema(), `Why. ${describeWantedText()}`),
    context: describeSchema(createTextSchema(), `What is added for the model. ${describeWantedText()}`),
    message: describeSchema(createTextSchema(), `Messages of the hooks for the user. ${describeWantedText()}`),
    input: describeSchema(
      createRecordSchema(),
      'The input that the tool is finally called with; members that are not named may be anything.',
    ),
    output: describeSchema(
      createRecordSchema(),
      'The merged answer, as in a response; members that are not named may be anything.',
    ),
    hooks: describeSchema(
      z.record(z.string(), z.enum(hookResultWords)),
      'The results of single hooks, by name: how they end, what they decide, why they do not run.',
    ),
  }),
);

const createCaseFields = () => ({
  name: describeSchema(createTextSchema(), 'What is tested, as a sentence.'),
  event: describeSchema(z.enum(hookEventNames), 'What is fired.'),
  payload: describeSchema(
    createRecordSchema(),
    'The fields of the event under their wire names; those left out get placeholder values.',
  ),
  only: describeSchema(z.array(createTextSchema()), 'Only these hooks are switched on, by name.'),
  expect: describeSchema(expectationSchema(), 'The expected result. `hookwright test --update` writes the actual one.'),
});

export const hookTestCaseSchema = once(() => z.strictObject(createCaseFields()));

const createFileFields = () => ({ $schema: z.optional(z.string()), ...createCaseFields() });

export const singleTestSchema = once(() => z.strictObject({ ...createFileFields(), event: z.enum(hookEventNames) }));

export const testListSchema = once(() => {
  const { $schema, event, payload, only } = createFileFields();
  return z.strictObject({ $schema, event, payload, only, tests: z.array(hookTestCaseSchema()) });
});

export const hookTestFileSchema = once(() => z.union([testListSchema(), singleTestSchema()]));

export type HookTestFile = z.infer<ReturnType<typeof hookTestFileSchema>>;
export type HookTestCase = z.infer<ReturnType<typeof hookTestCaseSchema>>;
export type Expectation = z.infer<ReturnType<typeof expectationSchema>>;
