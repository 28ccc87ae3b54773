// The stored form of the user's approvals, and the guards among them.
import * as z from 'zod/mini';
import { isRecord, omitUndefined, once, textOf } from '../kit/index.ts';
import { ConfigSource } from '../protocol/index.ts';
import type { JsonValue } from './canonical.ts';

const jsonSchema = once(() => z.json());

const isJson = (value: unknown): value is JsonValue => jsonSchema().safeParse(value).success;

const fileSchema = once(() =>
  z.object({
    path: z.string(),
    state: z.enum(['covered', 'missing', 'outside', 'not-a-file', 'too-large', 'unreadable']),
    sha256: z.optional(z.string()),
    leadsTo: z.optional(z.string()),
    notExecutable: z.optional(z.literal(true)),
  }),
);

export const approvalSchema = once(() =>
  z.object({
    hookId: z.string(),
    name: z.string(),
    hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
    content: z.record(z.string(), z.custom<JsonValue>(isJson)),
    files: z.array(fileSchema()),
    kin: z.array(z.string()),
    secrets: z.optional(z.array(z.string())),
    approvedAt: z.string(),
  }),
);

export type Approval = z.infer<ReturnType<typeof approvalSchema>>;

export const storeSchema = once(() =>
  z.object({
    version: z.literal(2),
    projects: z.record(
      z.string(),
      z.object({
        approvals: z.array(approvalSchema()),
        off: z.optional(z.array(z.string())),
      }),
    ),
  }),
);

export type ApprovalStore = z.infer<ReturnType<typeof storeSchema>>;

export const emptyStore: ApprovalStore = { version: 2, projects: {} };

export interface KnownGuard {
  readonly name: string;
  readonly event: string;
  readonly matcher?: string | undefined;
  readonly onFault: 'deny' | 'ask';
  readonly agent?: string | undefined;
  readonly agentEvent?: string | undefined;
}

export const isStrictOnFault = (onFault: unknown): onFault is 'deny' | 'ask' => onFault === 'deny' || onFault === 'ask';

export const readHookEntry = ({ hook }: Approval['content']): Readonly<Record<string, JsonValue>> =>
  isRecord(hook) ? hook : {};

export const toKnownGuard = ({ name, content }: Approval): (KnownGuard & { readonly file?: string }) | undefined => {
  const { kind, event, matcher, file, source } = content;
  const { onFault, agent, agentEvent } = readHookEntry(content);
  // Guards in the user's or the system's settings cannot be removed by a project, so none can be missing.
  const isOfUser = source === ConfigSource.User || source === ConfigSource.System;
  if (kind !== 'hook' || isOfUser || typeof event !== 'string' || !isStrictOnFault(onFault)) return undefined;
  return omitUndefined({
    name,
    event,
    onFault,
    matcher: matcher === '' ? undefined : textOf(matcher),
    file: textOf(file),
    agent: textOf(agent),
    agentEvent: textOf(agentEvent),
  });
};
