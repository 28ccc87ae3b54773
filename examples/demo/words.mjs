// What a row of a trace means, in words.

/** `{config: {temperature: 0}}` → `temperature = 0`. */
const leaves = (value) =>
  Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? leaves(inner)
      : [`${key} = ${JSON.stringify(inner)}`],
  );

const because = (word, reason) => (reason === undefined ? word : `${word}: ${reason}`);

const ofAnswer = ({ decision, reason, continue: goesOn, stopReason, systemMessage, hookSpecificOutput = {} }) => {
  const { additionalContext, ...changes } = hookSpecificOutput;
  if (decision === 'deny' || decision === 'block') return { text: because('deny', reason), colour: 'red' };
  if (goesOn === false) return { text: because('stop', stopReason), colour: 'red' };
  if (decision === 'ask') return { text: because('ask', reason), colour: 'yellow' };
  if (decision !== undefined) return { text: because('allow', reason), colour: 'green' };
  if (additionalContext !== undefined) return { text: because('context', additionalContext), colour: 'blue' };
  if (Object.keys(changes).length > 0) return { text: because('change', leaves(changes).join(', ')), colour: 'blue' };
  return { text: because('message', systemMessage), colour: 'dim' };
};

/** What a hook said, or why it said nothing. */
export const whatItSaid = ({ planned, reason, outcome, code, exitCode, durationMs, output = {} }) => {
  if (planned === 'skip') return { text: `skipped: ${reason}`, colour: 'dim' };
  if (outcome === 'silent') return { text: 'no opinion', colour: 'dim' };
  if (outcome === 'answered') return ofAnswer(output);
  const detail = { timeout: `after ${Math.floor(durationMs / 100) * 100} ms`, 'exit-code': `${exitCode}` }[code] ?? '';
  return { text: `fault: ${code} ${detail}`.trimEnd(), colour: 'yellow' };
};

const verdicts = ['decision', 'continue'];

/** What became of it in the merged answer. */
export const whatBecameOfIt = ({ planned, outcome, fields = {} }) => {
  if (planned === 'skip') return 'not run';
  if (outcome === 'silent') return 'nothing to apply';
  if (outcome === 'faulted') return 'no verdict';
  const fates = Object.entries(fields);
  const [, verdict] = fates.find(([field]) => verdicts.includes(field)) ?? fates[0] ?? [];
  if (verdict?.fate !== 'overridden') return verdict?.fate ?? '';
  return `overridden by ${verdict.by.split('/').at(-1)}`;
};
