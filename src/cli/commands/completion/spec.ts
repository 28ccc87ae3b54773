/** The command line of `completion`: arguments, flags, examples and exit codes. */
import { defineSpec } from '../../arguments/spec.ts';

export const completionSpec = defineSpec({
  name: 'completion',
  summary: 'print a completion script for your shell, event and hook names included',
  arguments: [{ name: 'shell', summary: 'bash, zsh or fish', required: true, choices: ['bash', 'zsh', 'fish'] }],
  examples: {
    'source <(hookwright completion bash)': 'in ~/.bashrc',
    'hookwright completion zsh > ~/.zfunc/_hookwright': 'with fpath+=~/.zfunc in ~/.zshrc',
    'hookwright completion fish > ~/.config/fish/completions/hookwright.fish': 'once',
  },
  exit: { ok: 'it was printed' },
});
