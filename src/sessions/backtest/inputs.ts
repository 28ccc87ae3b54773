import { catalogue, type HookEventName, type HookInput, type PayloadOf } from '../../events/index.ts';
import type { AnyHookTranslator } from '../../models/index.ts';
import { isSame } from './values.ts';

/** Fields of the engine, which differ from run to run and are no concern of a comparison. */
const base = { session_id: '', transcript_path: '', cwd: '', hook_event_name: '', timestamp: '' };

/** What the first hook reads, short of what the engine adds. */
export const firstInput = <E extends HookEventName>(
  eventName: E,
  payload: PayloadOf<E>,
  translator: AnyHookTranslator,
): HookInput<E> => ({ ...base, ...catalogue[eventName].toFields(payload, translator) });

/** Whether two hooks read the same, the fields of the engine apart. */
export const readsTheSame = (a: object, b: object): boolean => isSame({ ...a, ...base }, { ...b, ...base });
