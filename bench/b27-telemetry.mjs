// B27: what do spans and measurements cost for each hook?
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { createHooks } from 'hookwright';
import { instrumentHooks } from 'hookwright/otel';
import { hookInput } from './payloads.mjs';
import { addedRow, alternate, manyCalls } from './support.mjs';

const HOOKS = 10;

/** Ended spans go nowhere: how they are exported is the user's choice. */
const nowhere = {
  onStart: () => {},
  onEnd: () => {},
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};

const firing = async (prepare) => {
  const hooks = Array.from({ length: HOOKS }, (_, index) => ({
    type: 'runtime',
    name: `hook-${index}`,
    action: () => undefined,
  }));
  const engine = await createHooks({ hooks: { BeforeTool: [{ hooks }] } });
  prepare(engine);
  const round = await manyCalls(() => engine.beforeTool({ tool: 'ls', input: { path: 'notes.txt' } }));
  return async () => (await round()) / HOOKS;
};

export const variants = {
  bare: () => manyCalls(() => JSON.stringify(hookInput)),
  'no telemetry': () => firing(() => {}),
  telemetry: () =>
    firing((engine) => {
      const tracer = new BasicTracerProvider({ spanProcessors: [nowhere] }).getTracer('bench');
      instrumentHooks(engine, { tracer, meter: new MeterProvider().getMeter('bench') });
    }),
};

export const measure = async () => {
  const figures = await alternate(import.meta.url, Object.keys(variants), { rounds: 15 });
  return [
    addedRow({
      id: 'B27',
      what: `spans and measurements, for each of ${HOOKS} hooks`,
      ours: figures.telemetry,
      without: figures['no telemetry'],
      bare: figures.bare,
      bareInDocument: 1.4,
      budget: 15,
    }),
  ];
};
