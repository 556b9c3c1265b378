"""Read the serial line of a board and say whether its rounds passed.

The exit status is 0 if they did, 1 if one of them failed, 2 if the board cannot be read.
"""

import importlib.util
import os
import select
import sys
import time
from argparse import ArgumentTypeError

from noc.cli.parsers import OneLineParser
from noc.selftest import taken

#: A board whose network is stuck reports within a second; a line on which no report comes for so
#: long is not that of a board with a self-test.
SILENCE = 10


class UnreadableError(Exception):
    """What keeps a board from being read."""


def check_system(device: str) -> None:
    """Refuse a system on which Python has no serial lines."""
    if importlib.util.find_spec("termios") is None:
        raise UnreadableError(
            f"{device}: is read by Python's termios, which this system lacks; use a program for "
            "serial lines"
        )


def open_line(device: str) -> int:
    """The serial line: 115200 baud, 8 bits, no parity, 1 stop bit."""
    check_system(device)
    import termios
    import tty

    try:
        line = os.open(device, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError as error:
        raise UnreadableError(f"{device}: {error.strerror}; is the board plugged in?") from None
    try:
        tty.setraw(line, termios.TCSANOW)
        settings = termios.tcgetattr(line)
        settings[2] |= termios.CLOCAL | termios.CREAD
        settings[4] = settings[5] = termios.B115200
        termios.tcsetattr(line, termios.TCSANOW, settings)
    except termios.error:
        os.close(line)
        raise UnreadableError(f"{device}: is no serial line, as /dev/ttyUSB0 may be") from None
    return line


def part_of(line: int, device: str, until: float, *, waits: bool) -> str:
    """What comes next; refuses to wait longer."""
    left = until - time.monotonic()
    if left <= 0 or not select.select([line], [], [], left)[0]:
        raise UnreadableError(
            f"{device}: waits for other boards; are they joined as the wires say, and was none "
            "loaded again after the others?"
            if waits
            else f"{device}: no report came; is the bitstream loaded, and is this its serial line?"
        )
    try:
        part = os.read(line, 256)
    except OSError as error:
        raise UnreadableError(f"{device}: {error.strerror}; was the board pulled out?") from None
    if not part:
        raise UnreadableError(f"{device}: was closed at the other end")
    return part.decode("ascii", "replace").replace("\r", "")


def watch(device: str, rounds: int = 8, header: str | None = None, silence: float = SILENCE) -> int:
    """Print what comes until so many reports have come; 1 if one of them tells of a failure.

    Parameters
    ----------
    device : str
        The serial line.
    rounds : int
        How many reports to read.
    header : str, optional
        What the board should test, as its reports begin; without, whatever it tests.
    silence : float
        How many seconds a report may take.
    """
    line, text = open_line(device), ""
    count, other, passed, waits = 0, 0, True, False
    try:
        until = time.monotonic() + silence
        while count < rounds:
            part = part_of(line, device, until, waits=waits)
            print(part, end="", flush=True)
            reports, text = taken(text + part)
            for result in reports:
                other += header not in (None, result.header)
                waits = result.waits
                if not waits:
                    until = time.monotonic() + silence
                    passed = passed and result.passed
                    count += 1
            # A single one may be garbled.
            if other > 1:
                raise UnreadableError(f"{device}: the board does not test what was built: {header}")
    finally:
        os.close(line)
    return 0 if passed else 1


def number(text: str) -> int:
    """A number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r}: a number from 1 on is needed")
    return int(text)


def main() -> int:
    """Watch the device that the command line names."""
    parser = OneLineParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("device", metavar="DEVICE", help="for instance /dev/ttyUSB0")
    parser.add_argument("--rounds", type=number, default=8, help="how many reports (default: 8)")
    options = parser.parse_args()
    try:
        return watch(options.device, options.rounds)
    except UnreadableError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
