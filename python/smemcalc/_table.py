"""Answers about many launches, as columns."""

from __future__ import annotations

import html
import itertools
import numbers
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

_ANSWERS = ("blocks_per_sm", "registers_per_thread")  # the first column that was not asked
_SHOWN = 10  # rows of a longer table, at its beginning and at its end


class Table(Mapping[str, Sequence[Any]]):
    """Columns of one length, by name: `table["blocks_per_sm"]`.

    The names are those of `smemcalc batch`: sizes are in bytes, percentages 0 to 100. Where numpy
    is installed a column of numbers is an array. A limit that does not apply is NaN, or None
    without numpy.
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self._columns = dict(columns)

    def __getitem__(self, name: str) -> Sequence[Any]:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def row_count(self) -> int:
        """How many launches there are."""
        return len(next(iter(self._columns.values()))) if self._columns else 0

    def rows(self) -> Iterator[Dict[str, Any]]:
        """One dict a launch."""
        for index in range(self.row_count):
            yield {name: column[index] for name, column in self._columns.items()}

    def to_pandas(self) -> Any:
        """A pandas.DataFrame of these columns."""
        import pandas  # type: ignore[import-untyped,unused-ignore]

        return pandas.DataFrame(self._columns)

    def plot(self, y: str = "occupancy_percent", x: Optional[str] = None, ax: Any = None) -> Any:
        """Draws a column over a varied one with matplotlib, and returns the Axes.

        A line for each combination of the other columns that vary: of a sweep of threads and
        registers on two devices, occupancy over threads, a line for each device and register count.
        x   None: the first column that varies and holds numbers
        ax  Axes to draw into; None: those that matplotlib has in use
        """
        if ax is None:
            from matplotlib import pyplot  # type: ignore[import-not-found,unused-ignore]

            ax = pyplot.gca()
        asked = [name for name in itertools.takewhile(lambda name: name not in _ANSWERS, self)
                 if len(set(self[name])) > 1]
        if x is None:
            x = next((name for name in asked if isinstance(self[name][0], numbers.Number)), None)
            if x is None:
                raise ValueError("no number varies: name a column, as in plot(x='threads')")
        places = len(set(self[x]))
        others = [name for name in asked
                  if name != x and len(set(zip(self[x], self[name]))) > places]
        lines: Dict[Tuple[Any, ...], List[int]] = {}
        for index in range(self.row_count):
            lines.setdefault(tuple(self[name][index] for name in others), []).append(index)
        for values, rows in lines.items():
            label = ", ".join(str(value) if isinstance(value, str) else f"{name} {value}"
                              for name, value in zip(others, values))
            ax.plot([self[x][row] for row in rows], [self[y][row] for row in rows], marker=".",
                    label=label or None)
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        if others:
            ax.legend()
        return ax

    def _count(self) -> str:
        return f"{self.row_count} row{'' if self.row_count == 1 else 's'}"

    def _shown(self) -> List[int]:
        count = self.row_count
        if count <= 2 * _SHOWN:
            return list(range(count))
        return [*range(_SHOWN), -1, *range(count - _SHOWN, count)]

    def _cells(self) -> List[List[str]]:
        rows = [list(self._columns)]
        for index in self._shown():
            rows.append(["..." if index < 0 else _text(column[index])
                         for column in self._columns.values()])
        return rows

    def __repr__(self) -> str:
        cells = self._cells()
        widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in cells]
        return "\n".join([*lines, self._count()])

    def _repr_html_(self) -> str:
        head, *body = [[html.escape(cell) for cell in row] for row in self._cells()]
        rows = "".join("<tr><td>" + "</td><td>".join(row) + "</td></tr>" for row in body)
        return ("<table><tr><th>" + "</th><th>".join(head) + f"</th></tr>{rows}</table>"
                f"{self._count()}")


def _text(value: Any) -> str:
    if value is None or value != value:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)
