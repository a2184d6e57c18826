"""What test/portal/client-python.long.test.ts has the client in Python do. Prints one JSON value."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../clients/python"))
from treeos import Problem, Treeos  # noqa: E402

ada = Treeos(os.environ["TREEOS_URL"], os.environ["TREEOS_TOKEN"])


def refusal():
    try:
        ada.do("no-such", "/")
    except Problem as problem:
        return {"code": problem.code, "status": problem.status, "says": str(problem)}
    return None


def happened():
    journal = ada.journal(being="ada", after=ada_began)
    return [next(journal)["type"] for _ in range(2)]


ada_began = os.environ["TREEOS_AFTER"]
moved = ada.do("move", "/library", key="python")
print(
    json.dumps(
        {
            "me": ada.me()["being"],
            "see": ada.see("/library")["address"]["path"],
            "repeated": ada.do("move", "/library", key="python") == moved,
            "born": ada.be("birth", {"name": "pip", "cognition": "scripted", "script": "echo", "role": "stage:free"})[
                "result"
            ],
            "reply": ada.summon("@pip", "hello", wait_seconds=30)["reply"],
            "refused": refusal(),
            "moments": [moment["n"] for moment in ada.moments("ada")],
            "inbox": list(ada.inbox()),
            "thread": [line["content"] for line in ada.thread(next(ada.threads())["thread"])["lines"]],
            "journal": happened(),
        }
    )
)
