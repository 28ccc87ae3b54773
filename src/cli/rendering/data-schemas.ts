import * as z from 'zod/mini';
import { once } from '../../kit/index.ts';

const text = z.string();
const count = z.number();

const source = z.looseObject({ kind: text, file: z.optional(text), line: z.optional(count) });

/** A hook and whether it would run, as `explain` and traces have it; members are added. */
const row = z.looseObject({
  hookId: text,
  name: text,
  eventName: text,
  source,
  matcher: z.optional(text),
  planned: z.enum(['run', 'skip']),
  reason: z.optional(text),
  reasons: z.optional(z.array(text)),
  hint: z.optional(text),
});

const finding = z.looseObject({ code: text, message: text, fix: z.optional(text), isBroken: z.boolean() });

const diagnosis = z.looseObject({
  check: text,
  hookId: text,
  name: text,
  severity: z.enum(['error', 'warning', 'note']),
  what: text,
  why: text,
  fix: text,
  file: z.optional(text),
  line: z.optional(count),
  column: z.optional(count),
});

const trace = z.looseObject({ correlationId: text, eventName: text, rows: z.array(row) });
const message = z.looseObject({ type: text, correlationId: text });

/** What `data` is, for the commands whose answers programs read. Where a command does one thing or another there is a union. */
export const dataSchemas = once(
  (): Readonly<Record<string, z.ZodMiniType>> => ({
    list: z.looseObject({ hooks: z.array(row), abilityHooks: z.array(row) }),
    explain: z.looseObject({
      hooks: z.array(
        z.extend(row, {
          reading: z.looseObject({ kind: text, text, matches: z.optional(z.boolean()) }),
          starts: z.optional(text),
          findings: z.array(finding),
        }),
      ),
    }),
    validate: z.looseObject({ hooks: count }),
    doctor: z.looseObject({ hooks: count, findings: z.array(diagnosis) }),
    run: z.looseObject({
      eventName: text,
      payload: z.record(text, z.unknown()),
      verdict: text,
      response: z.optional(message),
      trace: z.optional(trace),
    }),
    why: z.union([
      z.looseObject({
        session: text,
        line: count,
        eventName: text,
        request: message,
        response: z.optional(message),
        trace: z.optional(trace),
      }),
      z.looseObject({
        session: text,
        requests: z.array(z.looseObject({ line: count, correlationId: text, eventName: text, payload: z.unknown() })),
      }),
    ]),
    test: z.looseObject({
      passed: count,
      failed: count,
      tests: z.array(z.looseObject({ name: text, file: text, status: text })),
    }),
    trust: z.union([
      z.looseObject({
        hooks: z.array(
          z.looseObject({ hookId: text, name: text, status: text, entry: z.unknown(), script: z.unknown() }),
        ),
        gone: z.array(z.unknown()),
      }),
      z.looseObject({ ok: z.boolean(), lock: text }),
      z.looseObject({ lock: text, locked: z.array(text), left: z.array(text) }),
      z.looseObject({ revoked: z.array(text) }),
    ]),
    replay: z.union([
      z.looseObject({ session: text, messages: count }),
      z.looseObject({ session: text, total: count, different: count, pairs: z.array(z.unknown()) }),
    ]),
    backtest: z.looseObject({
      session: text,
      total: count,
      counts: z.record(text, count),
      failing: z.array(text),
      decisions: z.array(z.looseObject({ line: count, eventName: text, kinds: z.array(text), details: z.array(text) })),
    }),
    record: z.looseObject({ file: text, messages: count, bytes: count, redacted: count, dropped: count }),
  }),
);
