import { type AbilityCaller, CallerSource } from '../../events/index.ts';
import { isPipeline } from '../../kit/node.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const first = (env: Environment, names: readonly string[]): string | undefined =>
  names.map((name) => env[name]).find((value) => value !== undefined && value !== '');

/** What pipelines call the run they are in, and who set it off. */
const jobNames = ['GITHUB_RUN_ID', 'CI_JOB_ID', 'BUILD_ID', 'BUILDKITE_JOB_ID', 'CIRCLE_WORKFLOW_JOB_ID'];
const actorNames = ['GITHUB_ACTOR', 'GITLAB_USER_LOGIN', 'BUILD_REQUESTEDFOR', 'BUILDKITE_BUILD_CREATOR'];
const userNames = ['USER', 'LOGNAME', 'USERNAME'];

/**
 * Who calls: a person, unless this is a pipeline. Pipelines say so by `CI`, or by the flag where theirs does not. Hooks
 * are told, and apply to both alike.
 */
export const callerFrom = (env: Environment, saysPipeline: boolean, said?: string): AbilityCaller => {
  const inPipeline = saysPipeline || isPipeline(env);
  const usual = inPipeline ? CallerSource.CiPipeline : CallerSource.ManualCli;
  const source = Object.values(CallerSource).find((known) => known === said) ?? usual;
  if (source === CallerSource.ManualCli || !inPipeline) {
    const user = first(env, userNames);
    return { source, ...(user === undefined ? {} : { triggered_by: user }) };
  }
  const job = first(env, jobNames);
  const actor = first(env, actorNames);
  return {
    source,
    ...(job === undefined ? {} : { job_id: job }),
    ...(actor === undefined ? {} : { triggered_by: actor }),
  };
};
