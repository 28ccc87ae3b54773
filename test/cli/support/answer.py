"""Runs a program in a pseudo-terminal and answers what it asks; prints as JSON what it showed and how it ended.

    python3 answer.py '[["text to wait for", "what to type then"], ...]' <program> <arguments...>

The text of each answer is looked for behind that of the one before.
"""
import json
import os
import pty
import select
import sys
import time

answers = json.loads(sys.argv[1])
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])

shown = b""
looked_at = 0
limit = time.monotonic() + 50
while time.monotonic() < limit:
    ready, _, _ = select.select([terminal], [], [], 0.1)
    if ready:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    while answers:
        found = shown.find(answers[0][0].encode(), looked_at)
        if found == -1:
            break
        looked_at = found + len(answers[0][0].encode())
        os.write(terminal, answers.pop(0)[1].encode())
else:
    os.kill(child, 9)

_, status = os.waitpid(child, 0)
print(json.dumps({"shown": shown.decode("utf8", "replace"), "code": os.waitstatus_to_exitcode(status)}))
