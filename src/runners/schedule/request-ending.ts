/** The end of a request, or of the engine. Its signal may be made when it is first read, which costs more than most hooks. */
export interface RequestEnding {
  readonly aborted: boolean;
  readonly signal: AbortSignal;
}

export const signalOf = (ending: RequestEnding | AbortSignal): AbortSignal =>
  'signal' in ending ? ending.signal : ending;
