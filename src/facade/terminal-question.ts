/** Asks the user in the terminal whether an action may continue. */
import { escapeUnprintable, onAbort, shorten, toOneLine, waitForNextTurn } from '../kit/index.ts';
import { isCiEnvironment, TerminalLines } from '../kit/node.ts';
import { type ConfirmContext, type ConfirmQuestion, MAX_TIMEOUT_MS, type Unanswered } from '../protocol/index.ts';

/** All engines of the process share one terminal, so their questions wait for each other. */
let lastQuestion: Promise<unknown> = Promise.resolve();

export const askInTerminal = async (
  question: ConfirmQuestion,
  timeoutMs: number,
  { signal, onUnanswered }: ConfirmContext = {},
): Promise<boolean> => {
  if (!process.stdin.isTTY || !process.stderr.isTTY || isCiEnvironment(process.env)) {
    onUnanswered?.('no-terminal');
    return false;
  }
  const mine = lastQuestion.then(() => askAndReadAnswer(question, Math.min(timeoutMs, MAX_TIMEOUT_MS), signal));
  lastQuestion = mine.catch(() => undefined);
  const answer = await mine;
  if (typeof answer === 'boolean') return answer;
  onUnanswered?.(answer);
  return false;
};

/** A longer input would scroll the question out of sight. */
const MAX_SHOWN_INPUT_LENGTH = 4_000;
const MAX_SHOWN_REASON_LENGTH = 1_000;

/** Lines that were typed before the question arrive within this time, and must not answer it. */
const TYPED_AHEAD_WAIT_MS = 20;

const formatInput = (input: ConfirmQuestion['toolInput']): string => {
  const text = input === undefined ? '' : escapeUnprintable(JSON.stringify(input, null, 2));
  const left = text.length - MAX_SHOWN_INPUT_LENGTH;
  const cut = left > 0 ? `${text.slice(0, MAX_SHOWN_INPUT_LENGTH)}\n… ${left} characters more are not shown` : text;
  return cut === '' ? '' : `${cut.replace(/^/gm, '  ')}\n`;
};

const formatQuestion = ({ eventName, reason, toolName, toolInput }: ConfirmQuestion, timeoutMs: number): string => {
  const about = toOneLine(toolName ?? eventName);
  const why = toOneLine(shorten(reason, MAX_SHOWN_REASON_LENGTH));
  return `\nA hook asks about ${about}: ${why}\n${formatInput(toolInput)}Let it go on? [y/N, ${Math.ceil(timeoutMs / 1_000)} s] `;
};

const readAnswer = async (text: string, signal: AbortSignal): Promise<string | undefined> => {
  const { stdin, stderr } = process;
  const isFlowing = stdin.readableFlowing === true;
  const { isRaw } = stdin;
  if (isRaw) stdin.setRawMode(false);
  const lines = new TerminalLines(stdin);
  try {
    await new Promise((resolve) => setTimeout(resolve, TYPED_AHEAD_WAIT_MS));
    await waitForNextTurn();
    lines.clear();
    stderr.write(text);
    return await lines.next(signal);
  } finally {
    lines.close();
    if (isRaw) stdin.setRawMode(true);
    if (isFlowing) stdin.resume();
  }
};

const askAndReadAnswer = async (
  question: ConfirmQuestion,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<boolean | Unanswered> => {
  if (signal?.aborted) return false;
  const ending = new AbortController();
  const stopListening = signal === undefined ? undefined : onAbort(signal, () => ending.abort());
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    ending.abort();
  }, timeoutMs);
  try {
    const answer = await readAnswer(formatQuestion(question, timeoutMs), ending.signal);
    if (answer !== undefined) return /^\s*y(?:es)?\s*$/i.test(answer);
    process.stderr.write(isOver ? '\nNo answer in time: not approved.\n' : '\nNot approved.\n');
    return isOver ? 'timeout' : false;
  } finally {
    clearTimeout(timer);
    stopListening?.();
  }
};
