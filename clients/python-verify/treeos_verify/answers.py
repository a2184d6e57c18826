"""
Answers many questions in one process: `python -m treeos_verify.answers`. Each line of its input is a JSON object, and so is each line of its answer:
  {"bundle": BASE64, "key": KEY or null, "strict": BOOL} -> {"status", "found"}
  with "why": true also "unjudged", by class how many calls were not judged, and "broken", the first fault
  {"receipt": TEXT, "key", "strict"} -> {"status", "verdict"}
  {"checkpoint": NOTE, "newer": ANSWER, "key"} -> {"ok"}
"""

import base64
import json
import sys

from .bundle import check_bundle
from .hashes import Key, follows
from .plain_json import Broken, parse
from .receipt import check_receipt


def answer(asked):
    key = None if asked.get("key") is None else Key(asked["key"])
    strict = asked.get("strict") is True
    if "bundle" in asked:
        checked = check_bundle(base64.b64decode(asked["bundle"]), key, strict)
        more = {"unjudged": checked.bundle.unjudged, "broken": checked.broken()} if asked.get("why") is True else {}
        return {"status": checked.status, "found": checked.found, **more}
    if "receipt" in asked:
        status, verdict = check_receipt(asked["receipt"], key, strict)
        return {"status": status, "verdict": verdict}
    try:
        return {"ok": follows(asked["checkpoint"], parse(asked["newer"]), key)}
    except Broken:
        return {"ok": False}


def main():
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    main()
