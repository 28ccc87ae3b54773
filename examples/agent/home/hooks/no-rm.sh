#!/usr/bin/env sh
# Exit code 2 blocks, and what is on stderr is the reason. A guard rail, not a sandbox.
if grep -qE 'rm +(-[a-zA-Z]+ +)*(-[a-zA-Z]*[rR]|--recursive)'; then
  echo 'deleting recursively is for people, not for agents' >&2
  exit 2
fi
