"""Server-sent events."""

from typing import Dict, Iterable, Iterator, List


def events_in(lines: Iterable[bytes]) -> Iterator[Dict[str, str]]:
    """The events of a stream, with their fields. Comments are left out, and what a cut left of the last event."""
    event: Dict[str, str] = {}
    data: List[str] = []
    for raw in lines:
        if not raw.endswith((b"\n", b"\r")):
            return
        line = raw.decode("utf-8").rstrip("\r\n")
        if line == "":
            if data:
                yield {**event, "data": "\n".join(data)}
            event, data = {}, []
            continue
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            data.append(value)
        elif name in ("event", "id"):
            event[name] = value
