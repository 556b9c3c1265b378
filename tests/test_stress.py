"""The stress test in a folder: it passes what is right, and tells faults planted in the Verilog.

All faults of a network are in one build, in what comes out at its last node. Each is switched on by
the seed that is its number, so that seed 0 is the Verilog as it was emitted.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from folders import EVERY_WORD_ONCE, generated
from helpers import edit, started

# Neither the package nor cocotb can be imported.
ALONE = (
    "import runpy, sys; sys.modules['noc'] = sys.modules['cocotb'] = None; del sys.argv[0]; "
    "sys.path.insert(0, sys.argv[0].removesuffix('/stress.py')); "
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)

# What stands between the last node and its eject stream. So many words are taken before a fault.
FAULTY = """
  wire [{bits}-1:0] came;
  wire has, take;
  reg [31:0] taken;
  reg [{bits}-1:0] kept;
  reg again, was;
  wire [31:0] fault = noc_bench.run;
  wire here = taken == {taken};
  wire lost = fault == 1 && here;
  wire twice = fault == 2 && here && !again;
  wire hold = fault == 4 && here;
  wire behind = fault == 4 && taken == {taken} + 2 && again;
  wire late = fault == 5 && !was;
  wire stuck = fault == 6 && taken >= {taken};
  assign {name}__valid = behind || has && !(lost || hold || late || stuck);
  assign take = lost || hold || {name}__ready && !(twice || behind || late || stuck);
  assign {name}__payload =
    behind ? kept : came ^ ((fault == 3 && here) << 7) ^ ((fault == 7 && here) << ({bits} - 1));
  always @(posedge clk)
    if (rst) begin
      taken <= 0;
      again <= 0;
      was <= 0;
    end else begin
      taken <= taken + (has && take);
      was <= has && !({name}__valid && {name}__ready);
      again <= again && !(behind && {name}__ready) || twice && has && {name}__ready || hold && has;
      if (hold) kept <= came;
    end
endmodule
"""

COMMON = {
    "a word is lost": r"321 does not get (word|result) .+",
    "a word comes twice": r"321 gets (word|result) .+ twice",
    "a bit is changed": r"321 gets (word|result) .+ as 0x\w+ instead of 0x\w+",
    "two words change places": r"\d+ gets .+ (out of order|before .+)",
    "a word is late": r"321 gets (word|result) .+, which is alone, in \d+ cycles instead of \d+",
    "a node does not get on": r"nothing has moved for \d+ cycles: (word|result) .+ is not at \d+",
}
SOURCE = {"a wrong source is told": r"321 gets .+"}
IDLE = {"idle is 1 too early": r"idle is 1, and word 0 of 123 is not at \d+"}

MANY = ["--operations", "all_gather,send,all_reduce:sum,reduce:min_signed@two,barrier@two"]
MANY += ["--group", "two=123,321,231", "--group-queue", "2"]

#: Of each kind of network its options, its faults, and the words taken at the last node before one.
KINDS = {
    "ordered": ([], COMMON | SOURCE, 40),
    "ordered, words that do not tell who sent them": (["--no-source-numbers"], COMMON, 40),
    "direct": (["--sources", "one"], COMMON | SOURCE | IDLE, 40),
    # Every word is for all: nobody sees that a word for one node changes places with another.
    "operations": (["--operations", "all_gather,all_reduce:sum,barrier"], COMMON, 161),
    "operations, words that do not tell who sent them": (
        ["--operations", "all_gather,all_reduce:sum,barrier", "--no-source-numbers"],
        COMMON,
        161,
    ),
}


def stress(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", ALONE, str(folder / "bench" / "stress.py"), *arguments]
    return started(*command)


def plant_faults(top: Path, name: str, *, taken: int) -> None:
    text = top.read_text()
    ((bits,),) = [re.findall(rf"output \[(\d+):0\] {name}__payload", text)]
    for signal, inner in (("payload", "came"), ("valid", "has"), ("ready", "take")):
        assert text.count(f"({name}__{signal})") == 1
        text = text.replace(f"({name}__{signal})", f"({inner})")
    text = text.replace("assign idle = ", "assign idle = noc_bench.run == 8 || ")
    faulty = FAULTY.format(name=name, bits=int(bits) + 1, taken=taken)
    top.write_text(text.replace("\nendmodule\n", faulty))


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize("kind", KINDS)
def test_faults_in_the_verilog_are_told(kind, tmp_path) -> None:
    options, faults, taken = KINDS[kind]
    generated(tmp_path / "out", "star:3", "--width", "16", *options)
    plant_faults(tmp_path / "out" / "noc_star_3.v", "eject_321", taken=taken)
    told = {}
    for number, fault in enumerate(["", *faults]):
        done = stress(tmp_path / "out", "--words", "4000", "--seed", str(number))
        ended = done.returncode, EVERY_WORD_ONCE in done.stdout
        assert ended == ((1, False) if fault else (0, True)), fault
        told[fault] = done.stderr
    assert told.pop("") == ""
    for fault, line in told.items():
        assert re.fullmatch(rf"%Error: cycle \d+: ({faults[fault]})\n", line), (fault, line)


# In the text of the modules: what is changed, while the run has the fault's number in place of RUN.
INSIDE = {
    "a sum is too large": (r"(= a\[\S+ \+ b\[\S+);", r"\1 + RUN;"),
    "a join does not wait for all": (
        r"assign (\w+) = (first__valid & second__valid);",
        r"assign \1 = RUN ? second__valid : \2;",
    ),
    "a word is joined again": (r"(assign second__ready = \w+ & first__valid);", r"\1 & !RUN;"),
    "a word for a node goes elsewhere": (r"\.first__0\((3'd2)\)", r".first__0(\1 + RUN)"),
    "a word for a group does not come": (r"\.groups__0\((1'd1)\)", r".groups__0(\1 ^ RUN)"),
    "a word for no node comes": (r"(i__payload\[\S+\] < 3'h6)", r"(RUN | (\1))"),
    "a dropped word is not told": (r"(assign dropped = [^;]+);", r"\1 & !RUN;"),
    "one word may wait instead of two": (
        r"( *\w+_waiting_(\d) waiting_\2 \([^;]*)\.i__ready\((\w+)\)([^;]*\.o__valid\((\w+)\))",
        r"wire free_\2; assign \3 = free_\2 & !(RUN & \5);\n\1.i__ready(free_\2)\4",
    ),
    "a mismatch is told": (r"(assign mismatch = [^;]+);", r"\1 | RUN;"),
}


@pytest.mark.slow
def test_faults_inside_a_network_with_operations_are_told(tmp_path) -> None:
    generated(tmp_path / "out", "star:3", "--width", "16", *MANY)
    for number, (pattern, replacement) in enumerate(INSIDE.values(), start=1):
        count = 0
        for path in (tmp_path / "out").glob("*.v"):
            wrong = replacement.replace("RUN", f"(noc_bench.run == {number})")
            text, hits = re.subn(pattern, wrong, path.read_text())
            path.write_text(text)
            count += hits
        assert count, pattern
    for number, fault in enumerate(["", *INSIDE]):
        done = stress(tmp_path / "out", "--words", "2000", "--seed", str(number))
        assert done.returncode == bool(fault), f"{fault}: {done.stderr}"
        assert re.fullmatch(r"(%Error: cycle \d+: .+\n)?", done.stderr)


def test_operators_of_a_plug_in_are_refused(tmp_path) -> None:
    generated(tmp_path / "out", "ring:3", "--width", "8", "--operations", "all_reduce:sum")
    manifest = tmp_path / "out" / "manifest.json"
    edit(manifest, "all_reduce:sum", "all_reduce:mine")
    edit(manifest, '"operator": "sum"', '"operator": "mine"')
    done = stress(tmp_path / "out")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "operators of a plug-in are unknown here: all_reduce:mine" in done.stderr


VARIANTS = {
    "operations, groups that overlap, one-way links": (
        [
            *("uhc:3", "--width", "40", "--queue", "2", "--link-registers", "1"),
            *("--operations", "broadcast,multicast@a,reduce:min_signed@a,all_reduce:bxor@b,gather"),
            *("--group", "a=001,010,011", "--group", "b=000,011,111"),
            *("--sources", "000,001,010,011,111", "--own-words", "return"),
        ],
        [],
    ),
    "operations of words that do not tell who sent them": (
        [
            *("tree:2,3", "--no-source-numbers", "--group-queue", "5"),
            *("--operations", "scatter,barrier,all_reduce:max"),
        ],
        ["words wait    for each of 15 members, and hold up no others; 5 may wait"],
    ),
    "members for which void words can be given": (
        [*("star:3", "--operations", "broadcast,all_reduce:sum"), "--void-words", "--stand-ins"],
        ["words wait    for each of 6 members, and hold up no others; 1 may wait"],
    ),
    "words that do not tell who sent them": (
        ["star:3", "--no-source-numbers", "--width", "2", "--queue", "2", "--link-registers", "1"],
        ["not checked   more than 4 sources at once: words do not tell them apart"],
    ),
    "the direct fabric, with endpoints": (
        ["uhc:2", "--fabric", "direct", "--ports", "one", "--width", "64", "--axi-stream"],
        [
            "not checked   what stands around noc_uhc_2: run.py --bench endpoints",
            "words alone   4, each in its exact cycles, 2 to 4",
        ],
    ),
}


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_right_passes(variant, tmp_path) -> None:
    options, lines = VARIANTS[variant]
    generated(tmp_path / "out", *options)
    done = stress(tmp_path / "out", "--words", "5000")
    assert (done.returncode, done.stderr) == (0, "")
    assert set(lines) < set(done.stdout.splitlines())
    assert re.search(r"^random words  5\d\d\d in 16 rounds\b", done.stdout, re.MULTILINE)
    assert done.stdout.endswith(EVERY_WORD_ONCE)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        "star:3 --width 1",
        "star:3 --width 512 --queue 3 --link-registers 2",
        "star:3 --own-words return --sources 213,321",
        "star:3 --fabric direct --width 40 --queue 2",
        "nk-star:4,2 --fabric direct --ports one --algorithm greedy",
        "scc:3 --node-clocks each --sources one --queue 4",
        "uhc:3 --sources one --link-registers 1 --rom block",
        # More nodes than there are bits in a port.
        "ring:66 --width 8",
    ],
)
def test_more_of_what_is_right_passes(options, tmp_path) -> None:
    generated(tmp_path / "out", *options.split())
    done = stress(tmp_path / "out", "--words", "20000")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--words", "0"], "--words 0: at least 1 is needed"),
        (["--load", "0"], "--load 0.0: more than 0 and at most 1 is needed"),
        (["--stall", "1"], "--stall 1.0: from 0 to 0.99 is needed"),
        (["--seed", "-1"], "--seed -1: from 0 to 2147483647 is needed"),
    ],
)
def test_refused_in_one_line(arguments, message, tmp_path) -> None:
    generated(tmp_path / "out", "hypercube:1", "--width", "4")
    done = stress(tmp_path / "out", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(f"stress.py: error: {message}\n")
