/** Spans and metrics of hooks with OpenTelemetry. This door is for users; it needs `@opentelemetry/api`. */
export { type InstrumentOptions, instrumentHooks } from './instrument-hooks.ts';
