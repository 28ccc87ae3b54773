#!/usr/bin/env sh
# Leaves the decision to a person.
echo '{"decision": "ask", "reason": "it can change files"}'
