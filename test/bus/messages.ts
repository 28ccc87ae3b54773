import { MessageBusType } from '../../src/bus/index.ts';

export {
  ANSWER,
  castUntyped as untyped,
  createSampleNote,
  createSampleRefusal,
  createSampleRequest,
  createSampleResponse,
  NOTE,
  REQUEST,
  RESPONSE,
  respondImmediately,
  waitForRejections,
} from '../../src/testing/bus/suite.ts';

export const { HOOK_EXECUTION_CANCEL: CANCEL, HOOK_CONFIRMATION_REQUEST: QUESTION } = MessageBusType;

export const activeTimers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
