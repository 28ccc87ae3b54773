import { loadAbilityHooks } from '../../abilities/load.ts';
import { loadAbilities } from '../../abilities/tools/declaration/load-abilities.ts';
import type { LoadedConfig } from '../../config/loaded-config.ts';
import type { TrustQuestion } from '../../registry/registry.ts';

/** What the engine asks about the abilities of a project and their hooks, in the same words as about all other hooks. */
export const abilityQuestions = async (config: LoadedConfig): Promise<TrustQuestion[]> => {
  const questions: TrustQuestion[] = [];
  const trustCheck = (question: TrustQuestion) => {
    questions.push(question);
    return 'untrusted' as const;
  };
  const projectDir = config.getProjectDir();
  const hooks = await loadAbilityHooks(projectDir, { log: false, trustCheck });
  await hooks.dispose();
  await loadAbilities(projectDir, { trustCheck });
  return questions;
};
