/** The languages in which hooks can be created. */
export const languages = ['node', 'sh', 'python', 'typescript'] as const;
export type Language = (typeof languages)[number];

export const selectLanguage = (wish: string | undefined): Language => languages.find((name) => name === wish) ?? 'node';
