/** Door for the other rooms; index.ts is for users. */

export { abilityHookJsonSchema } from './declaration/ability-hook-schema.ts';
export { listingOf } from './list-hooks.ts';
export { loadAbilityHooks } from './load-ability-hooks.ts';
export { samplesAbout } from './scaffold/scaffold.ts';
export { testAbilityHooks } from './scaffold/test-hooks.ts';
export { namesOf } from './tools/ability.ts';
export { loadAbilities } from './tools/load-abilities.ts';
export { TaskStore } from './tools/store/task-store.ts';
export { argsOf, inputOf } from './tools/summarize.ts';
export { unknownScopes } from './tools/tool-runner.ts';
