"""Trajectory files: every game complete, in one `.npz` that numpy reads.

    actions   int16[G, L]    padded with -1; L is the length of the longest game
    players   int8[G, L]     who acted
    lengths   int32[G]       steps
    rewards   float32[G, P]  returns
    deck      int16[G, n]    single deals: the order of the cards; and `table_<keyword>` [G] for
                             what else chance decided, e.g. `table_leader`
    key       uint32[G, 2]   matches, instead of the deck: all deals follow from it
    meta      JSON           versions, game, rules and their hash, seed

Writing needs no more memory than one batch: rows go to raw files in a folder beside the target; at
the end they are strung together into one file, which then takes the target's name. Reading one game
reads one row of each array.
"""

import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from talonax.cli.errors import UsageError

SUFFIX = ".npz"
FORMAT = 1
#: Bytes that are copied at a time.
CHUNK = 1 << 22
#: Arrays whose rows are as long as the longest game.
BY_STEP = ("actions", "players")
NEEDED = ("actions", "players", "lengths", "rewards", "meta")
NEEDED_META = ("versions", "game", "version", "profile", "rules", "rules_hash", "policies")

Array = np.ndarray[Any, Any]


class Writer:
    """Takes batches of rows, and makes one file of them.

    Attributes:
      target: the file to be.
    """

    def __init__(self, target: Path, folder: Path) -> None:
        self.target = target
        self._folder = folder
        self._files: dict[str, IO[bytes]] = {}
        self._rows: dict[str, tuple[np.dtype[Any], tuple[int, ...]]] = {}

    def append(self, arrays: Mapping[str, Array]) -> None:
        """Write the rows of one batch: arrays [B, ..], the same names and row shapes every time."""
        for name, rows in arrays.items():
            if name not in self._files:
                self._files[name] = (self._folder / name).open("wb")
                self._rows[name] = rows.dtype, rows.shape[1:]
            self._files[name].write(rows.tobytes())

    def assemble(self, games: int, longest: int, meta: Mapping[str, Any]) -> None:
        """Make the file of the first `games` rows; `longest` is the length of the longest game."""
        for file in self._files.values():
            file.close()
        whole = self._folder / "whole"
        with zipfile.ZipFile(whole, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
            for name, (dtype, shape) in self._rows.items():
                keep = min(longest, shape[0]) if name in BY_STEP else None
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    _header(member, dtype, (games, *shape) if keep is None else (games, keep))
                    for rows in self._read(name, games):
                        kept = rows if keep is None else rows[:, :keep]
                        member.write(kept.tobytes())
            with archive.open("meta.npy", "w") as member:
                npy.write_array(member, np.array(json.dumps(dict(meta))), allow_pickle=False)
        os.replace(whole, self.target)

    def _read(self, name: str, games: int) -> Iterator[Array]:
        dtype, shape = self._rows[name]
        width = dtype.itemsize * int(np.prod(shape, dtype=int))
        at_once = max(1, CHUNK // width)
        with (self._folder / name).open("rb") as file:
            for start in range(0, games, at_once):
                number = min(at_once, games - start)
                yield np.frombuffer(file.read(number * width), dtype).reshape(number, *shape)

    def close(self) -> None:
        """Remove everything but the target."""
        for file in self._files.values():
            file.close()
        shutil.rmtree(self._folder, ignore_errors=True)


@contextmanager
def writing(target: Path) -> Iterator[Writer]:
    """Open a writer; its raw files are removed at the end, whatever happens.

    Raises:
      UsageError: `target` is no .npz, is a folder, or its folder is missing or cannot be written;
        or writing failed later on, e.g. for want of space.
    """
    if target.suffix != SUFFIX:
        raise UsageError(f"--out {target}: the name must end in {SUFFIX}")
    if target.is_dir():
        raise UsageError(f"--out {target}: is a folder")
    try:
        folder = tempfile.mkdtemp(prefix=f"{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise UsageError(f"--out {target}: {target.parent}: {error.strerror}") from None
    writer = Writer(target, Path(folder))
    try:
        yield writer
    except OSError as error:
        raise UsageError(f"--out {target}: {error.strerror or error}") from None
    finally:
        writer.close()


def _header(member: IO[bytes], dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    described = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    npy.write_array_header_1_0(member, described)


@dataclass(frozen=True)
class Recorded:
    """One game of a file.

    Attributes:
      actions: in order.
      players: who acted.
      rewards: returns, by seat.
      chance: `deck` or `key`, and the `table_<keyword>` values.
    """

    actions: list[int]
    players: list[int]
    rewards: list[float]
    chance: dict[str, Array]


class Reader:
    """Reads single games of a file.

    Attributes:
      path: the file.
      meta: what the file says of itself.
      games: how many games are in it.
    """

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self.path = path
        self._archive = archive
        self._names = [name.removesuffix(".npy") for name in archive.namelist()]
        missing = [name for name in NEEDED if name not in self._names]
        if missing:
            raise UsageError(f"{path}: no trajectory file: it has no {', '.join(missing)}")
        with archive.open("meta.npy") as member:
            self.meta: dict[str, Any] = json.loads(str(npy.read_array(member, allow_pickle=False)))
        missing = [name for name in NEEDED_META if name not in self.meta]
        if missing:
            raise UsageError(f"{path}: no trajectory file: its meta has no {', '.join(missing)}")
        self.games = self._shape("lengths")[0]

    def game(self, number: int) -> Recorded:
        """Return one game; only its rows are read.

        Raises:
          UsageError: there is no such game.
        """
        if not 0 <= number < self.games:
            raise UsageError(f"--game {number}: {self.path} holds games 0 .. {self.games - 1}")
        row = {name: self._row(name, number) for name in self._names if name != "meta"}
        length = int(row["lengths"])
        return Recorded(
            actions=row["actions"][:length].tolist(),
            players=row["players"][:length].tolist(),
            rewards=row["rewards"].tolist(),
            chance={
                name: value
                for name, value in row.items()
                if name in ("deck", "key") or name.startswith("table_")
            },
        )

    def _shape(self, name: str) -> tuple[int, ...]:
        with self._archive.open(f"{name}.npy") as member:
            return _read_header(member)[0]

    def _row(self, name: str, number: int) -> Array:
        with self._archive.open(f"{name}.npy") as member:
            shape, dtype = _read_header(member)
            width = dtype.itemsize * int(np.prod(shape[1:], dtype=int))
            member.seek(member.tell() + number * width)
            return np.frombuffer(member.read(width), dtype).reshape(shape[1:])


def _read_header(member: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = npy.read_magic(member)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read(member)
    return shape, dtype


@contextmanager
def reading(path: Path) -> Iterator[Reader]:
    """Open a file of trajectories.

    Raises:
      UsageError: it is missing or is no trajectory file.
    """
    if not path.is_file():
        raise UsageError(f"{path}: {'is a folder' if path.is_dir() else 'no such file'}")
    try:
        with zipfile.ZipFile(path) as archive:
            yield Reader(path, archive)
    except (zipfile.BadZipFile, ValueError, EOFError, OSError) as error:
        raise UsageError(f"{path}: no trajectory file: {error}") from None
