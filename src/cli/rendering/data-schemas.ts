/** Schemas of `data` in the `--json` output of each command. */
import * as z from 'zod/mini';
import { once } from '../../kit/index.ts';

const text = z.string();
const count = z.number();

const source = z.looseObject({ kind: text, file: z.optional(text), line: z.optional(count) });

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

const change = z.looseObject({
  file: text,
  changed: z.boolean(),
  becomes: z.optional(z.enum(['new', 'gone'])),
  diff: z.array(z.looseObject({ kind: text, text })),
});

const created = z.looseObject({
  name: z.optional(text),
  command: z.optional(text),
  dryRun: z.boolean(),
  approved: z.boolean(),
  files: z.array(text),
  settings: z.optional(change),
});

const switched = z.looseObject({
  name: text,
  dryRun: z.boolean(),
  files: z.array(change),
  hooks: z.array(z.looseObject({ hookId: text, enabled: z.boolean(), reason: z.optional(text) })),
});

const installed = z.looseObject({ agent: text, dryRun: z.boolean(), files: z.array(change), notes: z.array(text) });

const eventPage = z.looseObject({
  name: text,
  when: text,
  reads: z.array(z.looseObject({ name: text, type: text, words: text })),
  stdin: z.record(text, z.unknown()),
  answers: z.array(z.looseObject({ name: text, type: text, words: text })),
  exitCodes: z.array(z.looseObject({ code: text, words: text })),
});

const task = z.looseObject({ task_key: text, ability_id: text, state: text, created_at: text, attempts: count });

const ran = z.looseObject({ executed: z.boolean(), hook_signals: z.array(z.unknown()), hooks: z.array(z.unknown()) });

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
    'test --races': z.looseObject({
      eventName: text,
      runs: count,
      findings: z.array(z.unknown()),
      unsteady: z.array(z.unknown()),
    }),
    init: created,
    new: created,
    enable: switched,
    disable: switched,
    undo: z.extend(change, {
      undone: text,
      timestamp: text,
      dryRun: z.boolean(),
      removed: z.array(text),
      kept: z.array(text),
    }),
    import: z.looseObject({
      from: text,
      to: text,
      dryRun: z.boolean(),
      read: z.array(text),
      hooks: count,
      files: z.array(change),
      losses: z.array(z.unknown()),
    }),
    install: installed,
    uninstall: installed,
    'disable --all': z.looseObject({ off: z.boolean(), changed: z.boolean(), until: z.optional(text) }),
    'enable --all': z.looseObject({ off: z.boolean(), changed: z.boolean() }),
    'bench --warm': z.looseObject({
      hooks: z.array(z.looseObject({ hookId: text, name: text, isWarm: z.boolean() })),
      proposed: z.array(text),
      dryRun: z.boolean(),
      files: z.array(change),
    }),
    bench: z.looseObject({
      hooks: z.array(z.looseObject({ hookId: text, name: text, eventName: text, type: text })),
      chains: z.array(
        z.looseObject({ eventName: text, hooks: z.array(text), runs: count, p50Ms: count, p95Ms: count }),
      ),
      runs: count,
      seconds: count,
    }),
    events: z.union([z.looseObject({ events: z.array(eventPage) }), eventPage]),
    'events --schema': z.union([z.looseObject({ names: z.array(text) }), z.looseObject({ $schema: text })]),
    completion: z.looseObject({ shell: text, script: text }),
    'why --follow': z.union([
      z.looseObject({ taps: z.array(z.unknown()) }),
      z.looseObject({ pid: count, messages: count, dropped: count }),
    ]),
    'ability hooks': z.looseObject({
      hooks: z.array(
        z.looseObject({ id: text, event_type: text, enabled: z.boolean(), blocking: z.boolean(), match_summary: text }),
      ),
    }),
    'ability list': z.looseObject({ abilities: z.array(z.looseObject({ id: text, usable: z.boolean() })) }),
    'ability run': ran,
    'task create': z.looseObject({ created: z.boolean(), hooks: z.array(z.unknown()) }),
    'task list': z.looseObject({ tasks: z.array(task) }),
    'task run': ran,
    record: z.looseObject({ file: text, messages: count, bytes: count, redacted: count, dropped: count }),
  }),
);
