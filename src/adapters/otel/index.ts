/** Spans and metrics of hooks with OpenTelemetry. A door for users, who need `@opentelemetry/api` beside it. */
export { type InstrumentOptions, instrumentHooks } from './instrument-hooks.ts';
