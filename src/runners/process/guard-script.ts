import { RUN_MARKER } from '../command/environment.ts';

/**
 * What the guard does, in the language of any POSIX shell. It is told line by line which process groups (`g`) and which
 * runs (`r`) are alive, and when its input ends, because the host did, it ends what is on the lists: the groups by their
 * id; then, where there is /proc, whatever left its group by the marker in its environment. The second look finds what
 * was forked during the first. Told to quit (`q`) it ends nothing.
 */
export const guardScript = `
trap '' HUP INT QUIT TERM PIPE
groups=' '
runs=' '
while read -r what id; do
  case $what in
    q) exit 0 ;;
    +g) groups="$groups$id " ;;
    +r) runs="$runs$id " ;;
    -g) case $groups in *" $id "*) groups="\${groups%%" $id "*} \${groups#*" $id "}" ;; esac ;;
    -r) case $runs in *" $id "*) runs="\${runs%%" $id "*} \${runs#*" $id "}" ;; esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
[ "$runs" != ' ' ] && [ -r /proc/self/environ ] || exit 0
markers=
for run in $runs; do
  markers="$markers\${markers:+
}${RUN_MARKER}=$run"
done
for round in 1 2 3; do
  found=$(grep -lszxF -e "$markers" /proc/[0-9]*/environ)
  [ -n "$found" ] || exit 0
  for file in $found; do
    pid=\${file#/proc/}
    kill -s KILL "\${pid%/environ}"
  done
done
`;
