// Records spans and metrics of requests and hooks with OpenTelemetry.
import {
  type Attributes,
  context,
  isSpanContextValid,
  type Meter,
  metrics,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Bus } from '../../bus/index.ts';
import { HookwrightError } from '../../errors.ts';
import { createHookOutput, isHookEventName } from '../../events/index.ts';
import { provideTraceParents } from '../../handlers/index.ts';
import { describeValue, isRecord, omitUndefined, shorten, textOf } from '../../kit/index.ts';
import {
  type AnswerMessage,
  forbidsAction,
  type HookExecutionTrace,
  type HookMessage,
  type HookRow,
  MessageBusType,
  type RequestMessage,
  readEventName,
  readPayload,
} from '../../protocol/index.ts';
import { type EventVerdict, NO_VERDICT, toEventVerdict } from '../../triggers/index.ts';

export interface InstrumentOptions {
  /** Default: the tracer "hookwright" of the global provider. */
  readonly tracer?: Tracer | undefined;
  /** Default: the meter "hookwright" of the global provider. */
  readonly meter?: Meter | undefined;
  /** `full` adds arguments, reasons and answers to spans. Default `none`. */
  readonly content?: 'none' | 'full' | undefined;
}

const INSTRUMENTATION_NAME = 'hookwright';
const MAX_OPEN_SPANS = 10_000;

/** The default buckets of SDKs are for milliseconds, so the durations of all hooks would be in the first bucket. */
const durationHistogramOptions = {
  unit: 's',
  advice: {
    explicitBucketBoundaries: [0.0001, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
};

const createInstruments = (meter: Meter) => ({
  requestDuration: meter.createHistogram('hookwright.request.duration', {
    ...durationHistogramOptions,
    description: 'How long a request took, all its hooks included',
  }),
  hookDuration: meter.createHistogram('hookwright.hook.duration', {
    ...durationHistogramOptions,
    description: 'How long a hook took',
  }),
  faults: meter.createCounter('hookwright.hook.faults', { description: 'Hooks that failed, by code' }),
  denials: meter.createCounter('hookwright.denials', { description: 'Requests that were denied or stopped' }),
  open: meter.createUpDownCounter('hookwright.requests.open', { description: 'Requests that wait for their answer' }),
});

const formatTraceParent = (span: Span): string => {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
};

class Instrumentation {
  readonly #tracer: Tracer;
  readonly #instruments: ReturnType<typeof createInstruments>;
  readonly #withContent: boolean;
  readonly #open = new Map<string, { readonly span: Span; readonly event: string; readonly startedAt: number }>();
  /** Request id → its span, and how many of its hooks still run in the background. */
  readonly #background = new Map<string, { readonly span: Span; left: number }>();

  constructor(tracer: Tracer, meter: Meter, withContent: boolean) {
    this.#tracer = tracer;
    this.#instruments = createInstruments(meter);
    this.#withContent = withContent;
  }

  readonly recordMessage = (message: HookMessage): void => {
    switch (message.type) {
      case MessageBusType.HOOK_EXECUTION_REQUEST:
      case MessageBusType.ABILITY_EVENT_REQUEST:
        this.#begin(message);
        break;
      case MessageBusType.HOOK_EXECUTION_TRACE:
        this.#recordRows(message);
        break;
      case MessageBusType.HOOK_EXECUTION_RESPONSE:
      case MessageBusType.ABILITY_EVENT_RESPONSE:
        this.#end(message);
    }
  };

  readonly traceParent = (correlationId: string): string | undefined => {
    const span = this.#open.get(correlationId)?.span;
    // Unsampled spans are passed on too, so that other processes do not begin traces of their own.
    return span === undefined || !isSpanContextValid(span.spanContext()) ? undefined : formatTraceParent(span);
  };

  endAll(): void {
    for (const { span, event } of this.#open.values()) {
      span.end();
      this.#instruments.open.add(-1, { 'hookwright.event': event });
    }
    this.#open.clear();
    this.#background.clear();
  }

  #begin(request: RequestMessage): void {
    const { correlationId } = request;
    if (this.#open.has(correlationId)) return;
    if (this.#open.size >= MAX_OPEN_SPANS) this.#endOldest();
    const event = readEventName(request);
    // The bus delivers requests synchronously, so the active span is that of the publisher.
    const attributes = toRequestAttributes(request, this.#withContent);
    const span = this.#tracer.startSpan(`hooks ${event}`, { kind: SpanKind.INTERNAL, attributes }, context.active());
    this.#open.set(correlationId, { span, event, startedAt: performance.now() });
    this.#instruments.open.add(1, { 'hookwright.event': event });
  }

  #endOldest(): void {
    const [oldest] = this.#open;
    if (oldest === undefined) return;
    const [id, { span, event }] = oldest;
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'no engine answered' });
    span.end();
    this.#open.delete(id);
    this.#instruments.open.add(-1, { 'hookwright.event': event });
  }

  #recordRows({ correlationId, rows }: HookExecutionTrace): void {
    const span = this.#open.get(correlationId)?.span;
    const parent = span?.isRecording() ? span : this.#background.get(correlationId)?.span;
    for (const row of rows) {
      if (row.outcome === 'background') this.#awaitBackground(correlationId, parent);
      else if (row.outcome !== undefined) this.#recordHook(row, parent);
      if (row.background === true) this.#endBackground(correlationId);
    }
  }

  /** A hook in the background gets its span when it ends, which may be after the span of its request. */
  #awaitBackground(correlationId: string, span: Span | undefined): void {
    if (span === undefined) return;
    const left = (this.#background.get(correlationId)?.left ?? 0) + 1;
    this.#background.set(correlationId, { span, left });
    const [oldest] = this.#background.keys();
    if (oldest !== undefined && this.#background.size > MAX_OPEN_SPANS) this.#background.delete(oldest);
  }

  #endBackground(correlationId: string): void {
    const waiting = this.#background.get(correlationId);
    if (waiting === undefined) return;
    waiting.left -= 1;
    if (waiting.left === 0) this.#background.delete(correlationId);
  }

  #recordHook(row: HookRow, parent: Span | undefined): void {
    const attributes = toHookAttributes(row);
    const { durationMs = 0, startedAt, code } = row;
    this.#instruments.hookDuration.record(durationMs / 1_000, attributes);
    if (code !== undefined) this.#instruments.faults.add(1, attributes);
    if (parent === undefined) return;
    const startTime = startedAt === undefined ? Date.now() - durationMs : Date.parse(startedAt);
    const options = {
      kind: SpanKind.INTERNAL,
      startTime,
      attributes: { ...attributes, ...toHookDetails(row, this.#withContent) },
    };
    const span = this.#tracer.startSpan(`hook ${row.name}`, options, trace.setSpan(context.active(), parent));
    if (code !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: code });
    span.end(startTime + durationMs);
  }

  #end(answer: AnswerMessage): void {
    const request = this.#open.get(answer.correlationId);
    if (request === undefined) return;
    this.#open.delete(answer.correlationId);
    const { span, event, startedAt } = request;
    const decision = readDecision(answer);
    const attributes = {
      'hookwright.event': event,
      'hookwright.verdict': decision.verdict,
      ...(answer.error === undefined ? {} : { 'error.type': answer.error.code }),
    };
    this.#instruments.open.add(-1, { 'hookwright.event': event });
    this.#instruments.requestDuration.record((performance.now() - startedAt) / 1_000, attributes);
    if (forbidsAction(decision.verdict)) this.#instruments.denials.add(1, attributes);
    span.setAttributes(toAnswerAttributes(answer, decision, this.#withContent));
    if (answer.error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: answer.error.code });
    span.end();
  }
}

const findBus = (target: unknown): Bus => {
  const candidate = typeof target === 'object' && target !== null && 'bus' in target ? target.bus : target;
  if (isBus(candidate)) return candidate;
  throw new HookwrightError(
    'invalid_argument',
    `instrumentHooks needs hooks that createHooks made, or a bus; got ${describeValue(target)}`,
  );
};

const isBus = (value: unknown): value is Bus =>
  typeof value === 'object' && value !== null && 'stream' in value && 'publish' in value;

/**
 * Traces hooks with OpenTelemetry: a span for each request and each hook, and metrics. The span of a request is a child
 * of the active span, and the parent for spans of its hooks: commands find it in `TRACEPARENT`, endpoints in the header
 * `traceparent`, workers in each request.
 * Returns a function that stops tracing.
 */
export const instrumentHooks = (target: { readonly bus: Bus } | Bus, options: InstrumentOptions = {}): (() => void) => {
  const bus = findBus(target);
  const {
    tracer = trace.getTracer(INSTRUMENTATION_NAME),
    meter = metrics.getMeter(INSTRUMENTATION_NAME),
    content = 'none',
  } = options;
  const instrumentation = new Instrumentation(tracer, meter, content === 'full');
  const stopProviding = provideTraceParents(bus, instrumentation.traceParent);
  const subscription = bus.stream().subscribe(instrumentation.recordMessage);
  return () => {
    subscription.unsubscribe();
    stopProviding();
    instrumentation.endAll();
  };
};

const MAX_CONTENT_CHARACTERS = 4_096;

const formatContent = (value: unknown): string =>
  shorten(typeof value === 'string' ? value : JSON.stringify(value), MAX_CONTENT_CHARACTERS);

/** Attribute names follow the semantic conventions for generative AI where they apply. */
const toRequestAttributes = (request: RequestMessage, withContent: boolean): Attributes => {
  const fields = readPayload(request);
  return omitUndefined({
    'hookwright.event': readEventName(request),
    'hookwright.request.id': request.correlationId,
    'gen_ai.tool.name': textOf(fields.tool_name),
    'gen_ai.tool.call.id': textOf(fields.tool_use_id),
    'gen_ai.request.model': isRecord(fields.llm_request) ? textOf(fields.llm_request.model) : undefined,
    'gen_ai.agent.name': textOf(fields.agent_type),
    'hookwright.ability': textOf(fields.ability_id),
    'hookwright.request.content': withContent ? formatContent(fields) : undefined,
  });
};

const readDecision = (answer: AnswerMessage): EventVerdict => {
  if (answer.type === MessageBusType.ABILITY_EVENT_RESPONSE) {
    const { error } = answer.result;
    return error === undefined ? NO_VERDICT : { verdict: 'deny', reason: error.message };
  }
  const { eventName, output } = answer;
  return output === undefined || !isHookEventName(eventName)
    ? NO_VERDICT
    : toEventVerdict(createHookOutput(eventName, output));
};

const toAnswerAttributes = (answer: AnswerMessage, decision: EventVerdict, withContent: boolean): Attributes =>
  omitUndefined({
    'hookwright.verdict': decision.verdict,
    'hookwright.reason': withContent && decision.reason !== undefined ? formatContent(decision.reason) : undefined,
    'error.type': answer.error?.code,
  });

const toHookAttributes = ({ eventName, name, source, outcome, code }: HookRow): Attributes =>
  omitUndefined({
    'hookwright.event': eventName,
    'hookwright.hook.name': name,
    'hookwright.hook.source': source.kind,
    'hookwright.hook.outcome': outcome,
    'error.type': code,
  });

const toHookDetails = (row: HookRow, withContent: boolean): Attributes =>
  omitUndefined({
    'hookwright.hook.id': row.hookId,
    'hookwright.hook.warm': row.warm,
    'hookwright.hook.recheck': row.recheck,
    'process.exit.code': row.exitCode,
    'hookwright.hook.output': withContent && row.output !== undefined ? formatContent(row.output) : undefined,
    'hookwright.hook.message': withContent ? row.message : undefined,
  });
