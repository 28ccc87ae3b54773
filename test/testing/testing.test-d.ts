/** Checked by tsc and never run: every promise of the types has its mistake beside it. */
import { expect } from 'vitest';
import { type Bus, type Config, createHooks, type HookConfig, type Hooks, type HooksByEvent } from '../../src/index.ts';
import {
  captureTraffic,
  fakeClock,
  fixtureHook,
  type HostDriver,
  hookMatchers,
  hostCoverage,
  type Traffic,
} from '../../src/testing/index.ts';

declare const bus: Bus;
declare const config: Config;
declare const hooks: Hooks;
declare const traffic: Traffic;

export const capturing = (): void => {
  const names: string[] = captureTraffic(bus).requests.map(({ eventName }) => eventName);
  const rows: string[] = traffic.rows('BeforeTool').map(({ name }) => name);
  for (const { correlationId } of traffic) names.push(correlationId, ...rows);
  traffic.of('AnEventOfAnotherSystem').responses.map(({ result }) => result.success);
  // @ts-expect-error an engine is no bus
  captureTraffic(hooks);
  // @ts-expect-error what was captured is not changed
  traffic.messages.push();
};

export const matching = (): void => {
  expect.extend(hookMatchers);
  expect(traffic).toHaveBlocked('BeforeTool');
  expect(traffic).not.toHaveBlocked('BeforeTool', { tool: /^read/, reason: 'secret', by: 'guard' });
  expect(traffic).toHaveRun('guard', { event: 'BeforeTool', outcome: 'faulted', times: 2 });
  expect(traffic).toHaveSkipped('guard', { reason: 'matcher-mismatch', event: 'AfterTool' });
  // @ts-expect-error there is no such reason
  expect(traffic).toHaveSkipped('guard', { reason: 'switched-off' });
  // @ts-expect-error there is no such outcome
  expect(traffic).toHaveRun('guard', { outcome: 'failed' });
  // @ts-expect-error the event comes first
  expect(traffic).toHaveBlocked({ tool: 'read_file' });
};

export const fixtures = (): void => {
  const guard: HookConfig = fixtureHook.command({ name: 'guard', answers: { decision: 'deny' }, timeout: 100 });
  const inline = fixtureHook.answers(({ tool_name }) => ({ decision: 'allow', reason: String(tool_name) }));
  const configured: HooksByEvent = { BeforeTool: [{ hooks: [guard, inline, fixtureHook.hangs()] }] };
  createHooks({ hooks: configured, deps: { clock: fakeClock({ start: '2026-01-01' }) } }).catch(() => {});
  inline.received.map(({ tool_input }) => tool_input);
  // @ts-expect-error there is no such decision
  fixtureHook.command({ answers: { decision: 'perhaps' } });
  // @ts-expect-error what a fixture runs is its own affair
  fixtureHook.command({ command: './guard.sh' });
};

interface OwnRequest {
  readonly ask: string;
}

interface OwnResponse {
  readonly said: string;
}

export const covering = (): void => {
  const endSession = () => hooks.sessionEnd({ reason: 'exit' });
  hostCoverage({ config, endSession }).catch(() => {});
  hostCoverage({ hooks, endSession }, { skip: ['session end'], patienceMs: 10 }).catch(() => {});
  hostCoverage({ bus, callTool: async (name, input, { run }) => [name, await run(input)] }).catch(() => {});
  const own: HostDriver<OwnRequest, OwnResponse> = {
    config,
    callModel: async ({ ask }, { model }) => (await model({ ask })).said,
  };
  hostCoverage(own).catch(() => {});
  // @ts-expect-error it has to be said where the hooks are
  hostCoverage({ endSession }).catch(() => {});
  // @ts-expect-error a tool is run with an input
  hostCoverage({ bus, callTool: (_name, _input, { run }) => run() }).catch(() => {});
};
