import { rmSync } from 'node:fs';
import { MessageBus } from '../../../bus/index.ts';
import { type RecordProblem, type RecordSummary, record } from '../../../sessions/index.ts';
import { UsageError } from '../../arguments/usage-error.ts';
import type { Run } from '../../command.ts';
import type { CliProblem, CommandOutcome } from '../../outcome.ts';
import { paragraph } from '../../rendering/layout.ts';
import { counted, problemsText } from '../../rendering/problem-lines.ts';
import { fileToRecord, newSessionFile, shortPath } from '../../sources/sessions.ts';
import { styled, type Text } from '../../terminal/text.ts';
import { attach } from './attach.ts';
import { launch } from './launch.ts';
import { Listener } from './listener.ts';
import type { recordSpec } from './spec.ts';

const summaryText = (file: string, { messages, redacted }: RecordSummary): Text => [
  [
    styled('green', 'recorded '),
    `${counted(messages, 'message')} to ${file}`,
    ...(redacted === 0 ? [] : [`, ${counted(redacted, 'secret')} taken out`]),
  ],
];

const nothingText = (wasStarted: boolean, width: number): Text =>
  paragraph(
    `nothing was recorded: no hook ran.${wasStarted ? ' An agent is recorded if it uses createHooks.' : ''}`,
    width,
    0,
    2,
    'yellow',
  );

export const run: Run<typeof recordSpec> = async ({ command, file: wish, pid }, context) => {
  const { cwd, screen } = context;
  const [program, ...args] = command;
  if (program !== undefined && pid !== undefined) {
    throw new UsageError('--pid selects a running agent; a command would be another one');
  }
  const file = wish === undefined ? newSessionFile(cwd, new Date()) : fileToRecord(cwd, wish);
  const problems: CliProblem[] = [];
  const bus = new MessageBus();
  const onProblem = ({ message }: RecordProblem): number => problems.push({ severity: 'error', message });
  const listener = new Listener(bus, (message) => problems.push({ severity: 'warning', message }));
  // Connected before the file is made: where there is nobody to record, no file is left.
  const source = program === undefined ? await attach(pid, listener, context) : undefined;
  const recording = record(bus, { file, onProblem });
  let summary: RecordSummary | undefined;
  let exitCode: number | undefined;
  try {
    exitCode = program === undefined ? await source?.ended : await launch(program, args, listener, context);
  } finally {
    summary = await recording.close();
    // An empty session would be the last one, and say nothing to whoever asks why. A file that was named is left alone.
    if (wish === undefined && summary.messages === 0) rmSync(file, { force: true });
  }
  const told: Text = [
    ...problemsText(problems, screen.width, cwd),
    ...(summary.messages > 0 ? summaryText(shortPath(file, cwd), summary) : []),
    ...(summary.messages + problems.length === 0 ? nothingText(program !== undefined, screen.width) : []),
  ];
  const outcome: CommandOutcome = {
    findings: (exitCode !== undefined && exitCode !== 0) || problems.some(({ severity }) => severity === 'error'),
    data: { file, ...summary, dropped: listener.dropped, ...(exitCode === undefined ? {} : { exitCode }) },
    problems,
    text: () => told,
  };
  if (program === undefined || context.isJson) return outcome;
  // Stdout is the agent's own.
  context.note(told);
  return { ...outcome, text: () => [] };
};
