/** The command line of `completion`: arguments, flags, examples and exit codes. */
import { defineSpec } from '../../arguments/spec.ts';

export const completionSpec = defineSpec({
  name: 'completion',
  summary: 'print a completion script for your shell, event and hook names included',
  arguments: [{ name: 'shell', summary: 'bash, zsh or fish', required: true, choices: ['bash', 'zsh', 'fish'] }],
  examples: [
    { command: 'source <(hookwright completion bash)', does: 'in ~/.bashrc' },
    { command: 'hookwright completion zsh > ~/.zfunc/_hookwright', does: 'with fpath+=~/.zfunc in ~/.zshrc' },
    { command: 'hookwright completion fish > ~/.config/fish/completions/hookwright.fish', does: 'once' },
  ],
  exit: { ok: 'it was printed' },
});
