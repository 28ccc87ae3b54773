import { suggestion } from '../../../kit/index.ts';
import { settingsWithAgent } from '../../agents/settings.ts';
import { whoseHooks } from '../../agents/whose-hooks.ts';
import type { Given } from '../../arguments/spec.ts';
import { UsageError } from '../../arguments/usage-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import type { CommandOutcome } from '../../outcome.ts';
import { reportingContext } from '../../reporting/report.ts';
import { approveOutcome } from '../../trusting/approve.ts';
import { listOutcome } from '../../trusting/list.ts';
import { checkOutcome, lockOutcome } from '../../trusting/lock.ts';
import { type Reviewed, reviewed } from '../../trusting/review.ts';
import { revokeOutcome } from '../../trusting/revoke.ts';
import type { trustSpec } from './spec.ts';

type Wish = Given<typeof trustSpec>;

/** What cannot be asked for together. `--yes --lock` can: approve, then write down. */
const ways = ['list', 'revoke', 'check', 'lock'] as const;

const wayOf = (given: Wish): (typeof ways)[number] | undefined => {
  const asked = ways.filter((way) => given[way]);
  const [first, second] = asked;
  if (second !== undefined) throw new UsageError(`--${first} and --${second} cannot be combined`);
  if (given.yes && (first === 'list' || first === 'check')) {
    throw new UsageError(`--${first} approves nothing; leave out --yes`);
  }
  if (given.secrets.length > 0 && !given.yes) {
    throw new UsageError('--secrets needs --yes', 'without it, each secret is asked about on the terminal');
  }
  if (given.hooks.length > 0 && (first === 'check' || (first === 'lock' && !given.yes))) {
    throw new UsageError(`--${first} is for all hooks of the project; leave out ${given.hooks.join(', ')}`);
  }
  return first;
};

/** A secret that no hook asks for is a mistake, or meant for another hook. */
const expectAsked = (secrets: readonly string[], { hooks }: Reviewed): void => {
  const asked = [...new Set(hooks.flatMap((hook) => (hook.secrets ?? []).map(({ name }) => name)))];
  const unasked = secrets.find((name) => !asked.includes(name));
  if (unasked === undefined) return;
  throw new UsageError(
    `no hook asks for ${JSON.stringify(unasked)} in its "secrets"${suggestion(unasked, asked)}`,
    asked.length === 0 ? 'leave out --secrets' : `asked for: ${asked.join(', ')}`,
  );
};

export const run: Run<typeof trustSpec> = async (given: Wish, asked: Context): Promise<CommandOutcome> => {
  const way = wayOf(given);
  const { reporter } = given;
  if (reporter !== undefined && way !== 'check') throw new UsageError('--reporter needs --check');
  const context = reportingContext(asked, reporter);
  const { hooks: wishes, yes, secrets, 'dry-run': dryRun } = given;
  const whose = await whoseHooks(given, undefined, context);
  const found = await reviewed(wishes, await settingsWithAgent(whose, context));
  expectAsked(secrets, found);
  if (way === 'check') return checkOutcome(found, reporter, context);
  if (way === 'list') return listOutcome(found, context);
  if (way === 'revoke') {
    if (wishes.length === 0 && !yes) {
      throw new UsageError(
        '--revoke needs the names of hooks',
        'hookwright trust --revoke --yes takes all approvals back',
      );
    }
    return revokeOutcome(found, { dryRun }, context);
  }
  if (way === 'lock' && !yes) return lockOutcome(found, { dryRun }, context);
  return approveOutcome(found, { yes, secrets, dryRun, lock: way === 'lock' }, context);
};
