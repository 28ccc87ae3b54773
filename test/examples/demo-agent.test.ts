import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import type { CoverageReport, HostAbilities } from '../../src/testing/index.ts';
import { buildPackage } from './support.ts';

beforeAll(buildPackage, 60_000);

const load = (file: string) => import(pathToFileURL(resolve(file)).href);

/** The kit and the agent of the demo have to share one engine, which is the built one. */
const coverageOfDemo = async (): Promise<CoverageReport> => {
  const { Config, MessageBus } = await load('dist/index.js');
  const { hostCoverage } = await load('dist/testing.js');
  const { work } = await load('examples/demo/agent.mjs');
  const config = new Config({ enableHooks: true, bus: new MessageBus() });
  const toolTurn: HostAbilities['toolTurn'] = (name, input, { run, model, show, signal }) => {
    let isFirst = true;
    const wants = { candidates: [{ content: { role: 'model', parts: [{ functionCall: { name, args: input } }] } }] };
    const scripted = (...asked: Parameters<typeof model>): unknown => {
      if (!isFirst) return model(...asked);
      isFirst = false;
      return wants;
    };
    const report = {
      turn: () => {},
      model: () => {},
      ran: (_name: string, result: unknown) => show(result),
      didNotRun: (_name: string, result: unknown) => show(result),
    };
    return work({ config, model: scripted, tools: { [name]: run }, prompt: 'Go on.', report, signal });
  };
  return hostCoverage({ config, toolTurn });
};

test('R256 R298 the agent of the demo tells its model what is not shown, and ends where a hook ends its work', async () => {
  const report = await coverageOfDemo();
  expect(report.paths.map(({ path, problems }) => ({ path, problems }))).toEqual([
    { path: 'turn after a tool call', problems: [] },
    { path: 'agent stopped before a tool', problems: [] },
    { path: 'agent stopped after a tool', problems: [] },
    { path: 'result that is not shown', problems: [] },
  ]);
});
