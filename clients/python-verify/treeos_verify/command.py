"""The command `treeos-verify`."""

import argparse
import json
import sys
from datetime import datetime, timezone
from pathlib import Path

from .bundle import check_bundle
from .hashes import Key, follows
from .plain_json import Broken, parse
from .receipt import check_receipts

EXIT = {"ok": 0, "broken": 1, "unproven": 3}
USAGE = 2
ABOUT = """Checks an audit bundle (`treeos export`) or receipts (`treeos receipt`) of TreeOS, or that the log of a newer checkpoint begins with that
of an older one. It needs no services, and shares no code with TreeOS.
Exit status: 0 it holds, 1 it is broken, 2 wrong usage, 3 nothing contradicts, and it is not proven."""


def arguments():
    parser = argparse.ArgumentParser("treeos-verify", description=ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", help="a bundle or receipts; the first line says which")
    parser.add_argument("--bundle", metavar="FILE")
    parser.add_argument("--receipt", metavar="FILE", help="one a line, or one")
    parser.add_argument("--checkpoint", metavar="FILE")
    parser.add_argument("--newer", metavar="FILE", help="what the portal answers at /api/open/log/consistency?from=SIZE")
    parser.add_argument("--key", metavar="NAME+KEYID+BASE64", help="of the log that signed it")
    parser.add_argument("--max-age", metavar="SECONDS", type=int, help="of the checkpoint, as the newest entry here says")
    parser.add_argument("--strict", action="store_true", help="what is not proven is not ok")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    files = [one for one in (asked.file, asked.bundle, asked.receipt, asked.checkpoint) if one is not None]
    if len(files) != 1 or (asked.checkpoint is None) != (asked.newer is None):
        parser.error("one file is checked; a checkpoint with --newer")
    return asked


def main():
    sys.setrecursionlimit(10_000)
    asked = arguments()
    try:
        key = None if asked.key is None else Key(asked.key)
        if asked.checkpoint is not None:
            found, text = told_of_checkpoints(read(asked.checkpoint), read(asked.newer), key)
        else:
            data = read(asked.file or asked.bundle or asked.receipt)
            is_receipt = asked.receipt is not None or (asked.bundle is None and b'"payloadType"' in data.split(b"\n", 1)[0])
            found, text = (told_of_receipts if is_receipt else told_of_bundle)(data, key, asked)
    except (OSError, ValueError, Broken) as error:
        print(f"treeos-verify: {error}", file=sys.stderr)
        sys.exit(USAGE)
    print(json.dumps(found, ensure_ascii=False) if asked.json else plain(text))
    sys.exit(EXIT[found["status"]])


def read(file):
    return Path(file).read_bytes()


def plain(text):
    """Names and texts of a file are anybody's: a terminal must not obey them."""
    return "".join(one if one.isprintable() or one == "\n" else f"\\u{{{ord(one):x}}}" for one in text)


def when(milliseconds):
    try:
        return f" at {datetime.fromtimestamp(milliseconds / 1000, timezone.utc).isoformat()}"
    except (TypeError, ValueError, OverflowError, OSError):
        return ""


def told_of_bundle(data, key, asked):
    checked = check_bundle(data, key, asked.strict, asked.max_age)
    bundle, status = checked.bundle, checked.status
    of_moments = [reel for reel in bundle.chains if reel.startswith("moments:")]
    signed = bundle.checkpoint
    found = {
        "reels": len(bundle.chains) - len(of_moments),
        "facts": bundle.counts.get("fact", 0),
        "moments": bundle.counts.get("moment", 0),
        "scope": bundle.scope(),
        "broken": checked.broken(),
        "checkpoint": None if signed is None else told_of_checkpoint(signed, key),
        "covered": None if signed is None else bundle.covered(),
        "erased": [
            dict(zip(("reel", "seq", "what", "by", "why", "at"), one)) for one in (bundle.erased() if status != "broken" else [])
        ],
        "status": status,
        "ok": status == "ok",
        "unproven": [] if status == "broken" else [*bundle.uncovered(), *bundle.unproven()],
    }
    lines = [f"{status}: {found['facts']} facts on {found['reels']} reels, {found['moments']} moments"]
    lines += [f"line {one['line']}: {one['reel']} {one['seq']}: {one['reason']}: {one['what']}" for one in found["broken"]]
    if signed is not None:
        by = ", signed by the key" if key is not None else ""
        lines.append(f"checkpoint of {signed.log[0]} entries{by}: it holds {found['covered']} of these facts and moments")
    for one in found["erased"]:
        by = "" if one["by"] is None else f", by @{one['by']}{when(one['at'])}: {one['why']}"
        lines.append(f"erased: the {one['what']} of {one['reel']} {one['seq']}{by}")
    lines += not_proven(found)
    return found, "\n".join(lines)


def told_of_checkpoint(signed, key):
    heads = None if signed.heads is None else {"size": signed.heads[0], "root": signed.heads[1]}
    return {"origin": signed.origin, "size": signed.log[0], "root": signed.log[1], "heads": heads, "signed": key is not None, "cosigned": []}


def told_of_receipts(data, key, asked):
    text = data.decode("utf-8")
    lines = [line for line in text.split("\n") if line.strip() != ""]
    try:
        parse(text)
        lines = [text]  # one receipt, which may stand on several lines
    except Broken:
        pass
    receipts = [told_of_receipt(*one, key) for one in check_receipts(lines, key, asked.strict, asked.max_age)]
    order = ("broken", "unproven", "ok")
    status = min((one["status"] for one in receipts), key=order.index, default="broken")
    found = receipts[0] if len(receipts) == 1 else {"status": status, "receipts": receipts}
    return found, "\n".join(line for one in receipts for line in shown_receipt(one))


def told_of_receipt(status, verdict, key):
    unproven = ["no key was given: who signed it was not checked"] if key is None and status != "broken" else []
    return {"status": status, "verdict": verdict, "unproven": unproven}


def shown_receipt(found):
    return [f"{found['status']}: {found['verdict'] or 'no verdict follows'}", *not_proven(found)]


def not_proven(found):
    return [f"not proven: {one}" for one in found["unproven"]]


def told_of_checkpoints(older, newer, key):
    holds = follows(older.decode("utf-8"), parse(newer.decode("utf-8")), key)
    status = "ok" if holds else "broken"
    told = "begins with the entries of the older checkpoint" if holds else "does not begin with the entries of the older checkpoint"
    return {"status": status, "ok": holds}, f"{status}: the log of the newer checkpoint {told}"
