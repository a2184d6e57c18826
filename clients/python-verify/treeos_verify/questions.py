"""Questions: whom a moment answers, and what it has still to answer: docs/formats.md, "What a moment owes"."""

from .hashes import value_hash
from .plain_json import ABSENT, at, given, same

GOING_ON = ("continue/", "look/", "refused/", "read/", "approved/", "denied/", "expired/")


def goes_on(wake):
    return wake["kind"] == "event" and wake["id"].startswith(GOING_ON)


def is_to_self(wake, being):
    return wake["kind"] == "summon" and given(wake.get("caller"), "name") == being


def is_of_person(opened):
    return at(opened, "wake", "kind") == "act" or given(opened, "asKind") == "act"


def owed_in(opened, being):
    """The question that a moment has to answer: the recorded one, which may be left out where its own wake asks it."""
    return None if is_of_person(opened) else given(opened, "owed") or asked_by(opened["wake"], being)


def asker_in(opened, being):
    """Whom a moment answers unless it says otherwise."""
    return given(opened if is_of_person(opened) else owed_in(opened, being), "caller", "name")


def asked_by(wake, being):
    """The question that a wake asks, or None."""
    caller = wake.get("caller")
    is_question = wake["kind"] == "summon" and wake["inReplyTo"] is None and wake.get("expectReply") is not False
    if not is_question or caller is None or caller["name"] == being:
        return None
    return {"id": wake["id"], "caller": caller, "hops": wake["hops"]}


def heard_with(wake, before, being):
    """Those of others whose answers a being has got for what it owes, with whoever answers by this wake."""
    caller = wake.get("caller") if wake["kind"] == "summon" and wake["inReplyTo"] is not None else None
    return before if caller is None or caller["name"] in [*before, being] else [*before, caller["name"]]


UNKNOWN = object()
STEPS = ("continue/", "look/", "refused/", "read/")
STEPS_UNLESS_SAID = 16
REPEATS = 4


class Steps:
    """Those of a bundle. Moments are taken in their order."""

    def __init__(self):
        self.allowed, self.made = {}, {}  # by the moment: most steps of its role; calls in a row up to it, and with its own

    def fault_of(self, moment, role):
        """What is wrong, in words, with the step that a moment is; None where nothing is. `role`: its primary, or None."""
        record, wake = moment["record"], moment["open"]["wake"]
        if role is not None:
            steps = at(role, "steps")
            self.allowed[record["moment"]] = STEPS_UNLESS_SAID if steps is ABSENT else steps
        is_step = wake["kind"] == "event" and wake["id"].startswith(STEPS)
        prior = wake["id"].partition("/")[2] if is_step else None
        times = self.repeats(moment, prior)
        if record["reason"] == "repeated-call" and record["outcome"] != "failure" and times is not None and times < REPEATS:
            return "it ends since it repeats a call, and made others before"
        most = self.allowed.get(prior)
        return None if most is None or 0 < wake["continues"] <= most else "it is a step beyond those that the role before it allows"

    def repeats(self, moment, prior):
        """How often in a row its call was made; None where that is not known, or it made none."""
        before = None
        if prior is not None:
            up_to, with_own = self.made.get(prior, (UNKNOWN, UNKNOWN))
            before = up_to if moment["open"]["wake"]["id"].startswith("refused/") else with_own
        name, decision = moment["record"]["moment"], moment["decision"]
        self.made[name] = (before, UNKNOWN)
        if before is UNKNOWN or given(decision, "kind") != "call":
            return None
        call = value_hash(decision["call"])
        times = before[1] + 1 if before is not None and before[0] == call else 1
        self.made[name] = (before, (call, times))
        return times


class QueuedReads:
    """Further calls of one answer, each made in a moment of its own. Facts and moments are taken in their order."""

    def __init__(self):
        self.declared, self.queues, self.is_any_erased = set(), {}, False

    def take_fact(self, reel, header, payload):
        if reel != "space:/" or given(header, "kind") != "quality:set":
            return
        self.is_any_erased = self.is_any_erased or payload is None
        path, value = given(payload, "path"), given(payload, "value")
        if type(path) is list and len(path) > 1 and path[0] == "tools" and type(value) is dict:
            self.declared.update(f"{path[1]}:{tool}" for tool, told in value.items() if given(told, "read") is True)

    def fault_of(self, moment, is_root_whole):
        """What is wrong, in words, with the call that a moment makes without a mind; None where nothing is."""
        name, wake, decision = moment["record"]["moment"], moment["open"]["wake"], moment["decision"]
        if not (wake["kind"] == "event" and wake["id"].startswith("read/")):
            if decision is not None:
                self.queues[name] = given(decision, "reads") or []
            return None
        queue, call = self.queues.get(wake["id"].removeprefix("read/")), given(decision, "call")
        if queue is not None:
            self.queues[name] = queue[1:]
            if not queue:
                return "it reads on, and the answer had no further call"
        if decision is None:
            return None
        if queue is not None and not same(call, queue[0]):
            return "it makes another call than the next one of the answer"
        is_known = is_root_whole and not self.is_any_erased
        is_read = not is_known or given(call, "operation") in self.declared
        return None if is_read else "it calls without a mind what nobody declared as a read"


class Questions:
    """Those of a bundle. Facts and moments are taken in their order."""

    def __init__(self):
        # heard: by question, of those whose first moment is here
        self.said, self.owed, self.heard = {}, {}, {}

    def take_fact(self, reel, seq, header, payload):
        if given(header, "kind") == "being:summoned":
            self.said.setdefault(reel, []).append((seq, payload))

    def fault_of(self, opened, being, seq):
        """What is wrong, in words, with what a moment has to answer; None where nothing is. That a question was let go is said by its record."""
        told, wake = owed_in(opened, being), opened["wake"]
        self.owed[opened["moment"]] = told
        due = self.due(wake, being)
        if told is None:
            return None
        if due is not UNKNOWN and not same(told, due):
            return "it has to answer something else than what it says"
        said = (payload for place, payload in self.said.get(f"being:{being}", []) if place <= seq)
        is_answered = any(payload is not None and given(payload, "inReplyTo") == told["id"] for payload in said)
        if is_answered:
            return "its being had answered before what it says that it has to answer"
        before = [] if wake["id"] == told["id"] else self.heard.get(told["id"])
        if before is None:
            return None
        heard = self.heard[told["id"]] = heard_with(wake, before, being)
        return None if same(given(opened, "heard") or [], heard) else "it has heard others than it says for what it has to answer"

    def due(self, wake, being):
        if wake["kind"] == "act":
            return None
        is_answer = wake["inReplyTo"] is not None and not goes_on(wake)  # or a notice that none comes
        if not is_answer and not goes_on(wake) and not is_to_self(wake, being):
            return asked_by(wake, being)
        if not is_answer:
            prior = wake["id"].partition("/")[2] if goes_on(wake) else wake["id"]
            return self.owed.get(prior, UNKNOWN)
        for _, payload in self.said.get(f"being:{being}", []):
            if payload is not None and payload["correlation"] == wake["inReplyTo"]:
                return self.owed.get(wake["inReplyTo"], UNKNOWN) if payload["inReplyTo"] is None else None
        return UNKNOWN  # it was erased, or another being said it
