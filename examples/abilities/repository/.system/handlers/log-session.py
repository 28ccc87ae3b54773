#!/usr/bin/env python3
import json
import os
import sys

session = json.load(sys.stdin)
os.makedirs(".system/logs", exist_ok=True)
with open(".system/logs/sessions.log", "a") as log:
    print(session["session_id"], *session["abilities_used"], file=log)
json.dump({"logs": ["one line written"]}, sys.stdout)
