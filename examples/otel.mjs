// Hooks as OpenTelemetry sees them: a span for each request, a child for each hook. Any exporter does; this one prints.
import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createHooks, defineHook } from 'hookwright';
import { instrumentHooks } from 'hookwright/otel';

const exporter = {
  export(spans, done) {
    for (const { name, parentSpanContext, attributes } of spans) {
      const about = attributes['hookwright.verdict'] ?? attributes['hookwright.hook.outcome'];
      console.log(`${parentSpanContext === undefined ? '' : '  '}${name}: ${about}`);
    }
    done({ code: 0 });
  },
  shutdown: async () => {},
};
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));

const noRm = defineHook({
  event: 'BeforeTool',
  name: 'no-rm',
  run: ({ tool_input }) => (tool_input.command === 'rm' ? { decision: 'deny', reason: 'not here' } : undefined),
});
const hooks = await createHooks({ hooks: [noRm] });
const stop = instrumentHooks(hooks);

for (const command of ['ls', 'rm']) await hooks.beforeTool({ tool: 'shell', input: { command } });

stop();
await hooks.close();
