#!/usr/bin/env python3
# Adds something to what a tool tells the model.
import json
import sys

call = json.load(sys.stdin)
path = call["tool_input"]["path"]
with open(path) as file:
    lines = len(file.readlines())
context = f"{path} now has {lines} lines."
print(json.dumps({"hookSpecificOutput": {"additionalContext": context}}))
