#!/usr/bin/env sh
# Denies recursive deletion, and allows any other command: here a hook that prints nothing denies.
if grep -qE 'rm +-[a-zA-Z]*[rR]'; then
  echo '{"decision": "deny", "reason": "deleting recursively is for people"}'
else
  echo '{"decision": "allow"}'
fi
