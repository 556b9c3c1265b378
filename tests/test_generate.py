"""The output folder: complete, the same every time, written whole or not at all."""

import json
from pathlib import Path

import pytest

from noc.cli import main
from noc.design import design
from noc.emit.folder import contents, write
from noc.emit.manifest import manifest
from noc.emit.replace import replaced
from noc.networks import network


def test_the_folder_is_the_same_every_time() -> None:
    first, second = (contents(design(network("uhc:3"), width=8)) for _ in range(2))
    assert first == second


def test_the_manifest_names_what_is_there(tmp_path: Path) -> None:
    made = design(network("scc:3"), width=8)
    known = write(made, tmp_path / "out")
    files = {str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.*")}
    assert set(known["files"]) == files
    top = (tmp_path / "out" / f"{known['top']}.v").read_text()
    for node in known["nodes"]:
        for stream in ("inject", "eject"):
            assert set(node[stream]) == {"valid", "ready", "payload"}
            assert all(f"{name}" in top for name in node[stream].values())
    assert all(f"wire {link['valid']};" in top for link in known["links"])


def check_certificate(folder: dict[str, str]) -> None:
    """A checker of its own: it reads the two JSON files and nothing else."""
    known, program = (json.loads(folder[name]) for name in ("manifest.json", "program.json"))
    level = {n["label"]: row for n, row in zip(known["nodes"], known["certificate"], strict=True)}
    router = {node["label"]: program["routers"][node["router"]] for node in known["nodes"]}
    leads = {(link["from"], link["out_port"]): link["to"] for link in known["links"]}
    for label, table in router.items():
        for entry in table["codes"]:
            for send in entry["sends"]:
                there = leads[label, send["port"]]
                far = router[there]["codes"][send["code"]]["class"]
                assert level[label][entry["class"]] > level[there][far], (label, there)


@pytest.mark.parametrize("spec", ["star:3", "scc:3", "uhc:5", "nk-star:4,2"])
def test_the_certificate_can_be_checked_apart(spec: str) -> None:
    check_certificate(contents(design(network(spec), width=8)))


def test_a_wrong_certificate_is_noticed() -> None:
    folder = contents(design(network("star:3"), width=8))
    known = json.loads(folder["manifest.json"])
    known["certificate"][0] = [0] * known["classes"]
    with pytest.raises(AssertionError):
        check_certificate({**folder, "manifest.json": json.dumps(known)})


def test_latencies_stand_in_the_manifest() -> None:
    known = manifest(design(network("star:3"), width=8), [])
    assert [known[f"{name}_cycles"] for name in ("inject", "hop", "eject")] == [1, 1, 0]


REFUSED = [
    (["star:4", "-o", "missing/out"], "-o missing/out: there is no directory missing"),
    (["star:4", "-o", "occupied"], "-o occupied: is not empty and was not written by noc generate"),
    (["star:4", "-o", "file"], "-o file: is a file"),
    (["star:4", "-o", "nowhere"], "-o nowhere: is a link that leads nowhere"),
    (["star:4", "-o", "other"], "-o other: is not empty and was not written by noc generate"),
    (["star:4", "-o", "half"], "-o half: is not empty and was not written by noc generate"),
    (["star:4", "-o", "mixed"], "-o mixed: noc generate did not write sub/notes there; move"),
    (["star:4", "-o", "out", "--width", "0"], "--width 0: from 1 to 512"),
    (["star:4", "-o", "out", "--width", "wide"], "'wide' is no whole number"),
    (["star:4", "-o", "out", "--sources", "some"], "--sources"),
    (["star:4", "-o", "out", "--algorithm", "bt2"], "not defined on star:4"),
]


# Of another program, cut off, and ours with a file of the user's beside it.
MANIFESTS = {
    "other": '{"name": "an extension", "files": ["sub/notes"]}',
    "half": '{"generator": "arbornoc 0.1", "fil',
    "mixed": '{"generator": "arbornoc 0.1", "files": ["manifest.json"]}',
}


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_refused_and_nothing_written(
    capsys, tmp_path: Path, monkeypatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "occupied").mkdir()
    (tmp_path / "occupied" / "work").write_text("mine")
    (tmp_path / "nowhere").symlink_to("gone")
    for name, text in MANIFESTS.items():
        (tmp_path / name / "sub").mkdir(parents=True)
        (tmp_path / name / "manifest.json").write_text(text)
        (tmp_path / name / "sub" / "notes").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    try:
        status = main(["generate", *arguments])
    except SystemExit as stop:
        status = int(stop.code or 0)
    err = capsys.readouterr().err
    assert (status, err.count("\n")) == (2, 1)
    assert message in err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_of_before_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write(design(network("star:3"), width=8), folder)
    write(design(network("uhc:3"), width=8), folder)
    assert not list(folder.glob("noc_star*"))
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_keeps_its_place_and_what_running_the_bench_left_goes(tmp_path: Path) -> None:
    folder, link = tmp_path / "out", tmp_path / "link"
    folder.mkdir()
    link.symlink_to(folder)
    place = folder.stat().st_ino
    write(design(network("star:3"), width=8), folder)
    (folder / "bench" / "build").mkdir()
    (folder / "bench" / "build" / "log").write_text("old")
    known = write(design(network("star:3"), width=16), link)
    assert known["width"] == 16
    assert (folder.stat().st_ino, link.is_symlink()) == (place, True)
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert files == set(known["files"])


@pytest.mark.parametrize("moves", range(6))
def test_what_fails_at_the_end_leaves_all_as_it_was(tmp_path: Path, monkeypatch, moves) -> None:
    def content() -> dict[str, str]:
        paths = [path for path in tmp_path.rglob("*") if path.is_file()]
        return {str(path.relative_to(tmp_path)): path.read_text() for path in paths}

    folder = tmp_path / "out"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / name).write_text("before")
    before, rename, left = content(), Path.rename, [moves]

    def failing(self: Path, target: Path) -> Path:
        left[0] -= 1
        if left[0] == -1:
            raise OSError("no more")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OSError, match="no more"):
        fill(folder)
    assert content() == before


def fill(folder: Path) -> None:
    with replaced(folder) as staging:
        for name in ("b", "c", "d"):
            (staging / name).write_text("after")
