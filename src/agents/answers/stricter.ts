// Strict mode: restores blocks, questions and replaced results that an agent would ignore.
import { findDocument } from '../../runners/process-api.ts';
import type { JsonObject } from '../rule-types.ts';
import { type Answer, type Ended, firstNonBlank, nonBlank, parseDocument, specificOutputOf } from './answer.ts';

/** All JSON documents in a text; if they cannot be separated, those on a line of their own. */
const documentsIn = (text: string): readonly JsonObject[] => {
  const found = findDocument(text);
  if (found.kind === 'answer') return found.documents;
  const lines = text.split('\n').filter((line) => line.trim().startsWith('{'));
  return lines.flatMap((line) => {
    const parsed = parseDocument(line);
    return 'document' in parsed ? [parsed.document] : [];
  });
};

/** The reason of a document with the verdict `ask`, in the format of any agent. */
const questionIn = (document: JsonObject): string | undefined => {
  const specific = specificOutputOf(document);
  const { decision, permission, permissionDecision } = document;
  if (![decision, permission, permissionDecision, specific.permissionDecision].includes('ask')) return undefined;
  const { permissionDecisionReason: inside } = specific;
  const { reason, permissionDecisionReason, user_message: message } = document;
  return firstNonBlank(inside, permissionDecisionReason, reason, message) ?? 'the hook asks';
};

/** Returns the reason of a document that denies in the agent's format; `undefined` if it does not deny. */
export type BlockIn = (document: JsonObject) => string | undefined;

const blockLostBy = ({ said }: Answer, ended: Ended, blockIn: BlockIn): string | undefined => {
  if (said?.decision === 'deny' || said?.stop !== undefined) return undefined;
  if (ended.exitCode === 2)
    return nonBlank(ended.stderr) ?? nonBlank(ended.stdout) ?? 'the hook ended with exit code 2';
  return documentsIn(ended.stdout)
    .map(blockIn)
    .find((block) => block !== undefined);
};

const questionLostBy = ({ said }: Answer, ended: Ended): string | undefined => {
  if (said?.decision === 'deny' || said?.decision === 'ask' || said?.stop !== undefined) return undefined;
  return documentsIn(ended.stdout)
    .map(questionIn)
    .find((question) => question !== undefined);
};

/** Adds an explicit block or question that the agent would ignore. */
export const restoreLostVerdict = (answer: Answer, ended: Ended, blockIn: BlockIn): Answer => {
  const why = answer.failed ?? answer.swallowed[0] ?? 'it counts for nothing there';
  const block = blockLostBy(answer, ended, blockIn);
  if (block !== undefined) {
    const swallowed = [...answer.swallowed, `this would pass (${why}); the block counts here`];
    return { said: { decision: 'deny', reason: block }, swallowed };
  }
  const question = questionLostBy(answer, ended);
  if (question === undefined) return answer;
  const swallowed = [...answer.swallowed, `nobody would be asked (${why}); the question counts here`];
  return { said: { ...answer.said, isText: undefined, decision: 'ask', reason: question }, swallowed };
};

/** Like `stricter`, after a tool whose result the model sees anyway: an ignored block becomes context. */
export const withFeedback = (read: Answer, ended: Ended, blockIn: BlockIn): Answer => {
  const answer = withRedaction(read, ended);
  if (answer.said?.context !== undefined) return answer;
  const block = blockLostBy(answer, ended, blockIn);
  if (block === undefined) return answer;
  const { failed: why = answer.swallowed[0] ?? 'it counts for nothing there', said, swallowed } = answer;
  return {
    said: { ...said, context: block },
    swallowed: [...swallowed, `lost there (${why}); it stands beside the result here`],
  };
};

const results = ['updatedToolOutput', 'updatedMCPToolOutput', 'modifiedResult', 'updated_mcp_tool_output'] as const;

/** Replaces the result even if the agent would ignore the replacement. */
const withRedaction = (answer: Answer, ended: Ended): Answer => {
  if (answer.said?.toolOutput !== undefined) return answer;
  const written = documentsIn(ended.stdout).flatMap((document) => [document, specificOutputOf(document)]);
  const toolOutput = written.flatMap((document) => results.flatMap((key) => document[key] ?? [])).at(-1);
  if (toolOutput === undefined) return answer;
  const why = answer.failed ?? answer.swallowed[0] ?? 'it is not read there';
  const note = `the result would stay as it is (${why}); it is replaced here`;
  return { said: { ...answer.said, toolOutput }, swallowed: [...answer.swallowed, note] };
};
