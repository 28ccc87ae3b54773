#!/usr/bin/env sh
# Denies recursive deletion; for any other command it has no opinion.
if grep -qE 'rm +-[a-zA-Z]*[rR]'; then
  cat <<'END'
{"permission": "deny", "user_message": "deleting recursively is for people"}
END
fi
