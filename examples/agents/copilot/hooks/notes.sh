#!/usr/bin/env sh
# Adds a convention of this project to the context of the model.
cat <<'END'
{"additionalContext": "Use tabs here."}
END
