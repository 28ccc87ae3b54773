import { isRecord } from '../../kit/index.ts';
import { copyOf } from '../../models/index.ts';
import type { AgentsRequest } from '../../models/translators.ts';

type Members = Readonly<Record<string, unknown>>;

/** What `modelSettings` holds that hooks know. */
const settings = ['temperature', 'topP', 'maxTokens', 'presencePenalty', 'frequencyPenalty', 'toolChoice'] as const;

const settingsOf = (request: object): Members => {
  const { modelSettings }: Members = { ...request };
  return isRecord(modelSettings) ? modelSettings : {};
};

/** A request of the SDK with its settings beside its items. */
export const viewOf = <R extends AgentsRequest>(request: R): AgentsRequest => {
  const known = settingsOf(request);
  const shown = settings.flatMap((key) => (known[key] === undefined ? [] : [[key, known[key]] as const]));
  const { input, tools = [] } = request;
  return { input, tools, ...Object.fromEntries<unknown>(shown) };
};

/** The request with what hooks changed in its view; the request itself when that is nothing. */
export const fromView = <R extends AgentsRequest>(request: R, before: AgentsRequest, after: AgentsRequest): R => {
  if (after === before) return request;
  const [old, wanted]: readonly [Members, Members] = [{ ...before }, { ...after }];
  const changed = settings.filter((key) => old[key] !== wanted[key]);
  const modelSettings: Record<string, unknown> = { ...settingsOf(request) };
  for (const key of changed) {
    if (wanted[key] === undefined) Reflect.deleteProperty(modelSettings, key);
    else modelSettings[key] = wanted[key];
  }
  return Object.assign(copyOf(request), {
    ...(after.input !== before.input && { input: after.input }),
    ...(after.tools !== before.tools && { tools: after.tools }),
    ...(changed.length > 0 && { modelSettings }),
  });
};
