import type { Check, Diagnosis, ExaminedHook } from '../check.ts';

/** Variables that a command line names, outside of single quotes, where they mean nothing to the shell. */
const namedIn = ({ command = '', args }: NonNullable<ExaminedHook['config']>): string[] => {
  const texts = args === undefined ? [command.replace(/'[^']*'/g, '')] : [];
  const names = texts.flatMap((text) => [...text.matchAll(/\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?!\w*:?[-=+?]))/g)]);
  return [...new Set(names.flatMap(([, plain, braced]) => plain ?? braced ?? []))];
};

/** Names the line itself gives a value: `X=1`, `for x in`, `read x`. */
const isSetIn = (command: string, name: string): boolean =>
  new RegExp(`(?:^|[\\s;&|(])(?:${name}=|(?:for|read(?: -r)?) ${name}\\b)`).test(command);

export const variables: Check = {
  id: 'variable',
  title: 'commands with variables that hooks do not see',
  about:
    'Hooks of a project or an extension do not see what looks like a secret (see trust.md). A shell replaces an unset variable with nothing, without an error.',
  look: ({ config, isForeign, row }, { environment, foreignEnvironment }) => {
    if (config?.command === undefined) return [];
    const { command, env = {} } = config;
    return namedIn(config).flatMap((name): Diagnosis[] => {
      if (Object.hasOwn(env, name) || isSetIn(command, name)) return [];
      if (isForeign && Object.hasOwn(environment, name) && !Object.hasOwn(foreignEnvironment, name)) {
        return [
          {
            severity: 'warning',
            what: `it names $${name}, which looks like a secret and is not passed to hooks of ${row.source.kind === 'project' ? 'a project' : 'an extension'}`,
            why: 'The shell replaces it with nothing.',
            fix: `if it may see it, add to ~/.hookwright/settings.json: "allowEnv": [${JSON.stringify(name)}]`,
          },
        ];
      }
      if (Object.hasOwn(environment, name) || !/^[A-Z][A-Z0-9_]+$/.test(name)) return [];
      return [
        {
          severity: 'note',
          what: `it names $${name}, which is not set here`,
          why: 'The shell replaces it with nothing.',
          fix: `set it for the agent, or write a default: \${${name}:-…}`,
        },
      ];
    });
  },
};
