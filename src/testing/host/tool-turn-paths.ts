import type { HookEventName } from '../../events/index.ts';
import type { HookOutput } from '../../protocol/index.ts';
import type { ToolResult } from '../../triggers/index.ts';
import type { CoveragePath, PathContext } from './path.ts';
import { modelProbe, type ToolProbe, toolProbe } from './probes.ts';
import { outputOf } from './tool-checks.ts';
import { mentions, type Walk } from './walk.ts';

const REASON = 'coverage: a hook ends the work';
const PIECES = ['coverage: the model ', 'has answered'];

interface Turn {
  readonly asked: readonly { readonly request: object }[];
  readonly tool: ToolProbe;
  readonly shown: readonly unknown[];
}

/** Has the agent call a tool for its model, and ask the model again as it does after a tool call. */
const turn = async ({ walk, driver, tools: [tool], translator }: PathContext): Promise<Turn> => {
  const { name, input } = tool;
  const output = outputOf(tool);
  const probe = toolProbe(walk, (): ToolResult => ({ llmContent: output, returnDisplay: output }));
  const { model, stream, calls } = modelProbe(walk, translator, PIECES);
  const shown: unknown[] = [];
  const show = (value: unknown): void => void shown.push(value);
  const context = { run: probe.run, signal: new AbortController().signal, model, stream, show };
  await walk.drive('the turn', () => driver.toolTurn?.(name, { ...input }, context));
  await walk.settle(() => walk.requests('BeforeTool', name).length > 0);
  return { asked: calls, tool: probe, shown };
};

const checkGoesOn = (walk: Walk, { asked }: Turn, output: string): void => {
  if (asked.length === 0) walk.complain('the model was not asked again after the tool call');
  else if (!asked.some(({ request }) => mentions(request, output))) {
    walk.complain('the model was asked again, but not told what the tool gave');
  }
};

const plain = async (context: PathContext): Promise<void> => {
  const done = await turn(context);
  checkGoesOn(context.walk, done, outputOf(context.tools[0]));
};

const stoppedBy = (eventName: HookEventName, isRun: boolean) => async (context: PathContext) => {
  const { walk, tools } = context;
  const [{ name }] = tools;
  walk.hook(eventName, (): HookOutput => ({ continue: false, stopReason: REASON }), name);
  const { asked, tool } = await turn(context);
  if (isRun && tool.runs.length === 0) walk.complain(`${name} did not run`);
  if (asked.length > 0)
    walk.complain(`the model was asked again although a hook of ${eventName} had stopped the agent`);
};

const hidden = async (context: PathContext): Promise<void> => {
  const { walk, tools } = context;
  const [tool] = tools;
  walk.hook('AfterTool', (): HookOutput => ({ suppressOutput: true }), tool.name);
  const done = await turn(context);
  checkGoesOn(walk, done, outputOf(tool));
  if (mentions(done.shown, outputOf(tool)))
    walk.complain('the user was shown a result that a hook keeps off the display');
};

const toolTurn = { needs: ['toolTurn'], needsHook: true } as const;
const both = ['BeforeTool', 'AfterTool'] as const;
const whole = [...both, 'BeforeToolSelection', 'BeforeModel', 'AfterModel'] as const;

export const toolTurnPaths: readonly CoveragePath[] = [
  { name: 'turn after a tool call', needs: ['toolTurn'], needsHook: false, expected: whole, go: plain },
  {
    name: 'agent stopped before a tool',
    ...toolTurn,
    expected: ['BeforeTool'],
    go: stoppedBy('BeforeTool', false),
  },
  { name: 'agent stopped after a tool', ...toolTurn, expected: both, go: stoppedBy('AfterTool', true) },
  { name: 'result that is not shown', ...toolTurn, expected: whole, go: hidden },
];
