import { createServer } from 'node:http';
import { join } from 'node:path';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type InstrumentOptions, instrumentHooks } from '../../src/adapters/otel/index.ts';
import { MessageBus } from '../../src/bus/index.ts';
import { createHooks, defineHook } from '../../src/index.ts';
import type { HookConfig } from '../../src/protocol/index.ts';
import { until } from '../support/processes.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => context.disable());

const sdk = (exporter: SpanExporter) => {
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { provider, tracer: provider.getTracer('test') };
};

const instrumented = async (hooks: HookConfig[], options: InstrumentOptions = {}, sequential = false) => {
  const exporter = new InMemorySpanExporter();
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 60_000 });
  const meters = new MeterProvider({ readers: [reader] });
  const { tracer } = sdk(exporter);
  const engine = await createHooks({ hooks: { BeforeTool: [{ hooks, sequential }] } });
  const stop = instrumentHooks(engine, { tracer, meter: meters.getMeter('test'), ...options });
  onTestFinished(async () => {
    stop();
    await engine.close();
    await meters.shutdown();
  });
  const spans = (): Record<string, ReadableSpan> =>
    Object.fromEntries(exporter.getFinishedSpans().map((span) => [span.name, span]));
  const measured = async (): Promise<Record<string, unknown[]>> => {
    await meters.forceFlush();
    const all =
      metricExporter
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? [];
    return Object.fromEntries(
      all.map(({ descriptor, dataPoints }) => [
        descriptor.name,
        dataPoints.map(({ attributes, value }) => ({ ...attributes, value })),
      ]),
    );
  };
  return { engine, spans, measured, tracer, stop };
};

const script = (program: string): HookConfig => ({ command: `${process.execPath} -e '${program}'`, name: 'script' });

describe('R945 spans', () => {
  test('R2080 one for a hook in the background when it ends, with its fault, under that of its request', async () => {
    const late = script('setTimeout(() => process.exit(3), 50)');
    const { engine, spans } = await instrumented([{ ...late, background: true }]);
    await engine.beforeTool({ tool: 'shell', input: {} });
    expect(Object.keys(spans())).toEqual(['hooks BeforeTool']);
    await until('the hook has ended', 8_000, () => spans()['hook script'] !== undefined);
    const { 'hooks BeforeTool': request, 'hook script': hook } = spans();
    expect(hook?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
    expect(hook?.attributes).toMatchObject({ 'hookwright.hook.outcome': 'faulted', 'process.exit.code': 3 });
    expect(hook?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'exit-code' });
  });

  test('one for the request, under the active one of whoever asks, and one for each hook that ran', async () => {
    const { engine, spans, tracer } = await instrumented([
      { type: 'runtime', name: 'guard', action: () => ({ decision: 'deny', reason: 'my secret plan' }) },
      { type: 'runtime', name: 'broken', action: () => Promise.reject(new Error('oh')) },
    ]);
    const outer = tracer.startSpan('agent');
    await context.with(trace.setSpan(context.active(), outer), () =>
      engine.beforeTool({ tool: 'shell', input: { command: 'rm' } }),
    );
    outer.end();
    const { agent, 'hooks BeforeTool': request, 'hook guard': guard, 'hook broken': broken } = spans();
    expect(request?.parentSpanContext?.spanId).toBe(agent?.spanContext().spanId);
    expect(guard?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
    expect(request?.attributes).toMatchObject({
      'hookwright.event': 'BeforeTool',
      'hookwright.verdict': 'deny',
      'gen_ai.tool.name': 'shell',
    });
    expect(guard?.attributes).toMatchObject({ 'hookwright.hook.name': 'guard', 'hookwright.hook.outcome': 'answered' });
    expect(broken?.attributes).toMatchObject({ 'error.type': 'threw' });
    expect([request, guard, broken].map((span) => span?.status.code)).toEqual([
      SpanStatusCode.UNSET,
      SpanStatusCode.UNSET,
      SpanStatusCode.ERROR,
    ]);
  });

  test('the model and the agent have the names of the conventions for generative AI', async () => {
    const { engine, spans } = await instrumented([]);
    await engine.beforeModel({ request: { model: 'gemini', contents: [] } });
    await engine.subagentStart({ agentType: 'explorer' });
    const { 'hooks BeforeModel': model, 'hooks SubagentStart': agent } = spans();
    expect(model?.attributes).toMatchObject({ 'gen_ai.request.model': 'gemini' });
    expect(agent?.attributes).toMatchObject({ 'gen_ai.agent.name': 'explorer' });
  });

  test('nothing that was said is in them, unless it is asked for', async () => {
    const guard: HookConfig = {
      type: 'runtime',
      name: 'guard',
      action: () => ({ decision: 'deny', reason: 'my secret plan' }),
    };
    const quiet = await instrumented([guard]);
    await quiet.engine.beforeTool({ tool: 'shell', input: { command: 'launch the rocket' } });
    const said = JSON.stringify(Object.values(quiet.spans()).map(({ attributes, status }) => [attributes, status]));
    expect(said).not.toMatch(/secret plan|rocket/);
    const full = await instrumented([guard], { content: 'full' });
    await full.engine.beforeTool({ tool: 'shell', input: { command: 'launch the rocket' } });
    const { 'hooks BeforeTool': request, 'hook guard': hook } = full.spans();
    expect(request?.attributes['hookwright.request.content']).toContain('rocket');
    expect(request?.attributes['hookwright.reason']).toBe('my secret plan');
    expect(hook?.attributes['hookwright.hook.output']).toContain('my secret plan');
  });

  test('a request that ends with an error is one', async () => {
    const { engine, spans } = await instrumented([
      { type: 'runtime', name: 'slow', action: () => new Promise((resolve) => setTimeout(resolve, 500).unref()) },
    ]);
    await engine.beforeTool({ tool: 'shell', input: {}, timeoutMs: 20 }).catch(() => undefined);
    expect(spans()['hooks BeforeTool']).toMatchObject({
      attributes: { 'error.type': 'deadline_exceeded' },
      status: { code: SpanStatusCode.ERROR },
    });
  });

  test('ended, it hears nothing more and leaves no span open', async () => {
    const { engine, spans, stop } = await instrumented([{ type: 'runtime', name: 'guard', action: () => undefined }]);
    stop();
    await engine.beforeTool({ tool: 'shell', input: {} });
    expect(spans()).toEqual({});
  });

  test('what has no bus is refused', () => {
    // @ts-expect-error what somebody without types may write
    expect(() => instrumentHooks({})).toThrow('instrumentHooks needs hooks that createHooks made, or a bus');
    expect(() => instrumentHooks(new MessageBus())()).not.toThrow();
  });
});

describe('R946 measurements', () => {
  test('durations, faults by code, denials, and requests that are open', async () => {
    const { engine, measured } = await instrumented([
      { type: 'runtime', name: 'guard', action: () => ({ decision: 'deny', reason: 'no' }) },
      { type: 'runtime', name: 'broken', action: () => Promise.reject(new Error('oh')) },
    ]);
    for (const tool of ['a', 'b']) await engine.beforeTool({ tool, input: {} });
    const found = await measured();
    expect(found['hookwright.request.duration']).toMatchObject([{ 'hookwright.verdict': 'deny', value: { count: 2 } }]);
    expect(found['hookwright.hook.duration']).toMatchObject([
      { 'hookwright.hook.name': 'guard', value: { count: 2 } },
      { 'hookwright.hook.name': 'broken', value: { count: 2 } },
    ]);
    expect(found['hookwright.hook.duration']).toMatchObject([
      { value: { buckets: { boundaries: expect.arrayContaining([0.001, 0.1]) } } },
      {},
    ]);
    expect(found['hookwright.hook.faults']).toMatchObject([{ 'error.type': 'threw', value: 2 }]);
    expect(found['hookwright.denials']).toMatchObject([{ value: 2 }]);
    expect(found['hookwright.requests.open']).toMatchObject([{ value: 0 }]);
  });
});

describe.skipIf(process.platform === 'win32')('R947 hooks elsewhere are told the trace', () => {
  const said = (spans: Record<string, ReadableSpan>): string => {
    const { traceId, spanId } = spans['hooks BeforeTool']?.spanContext() ?? { traceId: '', spanId: '' };
    return `00-${traceId}-${spanId}-01`;
  };

  test('commands by TRACEPARENT, each of a sequence too', async () => {
    const program = 'console.log(JSON.stringify({systemMessage: process.env.TRACEPARENT}))';
    const { engine, spans } = await instrumented([script(program), { ...script(program), name: 'second' }], {}, true);
    const { messages } = await engine.beforeTool({ tool: 'shell', input: {} });
    expect(messages).toEqual([said(spans()), said(spans())]);
  });

  test('endpoints by a header', async () => {
    const heard: unknown[] = [];
    const server = createServer(({ headers }, response) => {
      heard.push(headers.traceparent);
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
    const { engine, spans } = await instrumented([{ type: 'http', url, name: 'endpoint' }]);
    await engine.beforeTool({ tool: 'shell', input: {} });
    expect(heard).toEqual([said(spans())]);
  });

  test('workers beside their input', async () => {
    const worker = join(import.meta.dirname, '../fixtures/workers/traceparent.mjs');
    const { engine, spans } = await instrumented([
      { type: 'worker', command: `${process.execPath} ${worker}`, name: 'worker' },
    ]);
    const { messages } = await engine.beforeTool({ tool: 'shell', input: {} });
    expect(messages).toEqual([said(spans())]);
  });

  test('also of one that is not sampled, so that nobody begins another', async () => {
    const provider = new BasicTracerProvider({ sampler: new AlwaysOffSampler() });
    const program = 'console.log(JSON.stringify({systemMessage: String(process.env.TRACEPARENT)}))';
    const { engine } = await instrumented([script(program)], { tracer: provider.getTracer('test') });
    const { messages } = await engine.beforeTool({ tool: 'shell', input: {} });
    expect(messages).toEqual([expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)]);
  });

  test('and hooks of requests that nobody traces are told of none', async () => {
    const program = 'console.log(JSON.stringify({systemMessage: String(process.env.TRACEPARENT)}))';
    const { engine, stop } = await instrumented([script(program)]);
    stop();
    const { messages } = await engine.beforeTool({ tool: 'shell', input: {} });
    expect(messages).toEqual(['undefined']);
  });
});

test('R948 spans arrive at a collector, as OTLP over HTTP', async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      bodies.push(body);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1/traces`;
  const { provider, tracer } = sdk(new OTLPTraceExporter({ url }));
  const engine = await createHooks({
    hooks: [defineHook({ event: 'BeforeTool', name: 'guard', run: () => undefined })],
  });
  const stop = instrumentHooks(engine, { tracer });
  await engine.beforeTool({ tool: 'shell', input: {} });
  stop();
  await provider.shutdown();
  await engine.close();
  const names = bodies.flatMap((body) => [...body.matchAll(/"name":"(hooks? [^"]+)"/g)].map(([, name]) => name));
  expect(names.toSorted()).toEqual(['hook guard', 'hooks BeforeTool']);
});
