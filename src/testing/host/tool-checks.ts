import { isDeepStrictEqual } from 'node:util';
import type { HookExecutionRequest } from '../../protocol/index.ts';
import type { SampleTool } from './driver.ts';
import type { ToolProbe, ToolRun } from './probes.ts';
import { briefly, mentions, payloadOf, times, type Walk } from './walk.ts';

/** A call of a tool: which one, and what became of it. */
export interface ProbedCall {
  readonly tool: SampleTool;
  readonly probe: ToolProbe;
}

export const outputOf = ({ name }: SampleTool): string => `coverage: output of ${name}`;

const first = (walk: Walk, what: string, name: string, requests: readonly HookExecutionRequest[]) => {
  const [request] = requests;
  if (request === undefined) walk.complain(`${what} never fired for ${name}`);
  else if (requests.length > 1) walk.complain(`${what} fired ${times(requests.length)} for ${name}, not once per call`);
  return request;
};

/** BeforeTool once, and answered before the tool began. */
export const checkBefore = (walk: Walk, { tool: { name }, probe }: ProbedCall): void => {
  const request = first(walk, 'BeforeTool', name, walk.requests('BeforeTool', name));
  const [run] = probe.runs;
  if (request === undefined || run === undefined || walk.timesOf(request).answered < run.begun) return;
  walk.complain(`${name} ran before its BeforeTool hooks had answered`);
};

/** The tool ran once. */
export const checkRan = (walk: Walk, { tool: { name }, probe }: ProbedCall): ToolRun | undefined => {
  const { runs } = probe;
  if (runs.length === 0) walk.complain(`${name} was not run; the agent has to run what the driver is given as \`run\``);
  if (runs.length > 1) walk.complain(`${name} was run ${times(runs.length)} in one call`);
  return runs[0];
};

/** What AfterTool is told is what became of the call that BeforeTool was asked about. */
const checkTold = (
  walk: Walk,
  { tool: { name } }: ProbedCall,
  run: ToolRun,
  request: HookExecutionRequest,
  response: string,
): void => {
  const { tool_input, tool_response } = payloadOf(request);
  if (walk.timesOf(request).asked < run.ended) walk.complain(`AfterTool fired for ${name} before it had ended`);
  if (!isDeepStrictEqual(tool_input, run.input)) {
    walk.complain(`AfterTool was told that ${name} ran with ${briefly(tool_input)}; it ran with ${briefly(run.input)}`);
  }
  if (!mentions(tool_response, response)) {
    walk.complain(`AfterTool was not told what came of ${name}: ${briefly(tool_response)}`);
  }
};

/** AfterTool once, after the tool, with its input and what it gave. */
export const checkAfter = (walk: Walk, call: ProbedCall, response = outputOf(call.tool)): void => {
  const { name } = call.tool;
  const request = first(walk, 'AfterTool', name, walk.requests('AfterTool', name));
  const [run] = call.probe.runs;
  if (request !== undefined && run !== undefined) checkTold(walk, call, run, request, response);
};

/** For calls after which AfterTool may fire, but need not. */
export const checkAfterIfAny = (walk: Walk, call: ProbedCall, response: string): void => {
  if (walk.requests('AfterTool', call.tool.name).length > 0) checkAfter(walk, call, response);
};

/** The tool did not run and was not tried again, and no result was reported. */
export const checkRefused = (walk: Walk, { tool: { name }, probe }: ProbedCall, why: string): void => {
  const asked = walk.requests('BeforeTool', name).length;
  if (asked === 0) walk.complain(`BeforeTool never fired for ${name}`);
  if (asked > 1) walk.complain(`${name} was called ${times(asked)}: a refused call must not be tried again`);
  if (probe.runs.length > 0) walk.complain(`${name} ran although ${why}`);
  else if (walk.requests('AfterTool', name).length > 0) {
    walk.complain(`AfterTool fired for ${name}, which did not run`);
  }
};

/** The call ended the way a call ends, with what the model has to know. */
export const checkTellsModel = (walk: Walk, value: unknown, text: string, what: string): void => {
  if (!mentions(value, text)) walk.complain(`the model does not learn ${what}: it is given ${briefly(value)}`);
};
