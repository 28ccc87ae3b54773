import { MessageBusType } from '../../src/bus/index.ts';

export {
  ANSWER,
  aNote,
  answerAtOnce,
  aRefusal,
  aRequest,
  aResponse,
  aTurn,
  NOTE,
  REQUEST,
  RESPONSE,
  untyped,
} from '../../src/testing/bus/suite.ts';

export const { HOOK_EXECUTION_CANCEL: CANCEL, HOOK_CONFIRMATION_REQUEST: QUESTION } = MessageBusType;

export const activeTimers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
