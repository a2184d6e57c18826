"""What a moment says of itself: its contents have the digests in its record."""

import re

from .forms import has_form
from .hashes import act_hash, is_hash, salted_hash, value_hash
from .heads import is_heads
from .plain_json import ABSENT, at, given, is_count, items, need, same


def effect_digests(effect):
    salt, request, result = (given(effect, key) for key in ("salt", "request", "result"))
    need(is_hash(salt), "an effect without a salt", "effect-mismatch")
    return {"request": salted_hash(salt, request), "result": None if result is None else salted_hash(salt, result)}


def check_header(header, reel, seq):
    """Of its form, and of this place."""
    need(has_form("header", header), "a header of another form", "header-mismatch")
    need(header["reel"] == reel and same(header["seq"], seq), "a header of another place", "header-mismatch")


def check_forms(moment, noted=None):
    for part in ("record", "open", "decision", "effect"):
        need(has_form(part, moment[part]), f"a {part} of another form", f"{part}-mismatch")
    need(has_form("noted", noted), "it noted something of another form", "open-mismatch")
    check_wake(moment["open"], moment["record"]["being"], given(moment["record"], "outcome"))
    check_mind(moment["open"], moment["decision"])


def check_mind(opened, decision):
    """A call that a model decided names the model, and nothing else does."""
    kind, own = opened["wake"]["kind"], opened["wake"]["id"]
    holds_call = kind == "act" or (kind == "event" and own.startswith(("approved/", "read/")))
    is_models = opened["cognition"]["kind"] == "llm" and not holds_call
    is_named = at(decision, "model") is not ABSENT
    need(is_models or not is_named, "it names a model, and no model decided", "decision-mismatch")
    need(is_named or not is_models or at(decision, "kind") != "call", "a model decided, and it is not named", "decision-mismatch")


NAME = "[a-z][a-z0-9-]{0,31}"
MOMENT = NAME + "/[0-9]+/[0-9]+"
EVENTS = (
    "(continue|look|refused|read|approved|denied|expired|idle)/{me}/[0-9]+/[0-9]+",
    "schedule/{me}/[^/]+/[^/]+",
    "change/({moment}|[0-9a-f]{{64}})/{me}",
    "(awakened|notice)/{moment}/{me}",
    "parked/{moment}",
    "(spent|looked|repeated)/{name}/.+",
    "(chain-spent|unanswered)/.+",
)
IDS = {"act": ("act/[^/]+",), "summon": ("{moment}", "[^/]+"), "event": EVENTS}


def check_wake(opened, being, outcome):
    """What woke it is one of what there is, and a person decides by an act of its own or by the yes to one."""
    kind, own = opened["wake"]["kind"], opened["wake"]["id"]
    forms = (form.format(me=re.escape(being), moment=MOMENT, name=NAME) for form in IDS[kind])
    need(any(re.fullmatch(form, own, re.DOTALL) for form in forms), "nothing of this kind wakes it by this id", "open-mismatch")
    is_persons = opened["cognition"]["kind"] == "human" or given(opened, "driver") is not None
    is_own = kind == "act" or (kind == "event" and own.startswith("approved/"))
    is_over = given(opened, "ended") is True
    need(not is_over or outcome != "act", "it acted after its being was ended", "open-mismatch")
    need(is_own or not is_persons or is_over, "a person decided it, by no act", "open-mismatch")


def is_first_being(reel, said):
    """The operator alone is a person, and without a maker."""
    is_operator = reel == "being:operator"
    is_person = at(at(said, "cognition"), "kind") == "human"
    return said is None or (is_person == is_operator and (given(said, "parent") is None) == is_operator)


def is_brought(reel, said):
    """A role of TreeOS or of an extension; beings write the others."""
    if reel != "registry" or said is None:
        return reel == "registry"
    name, origin = str(at(said, "name")), at(said, "origin")
    return ":" not in name if origin == "seed" else name.startswith(f"{origin}:")


FIRST = {
    "being:born": is_first_being,
    **dict.fromkeys(("being:bore", "space:created", "space:opened", "space:entered"), lambda reel, said: True),
}
MOMENTLESS = {
    "role:set": is_brought,
    "role:deleted": lambda reel, _: reel == "registry",
    "registry:installed": lambda reel, _: reel == "registry",
    "registry:used": lambda reel, _: reel == "registry",
    "being:released": lambda reel, _: reel.startswith("being:"),
    "approval:expired": lambda reel, _: reel.startswith("approval:"),
    "signal:published": lambda reel, _: reel == "world:model",
    "quality:set": lambda reel, said: reel == "space:/" and (said is None or items(said, "path")[:1] == ["budget"]),
    "reality:made": lambda reel, _: reel == "space:/",
    "reality:forked": lambda reel, _: reel == "space:/",
    "reality:restored": lambda reel, _: reel == "space:/",
}


class Momentless:
    """Facts that no moment wrote, told among all facts of a file, each reel in order."""

    def __init__(self):
        self.lived, self.written = set(), set()  # reels on which moments wrote, and roles that beings wrote

    def take(self, header, payload):
        """Says whether it is of the beginning of the reality."""
        kind, reel = header["kind"], header["reel"]
        role = at(payload, "name") if kind.startswith("role:") else ABSENT
        if type(header["moment"]) is str:
            self.lived.add(reel)
            if type(role) is str:
                self.written.add(role)
            return False
        nobodys = all(header[field] is None for field in ("driver", "cause", "stack"))
        need(header["actor"] == "$reality" and nobodys, "no moment wrote it, and somebody did", "header-mismatch")
        may = FIRST.get(kind) or MOMENTLESS.get(kind)
        need(may is not None and may(reel, payload), "nobody writes such a fact without a moment", "header-mismatch")
        need(kind not in FIRST or reel not in self.lived, "it is of the beginning, and comes later", "header-mismatch")
        need(type(role) is not str or role not in self.written, "a being wrote this role", "header-mismatch")
        return kind in FIRST


def check_moment(moment, heads):
    record, opened = given(moment, "record"), given(moment, "open")
    need(is_heads(given(record, "facts")), "no heads", "facts-mismatch")
    decision, salt, effect = (given(moment, key) for key in ("decision", "salt", "effect"))
    need(type(record) is dict, "no record", "record-mismatch")
    need(same(at(opened, "moment"), at(record, "moment")) and same(at(opened, "n"), at(record, "n")), "another open record", "open-mismatch")
    need(value_hash(opened) == at(record, "open"), "another open record", "open-mismatch")
    check_id(record)
    basis, judged = heads.digests
    need(basis == at(opened, "basis"), "another basis", "basis-mismatch")
    for head in items(opened, "heads"):
        own = heads.basis.get(head[0]) if type(head) is list and head else None
        need(own is None or same(head, own), "another head than its basis", "basis-mismatch")
    is_gone = salt is None and decision is None
    need(is_gone or (decision is not None and is_hash(salt) and salted_hash(salt, decision) == at(record, "decision")), "another decision", "decision-mismatch")
    need(same(given(record, "judged"), judged), "judged from elsewhere", "judged-mismatch")
    if effect is not None:
        need(same(at(record, "effect"), effect_digests(effect)), "another effect", "effect-mismatch")
    law = at(record, "law")
    need(is_count(law) and law > 0, "it does not name its law", "record-mismatch")
    need(all(field not in record or is_hash(record[field]) for field in ("sends", "refusal")), "no digest", "record-mismatch")
    stack = given(record, "stack")
    need(same(at(record, "stackDigest"), None if stack is None else value_hash(stack)), "another stack", "record-mismatch")
    check_act(record)


def life_of(record):
    return int(record["moment"].split("/")[1])


def check_id(record):
    """Being, life and number; and a wake unless a younger life closed it."""
    form = f"{re.escape(str(at(record, 'being')))}/[1-9][0-9]{{0,14}}/{at(record, 'n')}"
    need(type(at(record, "moment")) is str and re.fullmatch(form, record["moment"]), "an id of another moment", "record-mismatch")
    is_closed = (at(record, "outcome"), at(record, "reason")) == ("skipped", "superseded")
    need((at(record, "wake") is None) == is_closed, "no wake", "record-mismatch")


LAW = 1


def is_known_law(record):
    return same(given(record, "law"), LAW)


def check_act(record):
    facts = [str(ref[2]) if type(ref) is list else "" for ref in items(record, "facts")]
    decision = given(record, "decision")
    act = act_hash(record["moment"], "" if decision is None else decision, facts)
    need(same(at(record, "act"), act if at(record, "outcome") == "act" else None), "another act", "act-mismatch")


def gone_from(moment):
    """What its record holds the digest of, and is not there."""
    record = moment["record"]
    if record.get("decision") is not None and moment["decision"] is None and moment["salt"] is None:
        yield "decision"
    if "effect" in record and moment["effect"] is None:
        yield "effect"


def contents_of(moment):
    """The digests of contents that it names, each with the form that it has to have."""
    record, opened, stack = moment["record"], moment["open"], given(moment["record"], "stack")
    yield ("program", given(opened, "program"))
    yield from (("manifest", given(part, "code")) for part in (opened, record))
    yield from (("spec", given(role, "digest")) for role in [given(stack, "primary"), *items(stack, "stacked")])


def shown_to(moment):
    """The facts that its face showed: words, own acts, what it recalled."""
    aside = ("noted", "aside")
    return items(moment, *aside, "said", "facts") + items(moment, *aside, "did") + items(moment, *aside, "past", "facts")


def cited_by(moment):
    """The facts that it wrote, those that it cites, its cause, and the digests of its contents."""
    record, opened = moment["record"], moment["open"]
    digests = [digest for _, digest in contents_of(moment)]
    cited = items(moment, "basis") + items(moment, "judged") + shown_to(moment)
    return (items(record, "facts"), cited, given(opened, "wake", "cause"), [one for one in digests if type(one) is str])


REASONS_BESIDE = {
    "thread": ("RESOURCE_CONFLICT",),
    "inbox": ("RESOURCE_CONFLICT", "RATE_LIMITED"),
    "lease": ("FORBIDDEN",),
    "erasing": ("RESOURCE_CONFLICT",),
    "storage": ("FORBIDDEN", "INTERNAL"),
    "count": ("RESOURCE_CONFLICT",),
}


def check_ungated(record):
    """A decision that no gate was asked about comes to nothing: code of a role was not loaded, or a condition beside the gates refused it."""
    is_unloaded = record["promptDigest"] is None
    if record["decision"] is None or not (is_unloaded or "beside" in record):
        return
    is_refused = record["outcome"] == "failure" and record["by"] == [] and "shadow" not in record
    reasons = ("ROLE_UNAVAILABLE", "BEING_ENDED") if is_unloaded else REASONS_BESIDE.get(record["beside"])
    need(is_refused and (reasons is None or record["reason"] in reasons), "no gate was asked, and it came to something", "outcome-mismatch")


def may_be_unloaded(moment, content_of):
    """Whether it stays open that code of a role was not loaded. Not where the manifest shows that its extension was not there."""
    record, opened = moment["record"], moment["open"]
    roles = [given(record["stack"], "primary"), *items(record["stack"], "stacked")]
    of_code = [role["name"] for role in roles if ":" in role["name"] or type(given(content_of(role["digest"]), "prompt")) is dict]
    need(of_code, "code of its role was not loaded, and none of its roles has code", "law-mismatch")
    loaded = given(content_of(given(record, "code") or given(opened, "code")), "extensions")
    return not (type(loaded) is dict and any(name.split(":")[0] not in loaded for name in of_code))
