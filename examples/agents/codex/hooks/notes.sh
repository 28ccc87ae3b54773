#!/usr/bin/env sh
# Adds a convention of this project to the context of the model.
cat <<'END'
{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "Use tabs here."}}
END
