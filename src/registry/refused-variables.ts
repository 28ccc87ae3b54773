import { ConfigSource, type HookConfig, type ReportFinding, steersPrograms } from '../protocol/index.ts';

const MAX_NAMES = 20;

/** Names each variable that a hook from a file of a project or an extension wants to set and may not. */
export const reportRefusedVariables = (
  { env = {} }: HookConfig,
  source: ConfigSource,
  at: string,
  report: ReportFinding,
): void => {
  if (source !== ConfigSource.Project && source !== ConfigSource.Extensions) return;
  const refused = Object.keys(env).filter(steersPrograms);
  for (const name of refused.slice(0, MAX_NAMES)) {
    const path = `${at}.env.${name}`;
    const hint = 'set it in the settings of the user, or in the script';
    const message = `${path} is not set: it could change which code runs, and a project or an extension may not do that; ${hint}`;
    report({ code: 'refused-variables', skipped: false, path, message, hint });
  }
  const more = refused.length - MAX_NAMES;
  if (more <= 0) return;
  const path = `${at}.env`;
  report({
    code: 'refused-variables',
    skipped: false,
    path,
    message: `${path} has ${more} more of that kind, none of which is set`,
  });
};
