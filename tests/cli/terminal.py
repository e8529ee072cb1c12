#!/usr/bin/env python3
"""Runs a command whose standard error is a terminal, and prints what came to that terminal.

    terminal.py COMMAND [ARGUMENT...]

Standard output is inherited; the exit status is the command's.
"""
import os
import pty
import subprocess
import sys


def main(command):
    ours, terminal = pty.openpty()
    child = subprocess.Popen(command, stderr=terminal)
    os.close(terminal)
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # EIO: nobody has the terminal open any more
            break
        if not data:
            break
        os.write(sys.stderr.fileno(), data)
    return child.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
