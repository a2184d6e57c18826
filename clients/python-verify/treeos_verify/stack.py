"""The program, the context and the stack of a moment, derived from facts and from the moments before it."""

from .flow import flow_paths, flow_roles, is_number, roles_for, slice_of
from .moment import check_ungated
from .origin import asked_in, origins_in
from .plain_json import ABSENT, at, given, items, need, same

HOUR_MS = 3_600_000


class Beside:
    """What of a bundle or receipt a moment is compared with. `sees_place` says whether its being sees its place; None where that is not known."""

    def __init__(self, states, is_whole, last_act, program, sees_place):
        self.states, self.is_whole, self.last_act, self.program = states, is_whole, last_act, program
        self.sees_place = sees_place


class Stack:
    def __init__(self, moment, basis, beside):
        self.record, self.open, self.beside = moment["record"], moment["open"], beside
        self.heads = {reel: head[1] for reel, head in basis.items()}
        self.missing = set()
        self.is_hidden, self.is_hidden_by_record = at(self.open, "hidden") is True, False
        self.me = self.state_of(f"being:{self.record['being']}")
        self.check_time()
        if self.me is None:
            self.check_unknown()
            return
        self.check_driver()
        told = given(self.open, "context")
        need(type(told) is dict, "a context is an object", "context-mismatch")
        own_flow = given(self.me.get("qualities"), "roleFlow")
        self.check_hidden(own_flow)
        context = self.context(told)
        need(same(told, slice_of(context, flow_paths(own_flow))), "another context", "context-mismatch")
        self.check_tried(told)
        program = self.check_program()
        if self.record["stack"] is None:
            return
        cognition = given(self.open, "cognition", "kind")
        roles = self.check_worn(program, told, cognition)
        self.check_shadow(told, roles, cognition)

    def check_hidden(self, flow):
        """The qualities of its place are hidden from a flow that reads them, and whose being does not see it."""
        sees = self.beside.sees_place() if reads_place(flow) else True
        is_due = self.is_hidden and self.may_be_hidden() if sees is None else not sees
        need(self.is_hidden == is_due, "its place was hidden, or nothing hides it", "context-mismatch")
        self.is_hidden_by_record = self.is_hidden and sees is None

    def check_unknown(self):
        """Where its being is not known, the roles still follow from the program and the context that are told."""
        program = self.beside.program
        need(program is None or type(program) is dict, "no program", "program-mismatch")
        if program is not None and self.record["stack"] is not None:
            self.check_worn(program, given(self.open, "context"), given(self.open, "cognition", "kind"))

    def check_worn(self, program, context, cognition):
        roles = roles_for(program, context, cognition, asked_in(self.open))
        worn = [given(self.record["stack"], "primary"), *items(self.record["stack"], "stacked")]
        derived = [{"name": role, "digest": given(program, "roles", role, "digest")} for role in roles]
        need(same(worn, derived), "another stack", "stack-mismatch")
        return roles

    def check_shadow(self, told, worn, cognition):
        """The dry-run flow gives the roles that are told; where it reads what is not here, or its place, they are not compared."""
        flow = at(self.me.get("qualities"), "shadow")
        due, before = ABSENT, self.missing
        self.missing = set()
        registry = self.state_of("registry")
        self.missing = before
        if registry is None:
            return
        if type(flow) is list:
            if reads_place(flow):
                return
            self.missing = set()
            context = self.context(told, flow)
            is_whole, self.missing = not self.missing, before
            if not is_whole:
                return
            default = self.me.get("defaultRole")
            roles = {name: registry[name] for name in self.names_in(flow) if name in registry}
            found = roles_for({"flow": flow, "defaultRole": default, "roles": roles}, context, cognition, asked_in(self.open))
            due = ABSENT if same(found, worn) else found
        said = at(self.open, "shadow")
        need(said is ABSENT if due is ABSENT else same(said, due), "another stack in the shadow", "stack-mismatch")

    def check_tried(self, told):
        """Marks are left out of what the dry-run flow reads and its own flow does not."""
        said = at(self.open, "triedOutside")
        if said is ABSENT:
            return
        flow = given(self.me.get("qualities"), "shadow")
        own, _ = self.read_by(told, given(self.me.get("qualities"), "roleFlow"))
        own |= {f"being:{self.record['being']}", f"space:{self.me.get('space')}"}
        tried, missing = self.read_by(told, flow)
        is_known = not any(reel.startswith("being:") for reel in missing)
        need(type(said) is list, "reels that were tried are a list", "origin-mismatch")
        for reel in map(str, said):
            of_being = reel.startswith("being:") and (reads_place(flow) or not is_known)
            of_place = reel.startswith("space:") and reads_place(flow)
            need(reel not in own and (reel in tried or of_being or of_place), "marks are left out that count", "origin-mismatch")

    def read_by(self, told, flow):
        """The reels that a flow reads, and those of them that are not here."""
        before, state_of = self.missing, self.state_of
        self.missing, read = set(), set()

        def looked(reel):
            read.add(reel)
            return state_of(reel)

        self.state_of = looked
        self.context(told, flow)
        del self.state_of
        missing, self.missing = self.missing, before
        return read, missing

    def state_of(self, reel):
        """None where the bundle does not hold it."""
        seq = self.heads.get(reel)
        if same(seq, 0):
            return {}
        state = None
        if seq is not None and self.beside.is_whole(reel):
            state = self.beside.states.at(reel, seq)
        if state is None:
            self.missing.add(reel)
        return state

    def may_be_hidden(self):
        """At home only a rule keeps a being from its place; elsewhere its lists do as well."""
        path = self.me["space"]
        if path != self.me.get("home") or not path.startswith("/"):
            return True
        spaces = [self.state_of(f"space:{one}") for one in ancestry(path)]
        return any(space is None or has_rule(space, path) for space in spaces)

    def check_time(self):
        record, opened = self.record, self.open
        at_open, offset, last = opened["openedAt"], opened["offset"], given(opened, "lastSealed")
        times = [at_open, offset, record["sealedAt"], 0 if last is None else last["sealedAt"]]
        need(all(map(is_number, times)), "a time that is not a number", "time-mismatch")
        need(same(record["openedAt"], at_open) and record["sealedAt"] >= at_open, "another time", "time-mismatch")
        hours = (at_open + offset * 60_000) // HOUR_MS
        need(same(hours % 24, opened["hour"]), "another hour", "time-mismatch")
        need(same((hours // 24 + 4) % 7, opened["dayOfWeek"]), "another weekday", "time-mismatch")
        need(record["wake"] is None or same(at(opened, "wake", "id"), record["wake"]), "another wake", "record-mismatch")
        if self.beside.last_act is not ABSENT:
            need(same(at(opened, "lastSealed"), self.beside.last_act), "another last act", "context-mismatch")

    def check_driver(self):
        driver = given(self.open, "driver")
        need(driver is None or driver == self.me.get("driver"), "nobody had taken it", "driver-mismatch")
        cognition = given(self.me.get("cognition"), "kind") if driver is None else "human"
        need(same(at(self.open, "cognition", "kind"), cognition), "another cognition", "context-mismatch")

    def context(self, told, tried=None):
        last, caller = given(self.open, "lastSealed"), given(self.open, "caller")
        since = None if last is None else (self.open["openedAt"] - last["sealedAt"]) // 1000
        known = {
            "verb": given(self.open, "verb"),
            "wake": {"kind": seen_kind(self.open)},
            "caller": None if caller is None else {key: given(caller, key) for key in ("role", "cognition")},
            "time": {**{key: given(self.open, key) for key in ("hour", "dayOfWeek")}, "sinceLastMoment": since},
        }
        known["moment"] = {"outside": at(self.open, "outside") is True}
        read = flow_paths(given(self.me.get("qualities"), "roleFlow") if tried is None else tried)
        known["moment"]["origins"] = self.origins(read, told)
        path, space = self.me["space"], None
        if not self.is_hidden and any(one.startswith("space.quality") for one in read):
            space = self.state_of(f"space:{path}")
        world = {}
        for name in {one.split(".")[1] for one in read if one.startswith("world.") and len(one) > 6}:
            state = self.state_of(f"world:{name}")
            values = at(told, "world", name) if state is None else at(state, "values")
            world |= {} if values is ABSENT else {name: values}
        told_quality = at(told, "space", "quality")
        quality = {} if told_quality is ABSENT or self.is_hidden else told_quality
        return {
            **known,
            "me": {"previousRole": given(last, "primary"), "quality": without(self.me.get("qualities", {}))},
            "inHomeSpace": path == self.me.get("home"),
            "space": {
                "name": "/" if path == "/" else path.rpartition("/")[2],
                "quality": without(quality if space is None else space.get("qualities", {})),
            },
            "world": world,
        }

    def origins(self, read, told):
        makers, one = [], self.me
        is_by_other = given(self.open, "caller", "name") not in (None, self.record["being"])
        if is_by_other and any(path.split(".")[0] == "moment" for path in read):
            while one is not None and type(one.get("parent")) is str and len(makers) < 64:
                makers.append(one["parent"])
                one = self.state_of(f"being:{one['parent']}")
        found = origins_in(self.open, self.record["being"], None if one is None else makers)
        told = at(told, "moment", "origins")
        return found if found is not None else {} if told is ABSENT else told

    def check_program(self):
        told = self.beside.program
        need(type(told) is dict, "no program", "program-mismatch")
        flow, default = items(self.me.get("qualities"), "roleFlow"), self.me.get("defaultRole")
        names = self.names_in(flow)
        registry = self.state_of("registry") if names else {}
        known = told["roles"] if registry is None else registry
        program = {"flow": flow, "defaultRole": default, "roles": {name: known[name] for name in names if name in known}}
        need(same(told, program), "another program", "program-mismatch")
        return program

    def names_in(self, flow):
        """The roles that a flow, the default and who asked name."""
        return {name for name in (*flow_roles(flow), self.me.get("defaultRole"), given(self.open, "asked")) if name is not None}


def without(qualities):
    """What is tried is no part of a context."""
    return {key: one for key, one in qualities.items() if key != "shadow"} if type(qualities) is dict else qualities


def reads_place(flow):
    return any(path == "space" or path.startswith("space.quality") for path in flow_paths(flow))


def has_rule(space, path):
    rules = at(space.get("qualities"), "permissions", "see")
    names = rules if type(rules) is dict else {}
    return any(name == path or (name.endswith("*") and path.startswith(name[:-1])) for name in names)


def ancestry(path):
    """A space and those around it."""
    spaces = [path]
    while path != "/":
        path = path[: path.rindex("/")] or "/"
        spaces.append(path)
    return spaces


def check_orientation(opened, role):
    """Where the moment looked: as its wake says, else as its primary role does."""
    wake_id, kind = str(given(opened, "wake", "id")), given(opened, "wake", "kind")
    is_decided = kind == "act" or (kind == "event" and wake_id.startswith(("approved/", "read/")))
    is_forward = is_decided or given(opened, "cognition", "kind") == "human"
    asked = "forward" if is_forward else given(opened, "wake", "orientation")
    if asked is None and role is None:
        return
    due = asked or given(role, "defaultOrientation") or "forward"
    need(same(given(opened, "orientation") or "forward", due), "it looked elsewhere", "context-mismatch")


def seen_kind(opened):
    """Of a moment that brings a yes, the word for the wake of the moment that asked."""
    kind = kind_of(given(opened, "wake"))
    return given(opened, "asKind") if kind == "approved" else kind


def kind_of(wake):
    """Why a moment began."""
    kind = given(wake, "kind")
    if kind == "act":
        return kind
    if kind == "summon":
        return "message" if given(wake, "inReplyTo") is None else "answer"
    first, slash, _ = str(given(wake, "id")).partition("/")
    return ("continue" if first == "read" else first) if slash else "event"


def may_write(record, opened, decision):
    """An act, a limit that was met, a call that waits for a yes, or the end of the yes that the moment brought."""
    if given(record, "outcome") == "act" or at(decision, "breach") is not ABSENT:
        return True
    wake = str(given(opened, "wake", "id"))
    brought = wake.removeprefix("approved/") if wake.startswith("approved/") else None
    waits = given(record, "moment") if given(record, "outcome") == "waiting" else brought
    def may_be(reel):
        return (waits is not None and reel == f"approval:{waits}") or ("effect" in record and str(reel).startswith("tally:"))

    return all(type(ref) is list and may_be(ref[0]) for ref in items(record, "facts"))


def check_outcome(moment):
    """Which outcomes a decision may have."""
    record, decision = moment["record"], moment["decision"]
    outcome, is_none = given(record, "outcome"), given(record, "decision") is None
    need(not is_none or not (outcome in ("act", "waiting") or items(record, "facts")), "it decided nothing", "outcome-mismatch")
    need(is_none or given(record, "stack") is not None, "it decided something, and wore no role", "outcome-mismatch")
    check_ungated(record)
    if decision is None:
        return
    kind = given(decision, "kind")
    may = {"call": ("act", "see", "failure", "waiting"), "see": ("see", "failure"), "failure": ("failure",)}.get(str(kind), ())
    need(outcome in may, "another outcome", "outcome-mismatch")
    need(not items(record, "facts") or may_write(record, moment["open"], decision), "it wrote facts", "outcome-mismatch")
    own = ("BEING_ENDED", "ROLE_UNAVAILABLE", given(decision, "code"))
    need(kind != "failure" or given(record, "reason") in own, "another reason", "outcome-mismatch")
