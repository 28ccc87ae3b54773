import { type HookConfig, notice } from '../../protocol/index.ts';
import { faultResult } from '../answer/faults.ts';
import type { EngineLane } from './call.ts';

const message = ({ type }: HookConfig): string => `hooks of type "${String(type)}" are not supported by this version`;

/** For hooks that cannot run here. */
export const notSupported: EngineLane = {
  run: ({ eventName }, hook) => faultResult(hook, eventName, { code: 'not-supported', message: message(hook) }),
  inspect: (hook) => [
    notice('not-supported', message(hook), { fix: 'use a command, or a function in the code of the agent' }),
  ],
};
