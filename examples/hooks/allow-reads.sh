#!/usr/bin/env sh
# Says yes, so that nobody needs to be asked.
echo '{"decision": "allow", "reason": "reading changes nothing"}'
