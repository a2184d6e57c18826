"""What was asked of the outside follows from the call, its key also from what woke the moment."""

import re

from .hashes import is_hash, value_hash
from .law.names import written
from .plain_json import at, given, need, same

CONTINUATIONS = ("continue/", "look/", "refused/", "read/", "approved/", "denied/", "expired/")
OF_MOMENT = re.compile(r"[^/]+/([^/]+)/[0-9]+/([0-9]+)(?:/|\Z)")


def no_hash(*_):
    return None


def check_effect_key(moment, reality, moment_hash=no_hash, last_yes=no_hash):
    """`moment_hash(being, n)` and `last_yes(reel)` say what is here; None for what is not."""
    request, wake = given(moment, "effect", "request"), given(moment, "open", "wake")
    if request is None or (given(request, "cause") is None and given(request, "key") is None):
        return
    cause = given(request, "cause")
    need(is_due(cause, wake, moment_hash, last_yes), "an effect of another cause", "effect-mismatch")
    call = {field: request[field] for field in ("operation", "actor", "target", "args")}
    need(at(request, "key") == value_hash({"reality": reality, **call, "cause": cause}), "another key of its effect", "effect-mismatch")


def check_effect_call(moment, manifest):
    """What was asked is the call that was decided. `manifest` is None where it is not here."""
    request, call = given(moment, "effect", "request"), given(moment, "decision", "call")
    if request is None or moment["decision"] is None:
        return
    need(given(call, "verb") in ("do", "be"), "it asked the outside, and called no operation", "effect-mismatch")
    if call["operation"] == "mediate" or given(manifest, "operations", call["verb"], call["operation"], "mediates") is True:
        return
    if request["operation"] != call["operation"]:
        need(manifest is None, "it asked the outside for another operation", "effect-mismatch")
        return
    need(request["actor"] == moment["record"]["being"], "another being asked the outside", "effect-mismatch")
    need(same(request["args"], call["args"]), "other arguments than those of its call", "effect-mismatch")
    named = given(call, "target")
    need(named in (None, "~") or request["target"] == written("canSee", named, "/"), "of another target", "effect-mismatch")


def is_due(cause, wake, moment_hash, last_yes):
    is_event, own = wake["kind"] == "event", {"wake": wake["id"]}
    if is_event and wake["id"].startswith("approved/"):
        return is_of("yes", cause, last_yes("approval:" + wake["id"][len("approved/") :]))
    if wake["cause"] is not None and not (is_event and wake["id"].startswith(CONTINUATIONS)):
        return same(cause, {"fact": wake["cause"]})
    found = OF_MOMENT.match(wake["id"]) if is_event else None
    if found is None:
        return same(cause, own)
    due = moment_hash(found[1], int(found[2]) - (1 if wake["id"].startswith("idle/") else 0))
    return is_of("moment", cause, due, own) or (due is None and same(cause, own))


def is_of(kind, cause, due, beside=None):
    said = given(cause, kind)
    return same(cause, {kind: said, **(beside or {})}) and (is_hash(said) if due is None else said == due)
