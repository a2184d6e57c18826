"""Rows: what the facts of a reel say of one thing, after each of them. docs/formats.md, "Rows"."""

from bisect import bisect_right

from ..origin import marks_after
from ..plain_json import ABSENT, at, given, same
from ..states import set_path

REGISTRY = "registry"
KEPT = 1000


def born(_, fact):
    said = fact.payload
    by = {"flowBy": given(said, "parent") or said["name"]} if "roleFlow" in said["qualities"] else {}
    return {**said, **by, "space": str(given(said, "home")), "bornAt": fact.at}


def placed(row, said):
    rest = without(row, "coord")
    return rest if at(said, "coord") is ABSENT else {**rest, "coord": said["coord"]}


def without(row, *names):
    return {key: one for key, one in row.items() if key not in names}


def moved_being(row, fact):
    return {**placed(row, fact.payload), "space": str(given(fact.payload, "to"))}


def moved_thing(row, fact):
    return {**placed(row, fact.payload), "place": str(given(fact.payload, "to"))}


def budgeted(row, fact):
    budget = given(fact.payload, "budget") or {}
    return {**row, "budget": {**budget, "revision": (row.get("budget") or {}).get("revision", 0) + 1}}


def inhabited(row, fact):
    lease = {name: given(fact.payload, name) for name in ("epoch", "by", "under")}
    return {**row, "inhabited": lease | ({"own": True} if at(fact.payload, "own") is True else {})}


def released(row, _):
    return {**row, "inhabited": {"epoch": (row.get("inhabited") or {}).get("epoch", 0), "by": None, "under": None}}


def quality(row, fact):
    said = fact.payload
    tree = set_path(row.get("qualities", {}), given(said, "path") or [], given(said, "value"), at(said, "merge") is not False)
    is_flow = (given(said, "path") or [])[:1] == ["roleFlow"] and fact.reel.startswith("being:")
    return {**row, "qualities": tree} | ({"flowBy": fact.actor} if is_flow else {})


def held(row, fact):
    hold = {"why": str(given(fact.payload, "why")), "at": fact.at}
    return {**row, "holds": {**row.get("holds", {}), str(given(fact.payload, "name")): hold}}


def lifted(row, fact):
    holds = without(row.get("holds", {}), str(given(fact.payload, "name")))
    return without(row, "holds") | ({"holds": holds} if holds else {})


def created(_, fact):
    said = fact.payload
    path = str(given(said, "path"))
    row = {"path": path, "name": "/" if path == "/" else path.rpartition("/")[2], "type": str(given(said, "type"))}
    row |= {"owner": given(said, "owner"), "qualities": given(said, "qualities") or {}, "createdAt": fact.at}
    return row | {name: said[name] for name in ("size", "coord") if name in said}


def resized(row, fact):
    size = given(fact.payload, "size")
    rest = without(row, "size")
    return {**rest, "size": size} if type(size) is dict else rest


def with_member(row, field, name, is_in):
    others = [one for one in row.get(field, []) if one != name]
    now = sorted([*others, name]) if is_in else others
    rest = without(row, field)
    return {**rest, field: now} if now else rest


def contributed(is_in):
    return lambda row, fact: with_member(row, "contributors", str(given(fact.payload, "being")), is_in)


def namespace(row, fact):
    if row is not None:
        return row
    owner = given(fact.payload, "owner")
    return {"namespace": given(fact.payload, "namespace"), "owner": fact.actor if owner is None else owner, "values": {}}


def published(row, fact):
    said = fact.payload
    values = set_path({} if row is None else row["values"], given(said, "key") or [], given(said, "value"), False)
    return {**namespace(row, fact), "values": values}


def granted(is_in):
    return lambda row, fact: with_member(namespace(row, fact), "publishers", given(fact.payload, "being"), is_in)


def role_set(row, fact):
    said = fact.payload
    spec = given(said, "spec")
    role = {"name": str(given(said, "name")), "digest": str(given(said, "digest")), "origin": str(given(said, "origin"))}
    role |= {"author": fact.actor if row is None else row["author"], "deleted": False, "at": fact.at}
    role["requiredCognition"] = given(spec, "requiredCognition")
    if type(at(spec, "triggerOn")) is list:
        role["triggerOn"] = spec["triggerOn"]
    return role


def made_thing(_, fact):
    return {**fact.payload, "origin": "owned", "createdAt": fact.at}


def cut(_, fact):
    return {"thread": str(given(fact.payload, "thread")), "cutBy": fact.actor, "at": fact.at}


def asked(row, fact):
    if row is not None:
        return row
    more = {"id": fact.reel.partition(":")[2], "asker": fact.actor, "at": fact.at}
    return {**fact.payload, **more, "given": [], "revision": 1, "state": "open"}


def said_yes(row, fact):
    if row["state"] != "open":
        return row
    call = given(fact.payload, "call")
    is_same = same(call, row["call"])
    yes = [*(row["given"] if is_same else []), {"by": fact.actor, "at": fact.at}]
    after = {**row, "call": call, "revision": row["revision"] + (0 if is_same else 1), "given": yes}
    after["ties"] = {**row["ties"], "call": given(fact.payload, "digest")}
    by = {one["by"] for one in yes}
    is_given = all(len([who for who in rule["who"] if who in by]) >= rule["count"] for rule in row["rules"])
    return {**after, "state": "given" if is_given else "open"}


def ends(before, after):
    return lambda row, _: {**row, "state": after} if row["state"] == before else row


def is_amount(value):
    return type(value) in (int, float) and value >= 0


def counted(row, fact):
    amounts = given(fact.payload, "amounts")
    amounts = {name: one for name, one in amounts.items() if is_amount(one)} if type(amounts) is dict else {}
    act = (fact.at, amounts, at(fact.payload, "failed") is not True)
    return {"acts": [*([] if row is None else row["acts"]), act]}


# Kinds that make a row, and those that change one that is there.
MAKE = {
    "being:born": born,
    "space:created": created,
    "signal:published": published,
    "signal:granted": granted(True),
    "signal:revoked": granted(False),
    "role:set": role_set,
    "matter:created": made_thing,
    "thread:cut": cut,
    "approval:asked": asked,
    "tally:counted": counted,
}
CHANGE = {
    "being:moved": moved_being,
    "being:budgeted": budgeted,
    "being:bounded": lambda row, fact: {**row, "ceiling": given(fact.payload, "ceiling")},
    "being:role-set": lambda row, fact: {**row, "defaultRole": given(fact.payload, "role")},
    "being:parked": lambda row, fact: {**row, "parked": given(fact.payload, "breach")},
    "being:inhabited": inhabited,
    "being:released": released,
    "being:unparked": lambda row, _: without(row, "parked"),
    "being:paused": lambda row, fact: {**row, "paused": fact.at},
    "being:resumed": lambda row, _: without(row, "paused"),
    "being:ended": lambda row, fact: {**row, "ended": fact.at},
    "quality:set": quality,
    "space:resized": resized,
    "space:contributor-added": contributed(True),
    "space:contributor-removed": contributed(False),
    "matter:moved": moved_thing,
    "matter:written": lambda row, fact: {**row, "content": given(fact.payload, "content")},
    "matter:ended": lambda row, _: {**row, "place": None},
    "approval:given": said_yes,
    "approval:denied": ends("open", "denied"),
    "approval:expired": ends("open", "expired"),
    "approval:used": ends("given", "used"),
    "approval:voided": ends("given", "voided"),
    "role:deleted": lambda row, fact: {**row, "deleted": True, "at": fact.at},
    "hold:set": held,
    "hold:lifted": lifted,
    "origin:outside": lambda row, _: row,
    "origin:vouched": lambda row, _: row,
}
# What lies in a place, by the facts of the reel of the place: (came, went, field).
CONTENTS = {
    "being": ("space:entered", "space:left", "being"),
    "matter": ("place:received", "place:gave", "matter"),
    "space": ("space:opened", None, "path"),
}


class RowFact:
    """A fact as rows read it. What was done for somebody was done by that one."""

    def __init__(self, reel, header, payload):
        self.reel, self.kind, self.at, self.payload = reel, header["kind"], header["at"], payload
        by = at(payload, "onBehalfOf")
        self.actor = by if type(by) is str else header["actor"]


def row_after(row, fact):
    if fact.kind in MAKE:
        after = MAKE[fact.kind](row, fact)
    elif fact.kind in CHANGE and row is not None:
        after = CHANGE[fact.kind](row, fact)
    else:
        return row
    marks = marks_after(None if row is None else row.get("outside"), fact.kind, fact.payload)
    return without(after, "outside") | ({} if marks is None else {"outside": marks})


LOST = object()


def known_row(row):
    """What the facts of an act follow from; nothing of one that is not there, or not known."""
    if row is None or row is LOST:
        return {}
    budget = row.get("budget")
    place = row.get("space", row.get("place"))
    known = {name: row[name] for name in ("home", "call") if name in row} | ({} if place is None else {"space": place})
    known["driver"] = (row.get("inhabited") or {}).get("by")
    return known | {"budget": None if budget is None else without(budget, "revision")}


class Rows:
    """The rows of all reels after each of their facts."""

    def __init__(self):
        self.steps = {}  # by key: numbers of facts, and the rows after them; LOST once a payload is gone
        self.facts = {}  # by reel: (kind, payload) of all facts
        self.specs, self.said = {}, {}

    def take(self, reel, seq, header, payload, own):
        kind = header["kind"]
        facts = self.facts.setdefault(reel, [])
        if len(facts) != seq - 1:
            return
        facts.append((kind, payload))
        if payload is not None:
            self.tell(header, payload, own)
        if kind not in MAKE and kind not in CHANGE:
            return
        key = f"role:{given(payload, 'name')}" if reel == REGISTRY else reel
        seqs, rows = self.steps.setdefault(key, ([], []))
        before = rows[-1] if rows else None
        seqs.append(seq)
        if payload is None or before is LOST:
            rows.append(LOST)
            return
        try:
            rows.append(row_after(before, RowFact(reel, header, payload)))
        except (KeyError, TypeError, AttributeError):
            rows.append(LOST)

    def tell(self, header, payload, own):
        if header["kind"] == "role:set":
            self.specs[given(payload, "digest")] = given(payload, "spec")
        if header["kind"] == "being:summoned":
            self.said[str(given(payload, "correlation"))] = said_wake(header, payload, own)

    def row(self, key, seq):
        seqs, rows = self.steps.get(key, ([], []))
        place = bisect_right(seqs, seq)
        return None if place == 0 else rows[place - 1]

    def contents(self, reel, seq, kind):
        came, went, field = CONTENTS[kind]
        there = set()
        for what, payload in self.facts.get(reel, [])[:seq]:
            if what == came:
                there.add(str(given(payload, field)))
            elif what == went:
                there.discard(str(given(payload, field)))
        return sorted(there)

    def children(self, reel, seq):
        facts = self.facts.get(reel, [])[:seq]
        return sorted(str(given(payload, "being")) for kind, payload in facts if kind == "being:bore")


def said_wake(header, said, own):
    """The wake that the fact of a summon tells of."""
    wake = {"id": str(given(said, "correlation")), "being": str(given(said, "to")), "kind": "summon"}
    wake |= {"content": given(said, "content"), "root": str(given(said, "root")), "inReplyTo": given(said, "inReplyTo")}
    wake["caller"] = {"name": header["actor"], "role": given(said, "role"), "cognition": given(said, "cognition")}
    wake |= {"cause": own, "hops": 0, "continues": 0}
    wake |= {"expectReply": False} if at(said, "expectReply") is False else {}
    return wake | ({"outside": True} if at(said, "outside") is True else {})

