import * as z from 'zod/mini';
import { describeValue, isRecord, once } from '../../../kit/index.ts';
import { describeIssue } from '../../../protocol/index.ts';
import type { Ability, AbilityHandler } from '../ability.ts';
import { isAbilityId } from '../ability-registry.ts';
import { type InputSchema, isInputSchema, problemsOf } from '../input/input-schema.ts';

const text = () => z.string().check(z.minLength(1));

const isHttpUrl = (value: unknown): value is string =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

const timeout = () => z.optional(z.number().check(z.positive()));

/** Functions cannot be written into files; the other kinds can. */
const declarationSchema = once(() =>
  z.strictObject({
    id: z.custom<string>(isAbilityId, 'expected letters, digits, "_", "." and "-", at most 128'),
    summary: z.optional(z.string()),
    enabled: z.optional(z.boolean()),
    operations: z.optional(z.array(text())),
    environments: z.optional(z.array(text())),
    requires: z.optional(z.strictObject({ env: z.optional(z.array(text())), files: z.optional(z.array(text())) })),
    // What is wrong inside is told apart, with its own places.
    input: z.optional(z.custom<InputSchema>(isInputSchema)),
    handler: z.discriminatedUnion('kind', [
      z.strictObject({
        kind: z.literal('script'),
        command: text(),
        args: z.optional(z.array(z.string())),
        timeout_ms: timeout(),
      }),
      z.strictObject({
        kind: z.literal('http'),
        url: z.custom<string>(isHttpUrl, 'expected a URL that begins with http:// or https://'),
        headers: z.optional(z.record(z.string(), z.string())),
        timeout_ms: timeout(),
      }),
    ]),
  }),
);

type Declaration = z.infer<ReturnType<typeof declarationSchema>>;

export interface AbilityProblem {
  /** Where in the declaration: `handler.url`. */
  readonly path: string;
  readonly message: string;
}

export type ReadAbility =
  | { readonly ok: true; readonly ability: Ability; readonly enabled: boolean }
  | { readonly ok: false; readonly problems: readonly AbilityProblem[] };

const handlerOf = ({ handler }: Declaration): AbilityHandler => {
  const { timeout_ms: _timeout, ...rest } = handler;
  return rest;
};

const abilityOf = (declaration: Declaration): Ability => {
  const { enabled: _enabled, handler, ...rest } = declaration;
  return { ...rest, timeoutMs: handler.timeout_ms, handler: handlerOf(declaration) };
};

const knownKeys: Readonly<Record<string, readonly string[]>> = {
  '': ['id', 'summary', 'enabled', 'operations', 'environments', 'requires', 'input', 'handler'],
  requires: ['env', 'files'],
  handler: ['kind', 'command', 'args', 'url', 'headers', 'timeout_ms'],
};

const knownAt = (path: readonly PropertyKey[]): readonly string[] => knownKeys[path.map(String).join('.')] ?? [];

const expectations: Readonly<Record<string, string>> = {
  handler: 'expected an object with kind script and a command, or kind http and a url',
  'handler.kind': 'expected script or http',
};

/** Reads what a file declares. Everything has to be right: an ability that is half understood is not offered. */
export const readAbility = (value: unknown): ReadAbility => {
  if (!isRecord(value)) {
    return { ok: false, problems: [{ path: '', message: `expected an ability, got ${describeValue(value)}` }] };
  }
  const read = declarationSchema().safeParse(value);
  if (read.success) return { ok: true, ability: abilityOf(read.data), enabled: read.data.enabled ?? true };
  const inside = value.input === undefined ? [] : problemsOf(value.input, ['input']);
  const problems = read.error.issues
    .filter(({ path }) => path[0] !== 'input' || inside.length === 0)
    .flatMap((issue) => describeIssue(issue, value, { knownAt, expectations }))
    .map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  return {
    ok: false,
    problems: [...problems, ...inside.map(({ path, message }) => ({ path: path.join('.'), message }))],
  };
};
