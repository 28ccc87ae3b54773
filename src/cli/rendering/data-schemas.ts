/** Schemas of `data` in the `--json` output of each command. */
import * as z from 'zod/mini';
import { once } from '../../kit/index.ts';

const textSchema = z.string();
const countSchema = z.number();

const source = z.looseObject({ kind: textSchema, file: z.optional(textSchema), line: z.optional(countSchema) });

const rowSchema = z.looseObject({
  hookId: textSchema,
  name: textSchema,
  eventName: textSchema,
  source,
  matcher: z.optional(textSchema),
  planned: z.enum(['run', 'skip']),
  reason: z.optional(textSchema),
  reasons: z.optional(z.array(textSchema)),
  hint: z.optional(textSchema),
});

const finding = z.looseObject({
  code: textSchema,
  message: textSchema,
  fix: z.optional(textSchema),
  isBroken: z.boolean(),
});

const diagnosis = z.looseObject({
  check: textSchema,
  hookId: textSchema,
  name: textSchema,
  severity: z.enum(['error', 'warning', 'note']),
  what: textSchema,
  why: textSchema,
  fix: textSchema,
  file: z.optional(textSchema),
  line: z.optional(countSchema),
  column: z.optional(countSchema),
});

const traceSchema = z.looseObject({ correlationId: textSchema, eventName: textSchema, rows: z.array(rowSchema) });
const message = z.looseObject({ type: textSchema, correlationId: textSchema });

const change = z.looseObject({
  file: textSchema,
  changed: z.boolean(),
  becomes: z.optional(z.enum(['new', 'gone'])),
  diff: z.array(z.looseObject({ kind: textSchema, text: textSchema })),
});

const createdSchema = z.looseObject({
  name: z.optional(textSchema),
  command: z.optional(textSchema),
  dryRun: z.boolean(),
  approved: z.boolean(),
  files: z.array(textSchema),
  settings: z.optional(change),
});

const switchedSchema = z.looseObject({
  name: textSchema,
  dryRun: z.boolean(),
  files: z.array(change),
  hooks: z.array(z.looseObject({ hookId: textSchema, enabled: z.boolean(), reason: z.optional(textSchema) })),
});

const installedSchema = z.looseObject({
  agent: textSchema,
  dryRun: z.boolean(),
  files: z.array(change),
  notes: z.array(textSchema),
});

const eventPage = z.looseObject({
  name: textSchema,
  when: textSchema,
  reads: z.array(z.looseObject({ name: textSchema, type: textSchema, words: textSchema })),
  stdin: z.record(textSchema, z.unknown()),
  answers: z.array(z.looseObject({ name: textSchema, type: textSchema, words: textSchema })),
  exitCodes: z.array(z.looseObject({ code: textSchema, words: textSchema })),
});

const taskSchema = z.looseObject({
  task_key: textSchema,
  ability_id: textSchema,
  state: textSchema,
  created_at: textSchema,
  attempts: countSchema,
});

const ranSchema = z.looseObject({
  executed: z.boolean(),
  hook_signals: z.array(z.unknown()),
  hooks: z.array(z.unknown()),
});

export const dataSchemas = once(
  (): Readonly<Record<string, z.ZodMiniType>> => ({
    list: z.looseObject({ hooks: z.array(rowSchema), abilityHooks: z.array(rowSchema) }),
    explain: z.looseObject({
      hooks: z.array(
        z.extend(rowSchema, {
          reading: z.looseObject({ kind: textSchema, text: textSchema, matches: z.optional(z.boolean()) }),
          starts: z.optional(textSchema),
          findings: z.array(finding),
        }),
      ),
    }),
    validate: z.looseObject({ hooks: countSchema }),
    doctor: z.looseObject({ hooks: countSchema, findings: z.array(diagnosis) }),
    run: z.looseObject({
      eventName: textSchema,
      payload: z.record(textSchema, z.unknown()),
      verdict: textSchema,
      response: z.optional(message),
      trace: z.optional(traceSchema),
    }),
    why: z.union([
      z.looseObject({
        session: textSchema,
        line: countSchema,
        eventName: textSchema,
        request: message,
        response: z.optional(message),
        trace: z.optional(traceSchema),
      }),
      z.looseObject({
        session: textSchema,
        requests: z.array(
          z.looseObject({ line: countSchema, correlationId: textSchema, eventName: textSchema, payload: z.unknown() }),
        ),
      }),
    ]),
    test: z.looseObject({
      passed: countSchema,
      failed: countSchema,
      tests: z.array(z.looseObject({ name: textSchema, file: textSchema, status: textSchema })),
    }),
    trust: z.union([
      z.looseObject({
        hooks: z.array(
          z.looseObject({
            hookId: textSchema,
            name: textSchema,
            status: textSchema,
            entry: z.unknown(),
            script: z.unknown(),
          }),
        ),
        gone: z.array(z.unknown()),
      }),
      z.looseObject({ ok: z.boolean(), lock: textSchema }),
      z.looseObject({ lock: textSchema, locked: z.array(textSchema), left: z.array(textSchema) }),
      z.looseObject({ revoked: z.array(textSchema) }),
    ]),
    replay: z.union([
      z.looseObject({ session: textSchema, messages: countSchema }),
      z.looseObject({ session: textSchema, total: countSchema, different: countSchema, pairs: z.array(z.unknown()) }),
    ]),
    backtest: z.looseObject({
      session: textSchema,
      total: countSchema,
      counts: z.record(textSchema, countSchema),
      failing: z.array(textSchema),
      decisions: z.array(
        z.looseObject({
          line: countSchema,
          eventName: textSchema,
          kinds: z.array(textSchema),
          details: z.array(textSchema),
        }),
      ),
    }),
    'test --races': z.looseObject({
      eventName: textSchema,
      runs: countSchema,
      findings: z.array(z.unknown()),
      unsteady: z.array(z.unknown()),
    }),
    init: createdSchema,
    new: createdSchema,
    enable: switchedSchema,
    disable: switchedSchema,
    undo: z.extend(change, {
      undone: textSchema,
      timestamp: textSchema,
      dryRun: z.boolean(),
      removed: z.array(textSchema),
      kept: z.array(textSchema),
    }),
    import: z.looseObject({
      from: textSchema,
      to: textSchema,
      dryRun: z.boolean(),
      read: z.array(textSchema),
      hooks: countSchema,
      files: z.array(change),
      losses: z.array(z.unknown()),
    }),
    install: installedSchema,
    uninstall: installedSchema,
    'disable --all': z.looseObject({ off: z.boolean(), changed: z.boolean(), until: z.optional(textSchema) }),
    'enable --all': z.looseObject({ off: z.boolean(), changed: z.boolean() }),
    'bench --warm': z.looseObject({
      hooks: z.array(z.looseObject({ hookId: textSchema, name: textSchema, isWarm: z.boolean() })),
      proposed: z.array(textSchema),
      dryRun: z.boolean(),
      files: z.array(change),
    }),
    bench: z.looseObject({
      hooks: z.array(z.looseObject({ hookId: textSchema, name: textSchema, eventName: textSchema, type: textSchema })),
      chains: z.array(
        z.looseObject({
          eventName: textSchema,
          hooks: z.array(textSchema),
          runs: countSchema,
          p50Ms: countSchema,
          p95Ms: countSchema,
        }),
      ),
      runs: countSchema,
      seconds: countSchema,
    }),
    events: z.union([z.looseObject({ events: z.array(eventPage) }), eventPage]),
    'events --schema': z.union([z.looseObject({ names: z.array(textSchema) }), z.looseObject({ $schema: textSchema })]),
    completion: z.looseObject({ shell: textSchema, script: textSchema }),
    'why --follow': z.union([
      z.looseObject({ taps: z.array(z.unknown()) }),
      z.looseObject({ pid: countSchema, messages: countSchema, dropped: countSchema }),
    ]),
    'ability hooks': z.looseObject({
      hooks: z.array(
        z.looseObject({
          id: textSchema,
          event_type: textSchema,
          enabled: z.boolean(),
          blocking: z.boolean(),
          match_summary: textSchema,
        }),
      ),
    }),
    'ability list': z.looseObject({ abilities: z.array(z.looseObject({ id: textSchema, usable: z.boolean() })) }),
    'ability run': ranSchema,
    'task create': z.looseObject({ created: z.boolean(), hooks: z.array(z.unknown()) }),
    'task list': z.looseObject({ tasks: z.array(taskSchema) }),
    'task run': ranSchema,
    record: z.looseObject({
      file: textSchema,
      messages: countSchema,
      bytes: countSchema,
      redacted: countSchema,
      dropped: countSchema,
    }),
  }),
);
