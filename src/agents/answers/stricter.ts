// Strict mode: keeps denials, questions and replaced results that the agent itself would ignore.
import { findDocument } from '../../runners/process-api.ts';
import type { JsonObject } from '../rule-types.ts';
import { type Answer, type Ended, isBlocking, parseDocument, readNonBlank, readSpecificOutput } from './answer.ts';

/** If the documents cannot be separated, reads only those that have a line of their own. */
const findDocuments = (text: string): readonly JsonObject[] => {
  const found = findDocument(text);
  if (found.kind === 'answer') return found.documents;
  const lines = text.split('\n').filter((line) => line.trim().startsWith('{'));
  return lines.map(parseDocument).filter((document) => document !== undefined);
};

const findAskReason = (document: JsonObject): string | undefined => {
  const specific = readSpecificOutput(document);
  const { decision, permission, permissionDecision } = document;
  if (![decision, permission, permissionDecision, specific.permissionDecision].includes('ask')) return undefined;
  const { permissionDecisionReason: inside } = specific;
  const { reason, permissionDecisionReason, user_message: message } = document;
  return readNonBlank(inside, permissionDecisionReason, reason, message) ?? 'the hook asks';
};

export type BlockReader = (document: JsonObject) => string | undefined;

const findLostBlock = (answer: Answer, ended: Ended, blockIn: BlockReader): string | undefined => {
  if (isBlocking(answer)) return undefined;
  if (ended.exitCode === 2)
    return readNonBlank(ended.stderr) ?? readNonBlank(ended.stdout) ?? 'the hook ended with exit code 2';
  return findDocuments(ended.stdout)
    .map(blockIn)
    .find((block) => block !== undefined);
};

const findLostQuestion = (answer: Answer, ended: Ended): string | undefined => {
  if (isBlocking(answer) || answer.said?.decision === 'ask') return undefined;
  return findDocuments(ended.stdout)
    .map(findAskReason)
    .find((question) => question !== undefined);
};

export const restoreLostVerdict = (answer: Answer, ended: Ended, blockIn: BlockReader): Answer => {
  const why = answer.failed ?? answer.swallowed[0] ?? 'it counts for nothing there';
  const block = findLostBlock(answer, ended, blockIn);
  if (block !== undefined) {
    const swallowed = [...answer.swallowed, `this would pass (${why}); the block counts here`];
    return { said: { decision: 'deny', reason: block }, swallowed };
  }
  const question = findLostQuestion(answer, ended);
  if (question === undefined) return answer;
  const swallowed = [...answer.swallowed, `the user would not be asked (${why}); the question counts here`];
  return { said: { ...answer.said, isText: undefined, decision: 'ask', reason: question }, swallowed };
};

/** After a tool has run, the model sees its result: an ignored denial becomes context. */
export const addLostFeedback = (read: Answer, ended: Ended, blockIn: BlockReader): Answer => {
  const answer = restoreReplacedResult(read, ended);
  if (answer.said?.context !== undefined) return answer;
  const block = findLostBlock(answer, ended, blockIn);
  if (block === undefined) return answer;
  const { failed: why = answer.swallowed[0] ?? 'it counts for nothing there', said, swallowed } = answer;
  return {
    said: { ...said, context: block },
    swallowed: [...swallowed, `lost there (${why}); it stands beside the result here`],
  };
};

const replacedResultKeys = [
  'updatedToolOutput',
  'updatedMCPToolOutput',
  'modifiedResult',
  'updated_mcp_tool_output',
] as const;

const restoreReplacedResult = (answer: Answer, ended: Ended): Answer => {
  if (answer.said?.toolOutput !== undefined) return answer;
  const written = findDocuments(ended.stdout).flatMap((document) => [document, readSpecificOutput(document)]);
  const toolOutput = written.flatMap((document) => replacedResultKeys.flatMap((key) => document[key] ?? [])).at(-1);
  if (toolOutput === undefined) return answer;
  const why = answer.failed ?? answer.swallowed[0] ?? 'it is not read there';
  const note = `the result would stay as it is (${why}); it is replaced here`;
  return { said: { ...answer.said, toolOutput }, swallowed: [...answer.swallowed, note] };
};
