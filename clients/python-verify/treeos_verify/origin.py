"""Words from outside: which rows are marked, and whether a moment says that it holds such words."""

import re

from .plain_json import ABSENT, at, given, items, need, same

WORDED = {"being:born", "quality:set", "space:created", "signal:published", "role:set", "matter:created", "matter:written"}
MARKED = "origin:outside"
MARKS = {MARKED: True, "origin:vouched": False}
SPEECH = "being:summoned"
SENT_BY = re.compile(r"(?:change|awakened|notice|parked|refused)/([^/]+/[0-9]+/[0-9]+)(?:/|\Z)")


def asked_in(opened):
    """The role that counts as asked for."""
    return None if at(opened, "outside") is True else given(opened, "asked")


def check_marks(facts):
    """Marks follow words in the same reel, and say nothing more."""
    worded = {reel for reel, kind, _ in facts if kind in WORDED}
    for reel, kind, payload in facts:
        if kind == MARKED:
            form = {"name": given(payload, "name")} if reel == "registry" else {}
            need(reel in worded and (payload is None or same(payload, form)), "a mark of something else", "facts-mismatch")


def check_all_marked(facts, was_marked):
    """Each row into which words were written has a mark, of the same moment or of before. `was_marked` gives None where that is not known."""
    for reel, kind, payload in facts:
        if kind not in WORDED or (reel == "registry" and payload is None):
            continue
        name = given(payload, "name") if reel == "registry" else None
        marks = [said for place, what, said in facts if what == MARKED and place == reel]
        is_now = any(said is None or same(given(said, "name"), name) for said in marks)
        need(is_now or was_marked(reel, name) is not False, "what it wrote has no mark", "origin-mismatch")


class Origins:
    def __init__(self):
        self.steps, self.wrote, self.said, self.by_hash = {}, {}, {}, {}
        self.turned, self.moments = {}, set()

    def take(self, reel, seq, header, payload, own=None):
        kind = given(header, "kind")
        row = (reel, given(payload, "name") if reel == "registry" else None)
        if kind in MARKS:
            self.steps.setdefault(row, []).append((seq, MARKS[kind]))
        if kind in WORDED:
            self.wrote[reel, seq] = row
        if kind == SPEECH:
            self.said[reel, seq] = None if payload is None else at(payload, "outside") is True
            if own is not None:
                self.by_hash[own] = self.said[reel, seq]
                if payload is not None:
                    self.turned[own] = given(payload, "orientation")

    def is_marked(self, row, seq):
        marks = [mark for place, mark in self.steps.get(row, []) if place <= seq]
        return bool(marks) and marks[-1]

    def read_marked(self, reel, seq, program):
        if reel != "registry":
            return self.is_marked((reel, None), seq)
        roles = program.get("roles", {}) if type(program) is dict else {}
        return any(self.is_marked((reel, name), seq) for name in roles)


def holds_outside(opened, basis, origins, is_whole, program, noted, is_all):
    """None where that depends on what is not here."""
    if at(opened, "wake", "outside") is True:
        return True
    if given(opened, "cognition", "kind") == "human":
        return False
    heads = [(reel, head[1]) for reel, head in basis.items()]
    if is_all and given(noted, "aside", "past", "outside") is True:
        return True
    refs = items(noted, "aside", "said", "facts") + items(noted, "aside", "past", "facts") if is_all else []
    words = [origins.said.get((ref[0], ref[1])) if type(ref) is list else False for ref in refs]
    tried = items(opened, "triedOutside")
    shown = [(reel, seq) for reel, seq in heads if reel not in tried and (is_whole(reel) or reel == "registry")]
    if any(origins.read_marked(reel, seq, program) for reel, seq in shown) or True in words:
        return True
    others = [row for row in origins.steps if row[0] == "registry"]
    is_known = all(
        seq == 0 or (is_whole(reel) and not (reel == "registry" and any(origins.is_marked(row, seq) for row in others)))
        for reel, seq in heads
    )
    return False if is_all and is_known and type(program) is dict and all(word is False for word in words) else None


def check_origin(record, opened, basis, origins, is_whole, program, noted=None, is_all=False):
    said = origins.by_hash.get(given(opened, "wake", "cause"))
    says_so = at(opened, "wake", "outside") is True
    is_summon = given(opened, "wake", "kind") == "summon"
    need(said is None or said is says_so or (says_so and not is_summon), "other words woke it", "origin-mismatch")
    turned = origins.turned.get(given(opened, "wake", "cause"), ABSENT)
    need(not is_summon or turned is ABSENT or same(turned, given(opened, "wake", "orientation")), "asked to look elsewhere", "context-mismatch")
    wake = given(opened, "wake")
    sent = SENT_BY.match(str(given(wake, "id"))) if given(wake, "kind") == "event" else None
    is_sent_outside = sent is not None and sent[1] in origins.moments
    need(not is_sent_outside or at(wake, "outside") is True, "the wake of a moment with words from outside", "origin-mismatch")
    says = at(opened, "outside") is True
    found = holds_outside(opened, basis, origins, is_whole, program, noted, is_all)
    need(found is None or found is says, "another origin", "origin-mismatch")
    if not says:
        return
    origins.moments.add(record["moment"])
    facts = [(ref[0], ref[1]) for ref in items(record, "facts") if type(ref) is list]
    for reel, seq in facts:
        need(origins.said.get((reel, seq)) is not False, "it says nothing of where its words are from", "origin-mismatch")
        row = origins.wrote.get((reel, seq))
        last = max(number for name, number in facts if name == reel)
        need(row is None or not is_whole(reel) or origins.is_marked(row, last), "what it wrote has no mark", "origin-mismatch")


def origins_in(opened, being, makers):
    """Whose words wake a being; None where its makers are not known."""
    caller, name = given(opened, "caller"), given(opened, "caller", "name")
    of = {"outside": True} if at(opened, "outside") is True else {}
    if caller is None or name == being:
        return {**of, "self": True}
    if makers is None:
        return None
    kinds = {"maker": name in makers, "person": given(caller, "cognition") == "human"}
    kinds = {kind: True for kind, is_so in kinds.items() if is_so} or {"being": True}
    return {**of, **kinds}
