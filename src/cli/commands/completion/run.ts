/** `hookwright completion`: prints a completion script for a shell. */
import type { CommandMain } from '../../command.ts';
import type { completionSpec } from './spec.ts';

const isShell = (shell: string): shell is keyof typeof scripts => Object.hasOwn(scripts, shell);

export const run: CommandMain<typeof completionSpec> = ({ shell }, context) => {
  if (!isShell(shell)) throw new TypeError('unreachable: the choices are the scripts');
  const script = scripts[shell];
  if (!context.isJson) context.write(script);
  return Promise.resolve({ data: { shell, script }, text: () => [] });
};

/** `hookwright __complete` prints lines of `word<tab>meaning`. The lines `:files` and `:directories` request paths. */
const bashScript = `# completion of hookwright for bash
_hookwright() {
  local line IFS=$'\\n'
  COMPREPLY=()
  # Words as they were written: bash splits them at colons and equals signs otherwise.
  local words
  IFS=$' \\t\\n' read -r -a words <<< "\${COMP_LINE:0:COMP_POINT}"
  case "\${COMP_LINE:0:COMP_POINT}" in *[[:space:]]) words+=('') ;; esac
  local current="\${words[\${#words[@]}-1]}"
  for line in $(hookwright __complete -- "\${words[@]:1}" 2>/dev/null); do
    case "$line" in
      :files) compopt -o default 2>/dev/null; COMPREPLY+=($(compgen -f -- "$current")) ;;
      :directories) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -d -- "$current")) ;;
      *) line="\${line%%$'\\t'*}"; [[ "$line" == "$current"* ]] && COMPREPLY+=("$(printf '%q' "$line")") ;;
    esac
  done
}
complete -F _hookwright hookwright
`;

const zshScript = `#compdef hookwright
# completion of hookwright for zsh
_hookwright() {
  local line word about
  local -a found
  for line in "\${(@f)$(hookwright __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      '') ;;
      :files) _files ;;
      :directories) _files -/ ;;
      *)
        word=\${line%%$'\\t'*}
        about=\${line#*$'\\t'}
        found+=("\${word//:/\\\\:}:$about")
        ;;
    esac
  done
  (( \${#found} )) && _describe 'hookwright' found
}
if [ "$funcstack[1]" = "_hookwright" ]; then _hookwright "$@"; else compdef _hookwright hookwright; fi
`;

const fishScript = `# completion of hookwright for fish
function __hookwright_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (hookwright __complete -- $words[2..-1] 2>/dev/null)
    switch $line
      case ':files'
        __fish_complete_path (commandline -ct)
      case ':directories'
        __fish_complete_directories (commandline -ct)
      case '*'
        echo $line
    end
  end
end
complete -c hookwright -f -a '(__hookwright_complete)'
`;

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
