/** Schemas of `data` in the `--json` output of each command. */
import * as z from 'zod/mini';
import { once } from '../../kit/index.ts';

const text = z.string();
const count = z.number();
const flag = z.boolean();
const optionalText = z.optional(text);
const textList = z.array(text);
const anyList = z.array(z.unknown());

const texts = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, text]));
const counts = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, count]));

const rowSchema = z.looseObject({
  ...texts('hookId', 'name', 'eventName'),
  source: z.looseObject({ kind: text, file: optionalText, line: z.optional(count) }),
  matcher: optionalText,
  planned: z.enum(['run', 'skip']),
  reason: optionalText,
  reasons: z.optional(textList),
  hint: optionalText,
});

const diagnosisSchema = z.looseObject({
  ...texts('check', 'hookId', 'name'),
  severity: z.enum(['error', 'warning', 'note']),
  ...texts('what', 'why', 'fix'),
  file: optionalText,
  line: z.optional(count),
  column: z.optional(count),
});

const messageSchema = z.looseObject(texts('type', 'correlationId'));
const firedMembers = {
  response: z.optional(messageSchema),
  trace: z.optional(z.looseObject({ ...texts('correlationId', 'eventName'), rows: z.array(rowSchema) })),
};

const changeSchema = z.looseObject({
  file: text,
  changed: flag,
  becomes: z.optional(z.enum(['new', 'gone'])),
  diff: z.array(z.looseObject(texts('kind', 'text'))),
});

const newHookSchema = z.looseObject({
  name: optionalText,
  command: optionalText,
  dryRun: flag,
  approved: flag,
  files: textList,
  settings: z.optional(changeSchema),
});

const switchSchema = z.looseObject({
  name: text,
  dryRun: flag,
  files: z.array(changeSchema),
  hooks: z.array(z.looseObject({ hookId: text, enabled: flag, reason: optionalText })),
});

const installSchema = z.looseObject({ agent: text, dryRun: flag, files: z.array(changeSchema), notes: textList });

const pageFieldsSchema = z.array(z.looseObject(texts('name', 'type', 'words')));
const eventPageSchema = z.looseObject({
  ...texts('name', 'when'),
  reads: pageFieldsSchema,
  stdin: z.record(text, z.unknown()),
  answers: pageFieldsSchema,
  exitCodes: z.array(z.looseObject(texts('code', 'words'))),
});

const abilityRunSchema = z.looseObject({ executed: flag, hook_signals: anyList, hooks: anyList });

export const dataSchemas = once(
  (): Readonly<Record<string, z.ZodMiniType>> => ({
    list: z.looseObject({ hooks: z.array(rowSchema), abilityHooks: z.array(rowSchema) }),
    explain: z.looseObject({
      hooks: z.array(
        z.extend(rowSchema, {
          reading: z.looseObject({ ...texts('kind', 'text'), matches: z.optional(flag) }),
          starts: optionalText,
          findings: z.array(z.looseObject({ ...texts('code', 'message'), fix: optionalText, isBroken: flag })),
        }),
      ),
    }),
    validate: z.looseObject(counts('hooks')),
    doctor: z.looseObject({ hooks: count, findings: z.array(diagnosisSchema) }),
    run: z.looseObject({ eventName: text, payload: z.record(text, z.unknown()), verdict: text, ...firedMembers }),
    why: z.union([
      z.looseObject({ session: text, line: count, eventName: text, request: messageSchema, ...firedMembers }),
      z.looseObject({
        session: text,
        requests: z.array(z.looseObject({ line: count, ...texts('correlationId', 'eventName'), payload: z.unknown() })),
      }),
    ]),
    test: z.looseObject({
      ...counts('passed', 'failed'),
      tests: z.array(z.looseObject(texts('name', 'file', 'status'))),
    }),
    trust: z.union([
      z.looseObject({
        hooks: z.array(
          z.looseObject({ ...texts('hookId', 'name', 'status'), entry: z.unknown(), script: z.unknown() }),
        ),
        gone: anyList,
      }),
      z.looseObject({ ok: flag, lock: text }),
      z.looseObject({ lock: text, locked: textList, left: textList }),
      z.looseObject({ revoked: textList }),
    ]),
    replay: z.union([
      z.looseObject({ session: text, messages: count }),
      z.looseObject({ session: text, ...counts('total', 'different'), pairs: anyList }),
    ]),
    backtest: z.looseObject({
      session: text,
      total: count,
      counts: z.record(text, count),
      failing: textList,
      decisions: z.array(z.looseObject({ line: count, eventName: text, kinds: textList, details: textList })),
    }),
    'test --races': z.looseObject({ eventName: text, runs: count, findings: anyList, unsteady: anyList }),
    init: newHookSchema,
    new: newHookSchema,
    enable: switchSchema,
    disable: switchSchema,
    undo: z.extend(changeSchema, {
      ...texts('undone', 'timestamp'),
      dryRun: flag,
      removed: textList,
      kept: textList,
    }),
    import: z.looseObject({
      ...texts('from', 'to'),
      dryRun: flag,
      read: textList,
      hooks: count,
      files: z.array(changeSchema),
      losses: anyList,
    }),
    install: installSchema,
    uninstall: installSchema,
    'disable --all': z.looseObject({ off: flag, changed: flag, until: optionalText }),
    'enable --all': z.looseObject({ off: flag, changed: flag }),
    'bench --warm': z.looseObject({
      hooks: z.array(z.looseObject({ ...texts('hookId', 'name'), isWarm: flag })),
      proposed: textList,
      dryRun: flag,
      files: z.array(changeSchema),
    }),
    bench: z.looseObject({
      hooks: z.array(z.looseObject(texts('hookId', 'name', 'eventName', 'type'))),
      chains: z.array(z.looseObject({ eventName: text, hooks: textList, ...counts('runs', 'p50Ms', 'p95Ms') })),
      ...counts('runs', 'seconds'),
    }),
    events: z.union([z.looseObject({ events: z.array(eventPageSchema) }), eventPageSchema]),
    'events --schema': z.union([z.looseObject({ names: textList }), z.looseObject(texts('$schema'))]),
    completion: z.looseObject(texts('shell', 'script')),
    'why --follow': z.union([z.looseObject({ taps: anyList }), z.looseObject(counts('pid', 'messages', 'dropped'))]),
    'ability hooks': z.looseObject({
      hooks: z.array(
        z.looseObject({ ...texts('id', 'event_type'), enabled: flag, blocking: flag, match_summary: text }),
      ),
    }),
    'ability list': z.looseObject({ abilities: z.array(z.looseObject({ id: text, usable: flag })) }),
    'ability run': abilityRunSchema,
    'task create': z.looseObject({ created: flag, hooks: anyList }),
    'task list': z.looseObject({
      tasks: z.array(
        z.looseObject({ ...texts('task_key', 'ability_id', 'state', 'created_at'), ...counts('attempts') }),
      ),
    }),
    'task run': abilityRunSchema,
    record: z.looseObject({ file: text, ...counts('messages', 'bytes', 'redacted', 'dropped') }),
  }),
);
