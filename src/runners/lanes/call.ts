import type { HookConfig, HookExecutionResult, Notice } from '../../protocol/index.ts';
import { copierOf } from '../schedule/copy-input.ts';
import { traceParentNow } from '../schedule/surroundings.ts';
import { FunctionGroups } from './function-group.ts';

/** What the hooks of one event share while they run. Everything but the input itself is made on first use. */
export class Batch {
  readonly eventName: string;
  readonly input: object;
  /** Ends with the request, or with the engine. */
  readonly signal: AbortSignal;
  /** How many function hooks are around the event. */
  readonly depth: number;
  readonly groups: FunctionGroups;
  /** The trace the event belongs to, for hooks elsewhere to go on with. */
  readonly traceParent: string | undefined;
  #copy: (() => object) | undefined;
  #json: string | undefined;

  constructor(eventName: string, input: object, signal: AbortSignal, depth: number, traceParent = traceParentNow()) {
    this.eventName = eventName;
    this.input = input;
    this.signal = signal;
    this.depth = depth;
    this.groups = new FunctionGroups(signal);
    this.traceParent = traceParent;
  }

  get json(): string {
    this.#json ??= JSON.stringify(this.input);
    return this.#json;
  }

  ownCopy(): object {
    this.#copy ??= copierOf({ ...this.input });
    return this.#copy();
  }
}

/** A lane of the engine's own, or one that is held to what lanes promise. It never throws, and keeps the time itself. */
export interface EngineLane {
  run(batch: Batch, hook: HookConfig): HookExecutionResult | Promise<HookExecutionResult>;
  inspect?(hook: HookConfig): readonly Notice[] | Promise<readonly Notice[]>;
  /** Hooks like this one were loaded, and may have to run at any time. Nothing of theirs is started. */
  prepare?(hook: HookConfig): void;
  idle?(): Promise<void>;
  /** These are all hooks there are from now on; what is kept for others may go when it is no longer in use. */
  retain?(hooks: readonly HookConfig[]): void;
  dispose?(): void | Promise<void>;
  readonly startsProcesses?: boolean;
}
