/** The command line of `backtest`: arguments, flags, examples and exit codes. */
import { filterFlags, sessionArgument, sinceFlag, streamFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { reporterFlag } from '../../rendering/reporters.ts';

export const differenceNames = [
  'newly-allowed',
  'unknown',
  'newly-blocked',
  'faults',
  'changed-input',
  'changed-verdict',
  'changed-context',
  'changed-order',
] as const;

export const backtestSpec = defineSpec({
  name: 'backtest',
  summary: 'show which recorded decisions would differ with the hooks configured here',
  description: [
    'A dry run uses the recorded answers and runs nothing. With --real the hooks run, with their side effects; --hook chooses which.',
  ],
  arguments: [sessionArgument],
  flags: {
    ...reporterFlag,
    real: { kind: 'switch', summary: 'run the hooks instead of using their recorded answers' },
    hook: {
      kind: 'list',
      formerly: 'only',
      value: 'name',
      summary: 'with --real: run only these hooks',
      complete: 'hooks',
    },
    ...sinceFlag,
    ...filterFlags,
    'fail-on': {
      kind: 'list',
      value: 'kind',
      summary: 'the differences that count; default: all but changed-order',
      choices: differenceNames,
    },
    ...streamFlags,
  },
  examples: {
    'hookwright backtest': 'the newest recording with the current settings',
    'hookwright backtest week.jsonl --fail-on newly-allowed,unknown':
      'a gate for a pipeline: nothing may become more permissive',
    'hookwright backtest --stream night --nats nats://127.0.0.1:4222': 'a session stored on a broker',
    'hookwright backtest week.jsonl --real --hook no-rm': 'run one hook for real, the others answer as recorded',
  },
  exit: {
    ok: 'no decision changed in one of the ways of --fail-on',
    findings: 'a decision changed in one of the ways of --fail-on, or nothing has been recorded',
  },
});
