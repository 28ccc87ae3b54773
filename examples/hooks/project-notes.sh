#!/usr/bin/env sh
# Adds what everybody in this project knows to the context of the model.
echo '{"hookSpecificOutput": {"additionalContext": "Greetings are written in full."}}'
