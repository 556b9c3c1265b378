"""Read the serial line of a board and say whether its rounds passed."""

import argparse
import os
import sys
import termios
import tty

from noc.selftest import results


def open_line(device: str) -> int:
    """The serial line: 115200 baud, 8 bits, no parity, 1 stop bit."""
    line = os.open(device, os.O_RDONLY | os.O_NOCTTY)
    tty.setraw(line, termios.TCSANOW)
    settings = termios.tcgetattr(line)
    settings[2] |= termios.CLOCAL | termios.CREAD
    settings[4] = settings[5] = termios.B115200
    termios.tcsetattr(line, termios.TCSANOW, settings)
    return line


def watch(device: str, rounds: int = 8) -> int:
    """Print what comes until so many reports have come; 1 if one of them tells of a failure."""
    line, text = open_line(device), ""
    try:
        while len(found := list(results(text))) < rounds:
            part = os.read(line, 256).decode("ascii", "replace").replace("\r", "")
            print(part, end="", flush=True)
            text += part
    finally:
        os.close(line)
    return 0 if all(result.passed for result in found) else 1


def main() -> int:
    """Watch the device that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("device", help="for instance /dev/ttyUSB0")
    parser.add_argument("--rounds", type=int, default=8, help="how many reports (default: 8)")
    options = parser.parse_args()
    return watch(options.device, options.rounds)


if __name__ == "__main__":
    sys.exit(main())
