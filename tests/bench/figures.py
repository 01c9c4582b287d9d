"""How a bench tells what it measured: the figure, the goal, and their ratio."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One measured value; a ratio of at most 1 is within the goal."""

    what: str
    value: float
    goal: float
    unit: str

    def __str__(self) -> str:
        ratio = self.value / self.goal
        return f"{self.what:<44} {self.value:9.2f} {self.unit:<3} goal {self.goal:8.2f}  ratio {ratio:5.2f}"
