"""A table as Parquet, for programs that read large ones."""

from collections.abc import Sequence
from pathlib import Path

from noc.errors import InputError, option
from noc.sweep.table import COLUMNS, Row

__all__ = ["check_parquet", "write_parquet"]


def check_parquet(path: Path) -> None:
    """Refuse, before anything is measured, what cannot be written."""
    try:
        import pyarrow  # noqa: F401 - only whether it is there
    except ImportError:
        raise InputError(
            f"{option('parquet', path)}: pyarrow is missing: pip install pyarrow"
        ) from None
    if not path.parent.is_dir():
        raise InputError(f"{option('parquet', path)}: there is no directory {path.parent}")


def write_parquet(path: Path, rows: Sequence[Row]) -> None:
    """Write the rows; columns that hold numbers only are columns of numbers."""
    import pyarrow
    from pyarrow import parquet

    used = [name for name in COLUMNS if any(row[name] for row in rows)]
    table = pyarrow.table({name: _column([row[name] for row in rows]) for name in used})
    parquet.write_table(table, path)


def _column(entries: list[str]) -> list[int | None] | list[float | None] | list[str | None]:
    """Whole numbers, numbers or texts; nothing where an entry is empty."""
    for kind in (int, float):
        try:
            return [kind(entry) if entry else None for entry in entries]
        except ValueError:
            continue
    return [entry or None for entry in entries]
