"""Words from outside: which rows are marked, and whether a moment says that it holds such words."""

import re

from .flow import flow_paths, roles_for
from .forms import has_form
from .plain_json import ABSENT, at, given, items, need, same

WORDED = {"being:born", "quality:set", "space:created", "signal:published", "role:set", "matter:created", "matter:written"}
MARKED = "origin:outside"
MARKS = {MARKED: True, "origin:vouched": False}
PATH_IN = {"quality:set": "path", "signal:published": "key"}
PATHS_MAX = 32
GONE = object()
LISTS = ("canSee", "canDo", "canSummon", "canBe")
VIEWS = {"me", "place", "occupants", "things", "conversation", "last-act", "inbox", "threads"}
TOKENS = {"self", "asker", "parent", "here", "present", "any-child", "predecessor", "configuring", "configurators", "company", "walked-to"}
SPEECH = "being:summoned"
SENT_BY = re.compile(r"(?:change|awakened|notice|parked|refused)/([^/]+/[0-9]+/[0-9]+)(?:/|\Z)")


def asked_in(opened):
    """The role that counts as asked for."""
    return None if at(opened, "outside") is True else given(opened, "asked")


def is_path(value):
    return type(value) is list and value != [] and all(type(key) is str for key in value)


def is_within(path, outer):
    return path[: len(outer)] == outer


def meet(one, other):
    return is_within(one, other) or is_within(other, one)


def of_whole_rows(reel):
    """Marks of roles and of things are of the whole row, whatever they say."""
    return reel == "registry" or reel.startswith("matter:")


def with_marked(marks, paths):
    """Marks are None, True for a whole row, or paths of which none is within another."""
    if marks is True or type(paths) is not list or not all(map(is_path, paths)):
        return True
    after = list(marks or [])
    for path in paths:
        if not any(is_within(path, outer) for outer in after):
            after = [*(inner for inner in after if not is_within(inner, path)), path]
    return True if after == [] or len(after) > PATHS_MAX else after


def marks_after(marks, kind, said):
    """The marks of a row after a fact. What is set has no mark any more, unless one follows."""
    if kind in MARKS:
        return with_marked(marks, given(said, "paths")) if MARKS[kind] else None
    if kind not in PATH_IN or type(marks) is not list or not is_path(given(said, PATH_IN[kind])):
        return marks
    path, value = said[PATH_IN[kind]], given(said, "value")
    is_merged = kind == "quality:set" and at(said, "merge") is not False and type(value) is dict
    put = [[*path, key] for key in value] if is_merged else [path]
    return [mark for mark in marks if not any(is_within(mark, outer) for outer in put)] or None


def path_written(reel, kind, said):
    """Where a fact writes words; None for the whole row."""
    path = given(said, PATH_IN[kind]) if kind in PATH_IN and not reel.startswith("matter:") else None
    return path if is_path(path) else None


def marks_for(facts):
    """The marks that follow facts of a moment, one for each row, by reel and name of a role."""
    written = {}
    for reel, kind, said in facts:
        if kind in WORDED:
            row = (reel, given(said, "name") if reel == "registry" else None)
            path = path_written(reel, kind, said)
            written[row] = True if path is None else with_marked(written.get(row), [path])
    return {row: (row[0], MARKED, whole_mark(row) if paths is True else {"paths": paths}) for row, paths in written.items()}


def whole_mark(row):
    return {"name": row[1]} if row[0] == "registry" else {}


def check_marks(facts):
    """Marks follow words in the same reel, and are of the whole row or say where these were written."""
    gone = {reel for reel, kind, payload in facts if kind in WORDED and payload is None}
    due = marks_for([fact for fact in facts if fact[2] is not None])
    for reel, kind, payload in facts:
        if kind == MARKED and reel not in gone:
            forms = [form for row, mark in due.items() if row[0] == reel for form in (None, whole_mark(row), mark[2])]
            need(any(same(payload, form) for form in forms), "a mark of something else", "facts-mismatch")


def check_all_marked(facts, marks_before):
    """Each row into which words were written has a mark there, of the same moment, or of before as a whole. `marks_before` gives None where that is not known."""
    for reel, kind, payload in facts:
        if kind not in WORDED or (reel == "registry" and payload is None):
            continue
        name = given(payload, "name") if reel == "registry" else None
        path = GONE if payload is None else path_written(reel, kind, payload)
        marks = [said for place, what, said in facts if what == MARKED and place == reel]
        is_now = any(said is None or (same(given(said, "name"), name) and is_marked_at((with_marked(None, given(said, "paths")), True), path)) for said in marks)
        before = marks_before(reel, name)
        need(is_now or before is None or not before[1] or before[0] is True, "what it wrote has no mark", "origin-mismatch")


def is_marked_at(found, path):
    marks, is_sure = found
    if not is_sure or marks is True or path is GONE:
        return not is_sure or marks is not None
    return marks is not None and path is not None and any(is_within(path, outer) for outer in marks)


class Origins:
    def __init__(self):
        self.steps, self.wrote, self.said, self.by_hash = {}, {}, {}, {}
        self.turned, self.moments = {}, set()

    def take(self, reel, seq, header, payload, own=None):
        kind = given(header, "kind")
        row = (reel, given(payload, "name") if reel == "registry" else None)
        if kind in MARKS or kind in PATH_IN:
            before = self.marks_at(row, seq)
            after = self.behind(before, reel, kind, payload)
            if after != before:
                self.steps.setdefault(row, []).append((seq, after))
        if kind in WORDED:
            self.wrote[reel, seq] = (row, GONE if payload is None else path_written(reel, kind, payload))
        if kind == SPEECH:
            self.said[reel, seq] = None if payload is None else at(payload, "outside") is True
            if own is not None:
                self.by_hash[own] = self.said[reel, seq]
                if payload is not None:
                    self.turned[own] = given(payload, "orientation")

    def behind(self, before, reel, kind, payload):
        marks, is_sure = before
        if MARKS.get(kind) is False:
            return None, True
        if MARKS.get(kind) and (of_whole_rows(reel) or (payload is not None and at(payload, "paths") is ABSENT)):
            return True, True
        if payload is not None:
            return marks_after(marks, kind, payload), is_sure
        if kind in MARKS:
            return (marks, is_sure) if marks is True else (True, False)
        return (marks, is_sure and type(marks) is not list)

    def leave_out(self, reel, seq):
        """Facts up to this one are not shown: they may have marked the reel, or cleared marks."""
        for row in {(reel, None), *(row for row in self.steps if row[0] == reel)}:
            self.steps.setdefault(row, []).append((seq, (self.marks_at(row, seq)[0], False)))

    def marks_at(self, row, seq):
        """The marks of a row, and whether they are sure."""
        found = [marks for place, marks in self.steps.get(row, []) if place <= seq]
        return found[-1] if found else (None, True)

    def is_marked(self, row, seq):
        return self.marks_at(row, seq)[0] is not None


class Reads:
    """What a moment reads for its words. What is None is not known."""

    def __init__(self, record, opened, place=None, program=None, noted=None, spec_of=None):
        self.me, self.place = f"being:{record['being']}", place
        self.paths = self.shown = None
        if type(program) is dict and noted is not ABSENT and spec_of is not None:
            self.paths = [*by_flow(items(program, "flow"), place), *by_wake(noted)]
            self.shown = None if record["stack"] is None else shown_before(program, opened, spec_of)

    def count(self, reel, marks):
        """Whether the marks of a row count."""
        if marks is None:
            return False
        if marks is True or reel == self.me:
            return True
        is_read = lambda path: any(meet(mark, path) for mark in marks)
        if reel.startswith("space:") and is_read(["permissions"]):
            return True
        if any(place == reel and is_read(path) for place, path in self.paths or []):
            return True
        if self.shown == "all" or (self.shown == "place" and reel == f"space:{self.place}"):
            return True
        is_known = self.paths is not None and self.shown is not None
        return False if is_known and not (self.place is None and reel.startswith("space:")) else None


def by_flow(flow, place):
    for dotted in flow_paths(flow):
        root, *rest = dotted.split(".")
        if root == "space" and rest[:1] == ["quality"]:
            yield f"space:{place}", rest[1:]
        if root == "world" and rest:
            yield f"world:{rest[0]}", rest[1:]


def by_wake(noted):
    change = given(noted, "quotes", "change")
    if type(given(change, "path")) is list:
        target = str(given(change, "target"))
        yield f"being:{target[1:]}" if target.startswith("@") else f"space:{target}", list(map(str, change["path"]))


def shown_before(program, opened, spec_of):
    """What the stack shows that the flow gave before the moment was known to hold words from outside."""
    context, cognition = given(opened, "context"), given(opened, "cognition", "kind")
    moment = at(context, "moment")
    if type(moment) is dict:
        before = {**moment, "outside": False} if "outside" in moment else dict(moment)
        if type(at(moment, "origins")) is dict:
            before["origins"] = {key: one for key, one in moment["origins"].items() if key != "outside"}
        context = {**context, "moment": before}
    roles = roles_for(program, context, cognition, given(opened, "asked"))
    specs = [spec_of(given(program, "roles", role, "digest")) for role in roles]
    return words_shown(specs, cognition) if all(has_form("spec", spec) for spec in specs) else None


def words_shown(specs, cognition):
    """Whose qualities a stack shows, beside the being's own: of anything where code of an extension is asked, of its place, or of none."""
    if any(map(is_of_code, specs)):
        return "all"
    is_face = cognition == "scripted" or any(type(given(spec, "prompt")) is dict for spec in specs)
    is_default = not specs or given(specs[0], "views") != "only"
    return "place" if is_face or is_default or any("place" in items(spec, "see") for spec in specs) else "none"


def is_of_code(spec):
    if any(":" in spec["name"] or view not in VIEWS for view in items(spec, "see")):
        return True
    return any(is_expanded_by_code(entry) for name in LISTS for entry in items(spec, name))


def is_expanded_by_code(entry):
    if type(entry) is str:
        return False
    name = entry.get("rel", entry.get("resolver"))
    return "kind" in entry if "pattern" in entry else type(name) is not str or name not in TOKENS


def holds_outside(opened, basis, origins, is_whole, program, noted, is_all, reads):
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
    roles = program.get("roles", {}) if type(program) is dict else {}

    def read_marked(reel, seq):
        if reel == "registry":
            return any(origins.is_marked((reel, name), seq) for name in roles)
        marks, is_sure = origins.marks_at((reel, None), seq)
        do_count = reads.count(reel, marks)
        return do_count if is_sure or (do_count is False and marks is not None) else None

    found = [read_marked(reel, seq) for reel, seq in shown]
    if True in found or True in words:
        return True
    others = [row for row in origins.steps if row[0] == "registry"]
    is_known = None not in found and all(
        seq == 0 or (is_whole(reel) and not (reel == "registry" and any(origins.is_marked(row, seq) for row in others)))
        for reel, seq in heads
    )
    return False if is_all and is_known and type(program) is dict and all(word is False for word in words) else None


def check_origin(record, opened, basis, origins, is_whole, reads, program=None, noted=None, is_all=False):
    """Says whether it holds words from outside, by what it read; None where that rests on what is not here."""
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
    found = holds_outside(opened, basis, origins, is_whole, program, noted, is_all, reads)
    need(found is None or found is says, "another origin", "origin-mismatch")
    if not says:
        return found
    origins.moments.add(record["moment"])
    facts = [(ref[0], ref[1]) for ref in items(record, "facts") if type(ref) is list]
    for reel, seq in facts:
        need(origins.said.get((reel, seq)) is not False, "it says nothing of where its words are from", "origin-mismatch")
        row, path = origins.wrote.get((reel, seq), (None, None))
        last = max(number for name, number in facts if name == reel)
        need(row is None or not is_whole(reel) or is_marked_at(origins.marks_at(row, last), path), "what it wrote has no mark", "origin-mismatch")
    return found


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
