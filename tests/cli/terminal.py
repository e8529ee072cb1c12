#!/usr/bin/env python3
"""Runs a command whose standard error is a terminal, and prints what came to that terminal.

    terminal.py [--output] [--columns N [--then N]] COMMAND [ARGUMENT...]

The other stream is inherited; the exit status is the command's. With --output it is standard output
that is the terminal. --columns is the terminal's width, --then that after what first came to it.
"""
import argparse
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios


def set_columns(terminal, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", action="store_true")
    parser.add_argument("--columns", type=int)
    parser.add_argument("--then", type=int)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser.parse_args()


def main(wanted):
    ours, terminal = pty.openpty()
    modes = termios.tcgetattr(terminal)
    modes[1] &= ~termios.OPOST  # the bytes as they were written
    termios.tcsetattr(terminal, termios.TCSANOW, modes)
    if wanted.columns:
        set_columns(terminal, wanted.columns)
    stream = "stdout" if wanted.output else "stderr"
    child = subprocess.Popen(wanted.command, **{stream: terminal})
    os.close(terminal)
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # EIO: nobody has the terminal open any more
            break
        if not data:
            break
        if wanted.then:
            set_columns(ours, wanted.then)
        os.write(getattr(sys, stream).fileno(), data)
    return child.wait()


if __name__ == "__main__":
    sys.exit(main(parsed()))
