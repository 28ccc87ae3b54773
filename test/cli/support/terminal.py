"""Runs a program in a pseudo-terminal, as wide as asked for, and prints as JSON what it showed and how it ended.

    python3 terminal.py <columns> <text to wait for, or ''> <how often to press Ctrl-C> <program> <arguments...>

Presses are a number, or the text to type each time the text that is waited for is shown.
"""
import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios
import time

columns, wait_for = int(sys.argv[1]), sys.argv[2]
presses = int(sys.argv[3]) if sys.argv[3].isdigit() else 0
typed = "" if sys.argv[3].isdigit() else sys.argv[3]
child, terminal = pty.fork()
if child == 0:
    # Its width has to be known before the program asks for it.
    time.sleep(0.2)
    os.execvp(sys.argv[4], sys.argv[4:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))

shown = b""
answered = 0
limit = time.monotonic() + 15
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
    if presses and wait_for.encode() in shown:
        # Something is to happen before.
        time.sleep(0.5)
        os.write(terminal, b"\x03")
        presses -= 1
    if typed and shown.count(wait_for.encode()) > answered:
        answered += 1
        os.write(terminal, typed.encode())
else:
    os.kill(child, 9)

_, status = os.waitpid(child, 0)
print(json.dumps({"shown": shown.decode("utf8", "replace"), "code": os.waitstatus_to_exitcode(status)}))
