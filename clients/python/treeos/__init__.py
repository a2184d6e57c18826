"""The HTTP API of a TreeOS reality."""

from .client import Problem, Treeos

__all__ = ["Problem", "Treeos"]
