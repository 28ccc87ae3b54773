#!/usr/bin/env sh
# Written for Claude Code: it reads .tool_input.command, and exit code 2 blocks.
if grep -qE '"command": *"git push'; then
  echo 'pushing is for people' >&2
  exit 2
fi
