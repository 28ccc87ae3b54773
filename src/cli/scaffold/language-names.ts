/** What a hook can be begun in. */
export const languages = ['node', 'sh', 'python', 'typescript'] as const;
export type Language = (typeof languages)[number];

/** The language that was asked for; that of Node, which is there wherever this runs, when none was. */
export const languageOf = (wish: string | undefined): Language => languages.find((name) => name === wish) ?? 'node';
