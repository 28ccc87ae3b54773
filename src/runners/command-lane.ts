import type { HostConfig } from '../protocol/host.ts';
import type { HookExecutionResult } from '../protocol/run.ts';
import type { HookConfig } from '../protocol/settings.ts';
import { faultResult } from './faults.ts';

export class CommandLane {
  constructor(..._parts: [HostConfig, ...unknown[]]) {}
  run(hook: HookConfig, eventName: string, ..._rest: unknown[]): Promise<HookExecutionResult> {
    return Promise.resolve(faultResult(hook, eventName, { code: 'not-supported', message: 'being written' }));
  }
  inspect(_hook: HookConfig): string[] { return []; }
  idle(): Promise<void> { return Promise.resolve(); }
}
