/** The door of abilities for other folders of `src`; `index.ts` is for users of the package. */

export { abilityHookJsonSchema } from './declaration/ability-hook-schema.ts';
export { toHookListing } from './list-hooks.ts';
export { loadAbilityHooks } from './load-ability-hooks.ts';
export { createSamples } from './scaffold/scaffold.ts';
export { testAbilityHooks } from './scaffold/test-hooks.ts';
export { getScopeNames } from './tools/ability.ts';
export { loadAbilities } from './tools/load-abilities.ts';
export { TaskStore } from './tools/store/task-store.ts';
export { toArgsMembers, toInputMembers } from './tools/summarize.ts';
export { findUnknownScopes } from './tools/tool-runner.ts';
