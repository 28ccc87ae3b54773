import { catalogue } from '../../../events/index.ts';
import { visibleJson } from '../../../kit/index.ts';
import type { HookOutput } from '../../../protocol/index.ts';
import { expectEvent } from '../../arguments/events.ts';
import { readJsonObject } from '../../arguments/json-input.ts';
import { UsageError } from '../../arguments/usage-error.ts';
import type { Context } from '../../context.ts';
import { ExitCode } from '../../exit-code.ts';
import { decisionIn } from '../../rendering/verdict-text.ts';
import { fire } from '../../sources/fire.ts';
import { loadSettings } from '../../sources/load-settings.ts';

/** What every hook input has beside the fields of its event; ours are made anew. */
const ownFields: ReadonlySet<string> = new Set([
  'session_id',
  'transcript_path',
  'cwd',
  'hook_event_name',
  'timestamp',
]);

const eventOf = (event: string | undefined, input: Readonly<Record<string, unknown>>): string => {
  const name = event ?? input.hook_event_name;
  if (typeof name === 'string') return name;
  throw new UsageError('the input has no hook_event_name', 'name the event: hookwright run BeforeTool --as-hook');
};

const hasContent = (output: HookOutput | undefined): output is HookOutput =>
  output !== undefined && Object.keys(output).length > 0;

/** Runs as the hook of another agent: its input comes on stdin, the merged answer goes to stdout, 2 means block. */
export const runAsHook = async (
  event: string | undefined,
  only: readonly string[],
  context: Context,
): Promise<ExitCode> => {
  const input = await readJsonObject('stdin', '-', context);
  const eventName = expectEvent(eventOf(event, input));
  const fields = Object.fromEntries(Object.entries(input).filter(([key]) => !ownFields.has(key)));
  const read = catalogue[eventName].read(fields);
  if (!read.ok) throw new UsageError(`the input does not fit ${eventName}: ${read.message}`);
  const { config } = await loadSettings(context);
  const { response } = await fire(config, eventName, read.payload, { only }, context);
  if (response?.error !== undefined) context.note([`${response.error.code}: ${response.error.message}`]);
  const { verdict, reason } = decisionIn(eventName, response?.output);
  if (hasContent(response?.output)) context.write(`${visibleJson(JSON.stringify(response?.output))}\n`);
  if (verdict !== 'deny') return ExitCode.Ok;
  context.note([reason ?? 'blocked by a hook']);
  return ExitCode.Block;
};
