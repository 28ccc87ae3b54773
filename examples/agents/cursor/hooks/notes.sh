#!/usr/bin/env sh
# Adds a convention of this project to the context of the model.
cat <<'END'
{"additional_context": "Use tabs here."}
END
