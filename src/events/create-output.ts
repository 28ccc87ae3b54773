import type { AnyHookTranslator } from '../models/index.ts';
import type { HookOutput } from '../protocol/index.ts';
import { catalogue, type HookEventName, isHookEventName, type OutputOf } from './catalogue.ts';
import { DefaultHookOutput } from './outputs.ts';

/** Builds the class that belongs to the event. An event nobody knows gets the class that all others extend. */
export function createHookOutput<E extends HookEventName>(
  eventName: E,
  data?: HookOutput,
  translator?: AnyHookTranslator,
): OutputOf<E>;
export function createHookOutput(
  eventName: HookEventName,
  data?: HookOutput,
  translator?: AnyHookTranslator,
): DefaultHookOutput {
  const { output } = isHookEventName(eventName) ? catalogue[eventName] : { output: DefaultHookOutput };
  return new output(data, translator);
}
