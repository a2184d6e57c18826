"""The facts of an act, derived from its decision: which facts, on which reels, and what they say."""

from . import operation_facts as facts_of
from .gates import written
from .hashes import value_hash
from .law.arguments import FORMS, read_arguments
from .law.names import Refused
from .operation_facts import lists_of, reel_of, there
from .own_rules import OPERATIONS
from .origin import MARKED, check_marks
from .plain_json import ABSENT, Broken, at, given, is_count, need, same
from .questions import asker_in, owed_in

ENDING = ("set-roleflow", "set-default-role", "set-role", "delete-role", "set-space", "remove-contributor")
SILENT = ("already-answered", "no-reply-expected")


class Due:
    """A fact as a decision yields it. Where `reel` is None, any will do; a field is a value, or a test of one."""

    def __init__(self, reel, kind, fields=None, is_open=False, is_optional=False):
        self.reel, self.kind, self.fields = reel, kind, fields or {}
        self.is_open, self.is_optional = is_open, is_optional


def fits(payload, fields, is_open=False):
    if type(payload) is not dict or not (is_open or set(payload) <= set(fields)):
        return False
    return all(form(at(payload, key)) if callable(form) else same(at(payload, key), form) for key, form in fields.items())


def is_text(value):
    return type(value) is str


def is_object(value):
    return type(value) is dict


def one_of(*values):
    return lambda value: any(same(value, one) for one in values)


def text(value):
    return value if type(value) is str else None


def path_of(address):
    return written("canSee", str(address), "/")


def name_of(stance):
    return written("canSummon", str(stance), "/")[1:]


def full_names(entries, stored):
    """The entries as they are stored, where these differ by the prefix of an extension alone."""

    def is_full(entry, full):
        return same(entry, full) or is_text(entry) and ":" not in entry and is_text(full) and full.endswith(f":{entry}")

    is_list = type(entries) is list and type(stored) is list and len(entries) == len(stored)
    return stored if is_list and all(map(is_full, entries, stored)) else entries


def is_ended_subscription(reel, kind, payload):
    def is_path(path):
        return type(path) is list and len(path) == 2 and path[0] == "subscription" and is_text(path[1])

    fields = {"path": is_path, "value": None, "merge": False}
    return reel.startswith("being:") and kind == "quality:set" and (payload is None or fits(payload, fields))


class Act:
    """A call and what its facts are derived from. `facts` are (reel, kind, payload), the payload None where it was erased; `known_of` gives what
    is known of the row of a reel: `home`, `space`, `driver`, `budget`, and the `call` that waits."""

    def __init__(self, facts, moment, args, role, target, known_of):
        self.facts, self.record, self.open, self.role, self.known_of = facts, moment["record"], moment["open"], role, known_of
        self.call = given(moment["decision"], "call")
        self.me = self.record["being"]
        me = known_of(f"being:{self.me}")
        self.home, self.place = me.get("home"), me.get("space")
        verb, named = given(self.call, "verb"), given(self.call, "target")
        if target is not None:
            self.target = target
        elif named == "~":
            self.target = self.home
        elif type(named) is str:
            self.target = written("canSummon" if verb == "summon" else "canSee", named, "/")
        else:
            self.target = None
        self.args = args  # as its operation reads them: null is left out where it is not taken

    def arg(self, name, default=None):
        return self.args.get(name, default)

    def first(self, key):
        return given(self.facts[0][2], key) if self.facts else None

    def or_me(self):
        return f"@{self.me}" if self.target is None else self.target

    def or_place(self):
        return self.place if self.target is None else self.target

    def place_of(self, reel, key):
        """As the row of the reel says, else as the first fact does."""
        return self.known_of(reel).get("space", text(self.first(key)))

    # Each operation gives the facts that are due.

    def create_space(self):
        return facts_of.space_created(path_of(self.arg("path")), self.arg("type", "room"), self.me, there(self.args, "size", "coord"))

    def set_quality(self, target):
        keys = self.arg("field").removeprefix("qualities.").split(".")
        return [facts_of.quality_set(reel_of(target), keys, self.arg("value"), self.arg("merge", True))]

    def set_size(self):
        return facts_of.space_resized(reel_of(self.or_place()), self.arg("size"))

    def change_contributor(self, how):
        return facts_of.contributor_changed(reel_of(self.or_place()), how, name_of(self.arg("being")))

    def create_matter(self):
        extent, content = there(self.args, "coord"), self.arg("content")
        return facts_of.matter_created(self.arg("id"), self.arg("type", "thing"), self.me, self.or_place(), content, extent)

    def keep_file(self):
        return facts_of.file_kept(self.arg("id"), self.me, self.args)

    def write_matter(self):
        return facts_of.matter_written(self.target, self.arg("content"))

    def thing(self):
        return str(self.target).removeprefix("matter:")

    def end_matter(self):
        return facts_of.matter_ended(self.thing(), self.known_of(self.target).get("space"))

    def take(self):
        return self.carried(self.place_of(self.target, "from"), f"@{self.me}")

    def put(self):
        return self.carried(f"@{self.me}", self.place)

    def carried(self, start, end):
        return facts_of.matter_moved(self.thing(), start, end, there(self.args, "coord"))

    def move(self):
        start = self.place_of(f"being:{self.me}", "from")
        return facts_of.being_moved(self.me, start, self.or_place(), there(self.args, "coord"))

    def set_roleflow(self):
        return [facts_of.quality_set(reel_of(self.or_me()), ["roleFlow"], self.arg("flow"))]

    def set_default_role(self):
        return [facts_of.role_given(reel_of(self.or_me()), self.arg("role"))]

    def set_schedule(self):
        return self.kept("schedule", facts_of.schedule_of(self.args))

    def subscribe(self):
        scope = self.arg("scope")
        path = scope if scope == "everywhere" else path_of(scope)
        return self.kept("subscription", facts_of.subscription_of(self.args, path, lambda value: type(value) is bool))

    def kept(self, kind, fields):
        """What a preset says, the manifest knows."""
        value = is_object if "preset" in self.args else lambda value: fits(value, fields)
        return [facts_of.quality_set(reel_of(self.or_me()), [kind, self.arg("name")], value)]

    def remove(self, kind):
        return [facts_of.quality_set(reel_of(self.or_me()), [kind, self.arg("name")], None)]

    def happen(self, kind):
        return facts_of.happened(reel_of(self.or_me()), kind)

    def accept_difference(self):
        return facts_of.difference_accepted(reel_of(self.or_me()), *(self.arg(name) for name in ("moment", "recorded", "given")))

    def end_being(self):
        being = self.or_me()[1:]
        known = self.known_of(f"being:{being}")
        driver = at(known, "driver")
        is_driven = (self.facts[:1] and self.facts[0][1] == "being:released") if driver is ABSENT else driver is not None
        released = [self.released(being)] if is_driven else []
        return [*released, *facts_of.being_ended(being, known.get("space"))]

    def released(self, being):
        driver = self.known_of(f"being:{being}").get("driver")
        return facts_of.being_released(being, is_text if driver is None else driver, is_count)

    def set_budget(self):
        if self.target not in (None, "/"):
            return [facts_of.being_budgeted(reel_of(self.target), facts_of.budget_of(self.args))]
        fields = facts_of.standard_budget_of(self.args, is_count)
        return [facts_of.quality_set("space:/", ["budget", self.arg("for", "llm")], lambda value: fits(value, fields))]

    def unpark(self):
        reel, is_released = reel_of(self.or_me()), self.arg("release") is True
        due = [facts_of.being_unparked(reel, is_released)]
        budget = at(self.known_of(reel), "budget") if is_released else None
        if budget is None:
            return due
        again = facts_of.being_budgeted(reel, is_object if budget is ABSENT else budget)
        return [*due, Due(*again, is_optional=budget is ABSENT)]

    def set_role(self):
        spec = lists_of(None) | {"see": [], "prompt": ""} | self.arg("role")
        stored = next((at(payload, "spec") for _, kind, payload in self.facts if kind == "role:set"), None)
        # Which extension has an operation, the law knows, and not who looks at facts alone.
        named = {key: full_names(spec[key], given(stored, key)) for key in ("canDo", "canBe")}
        return [facts_of.role_set(spec | named, there(self.args, "trial"))]

    def delete_role(self):
        return [facts_of.role_deleted(self.arg("name"))]

    def signal(self, kind, said):
        return facts_of.of_signals(kind, self.arg("namespace"), said, {"owner": one_of(ABSENT, "operator")})

    def publish(self):
        return self.signal("published", {"key": self.arg("key").split("."), "value": self.arg("value")})

    def grant(self, kind):
        return self.signal(kind, {"being": name_of(self.arg("being"))})

    def cut_thread(self):
        return [(self.target, "thread:cut", {"thread": str(self.target).removeprefix("thread:")})]

    def vouch(self):
        return facts_of.vouched(reel_of(self.target), self.arg("role"), self.arg("namespace"))

    def erase(self):
        fact, why = self.arg("fact"), self.arg("why")
        if fact is None:
            return facts_of.moment_erased(reel_of(self.or_me()), self.arg("moment"), why)
        return facts_of.fact_erased(fact, why)

    def hold(self, kind):
        return facts_of.hold_changed(reel_of(self.target), kind, self.arg("name"), self.arg("why"))

    def approval(self):
        return "approval:" + "/".join(self.arg("id").split("/")[:3])

    def approve(self):
        reel, others = self.approval(), self.arg("args")
        waits = self.known_of(reel).get("call")

        def is_call(call):
            if type(waits) is dict:
                return same(call, waits if others is None else {**waits, "args": others})
            return type(call) is dict and (others is None or same(at(call, "args"), others))

        return facts_of.approval_given(reel, is_call, lambda value: value == value_hash(self.first("call")))

    def deny(self):
        return facts_of.approval_denied(self.approval(), there(self.args, "why"))

    def birth(self):
        kind, home, flow, ceiling = (self.arg(name) for name in ("cognition", "home", "roleFlow", "ceiling"))
        llm = there(self.args, "connection") if kind == "llm" else {}
        qualities = ({} if flow is None else {"roleFlow": flow}) | ({"llm": llm} if llm else {})
        return facts_of.being_born(
            self.arg("name"),
            self.me,
            {"kind": kind, "script": self.arg("script")},
            self.arg("role", one_of("citizen", "resident")),
            self.home if home is None else path_of(home),
            qualities,
            None if ceiling is None else lists_of(ceiling),
        )

    def connect(self):
        under = lambda value: value is None or is_count(value)
        return facts_of.being_inhabited(name_of(self.arg("being")), self.me, is_count, under, self.arg("own") is True)

    def release(self):
        named = self.arg("being")
        return [self.released(self.me if named is None else name_of(named))]

    def speech(self):
        call, opened = self.call, self.open
        if not self.facts and given(self.record, "reason") in SILENT:
            return []
        wake, answers, caller = given(opened, "wake"), given(opened, "answers"), asker_in(opened, self.me)
        wake_id, kind = str(given(wake, "id")), given(wake, "kind")
        to = self.target[1:] if self.target is not None else text(caller)
        said = text(self.first("to")) if to is None else to
        is_act = kind == "act" and wake_id.startswith("act/")
        own = wake_id.removeprefix("act/") if is_act else given(self.record, "moment")
        is_reply = answers is not None and (kind == "act" or wake_id.startswith("approved/"))
        thread, orientation, expects = at(call, "thread"), at(call, "orientation"), at(call, "expectReply")
        root = is_text if is_reply else own if kind == "act" else given(wake, "root")
        asked = given(call, "inReplyTo")
        may_answer = is_reply or said == caller
        owed = given(owed_in(opened, self.me), "id")
        is_outside = at(opened, "outside") is True
        if self.first("outside") is True and not is_outside:
            self.attest()
        yield Due(
            f"being:{self.me}",
            "being:summoned",
            {
                "correlation": own,
                "to": is_text if to is None else to,
                "content": given(call, "content"),
                "root": root if thread is ABSENT else thread,
                "inReplyTo": asked if asked is not None else one_of(None, answers, wake_id, owed) if may_answer else None,
                "followed": one_of(at(opened, "heard") if owed is not None and self.first("inReplyTo") == owed else ABSENT),
                "expectReply": one_of(ABSENT, False) if expects is ABSENT or said == self.me else one_of(False if expects is False else ABSENT),
                "channel": one_of(at(call, "channel")),
                "thread": one_of(thread),
                "orientation": one_of(orientation if said == self.me else ABSENT),
                "outside": one_of(True) if is_outside else one_of(True, ABSENT),
                "role": given(self.record, "stack", "primary", "name"),
                "cognition": given(opened, "cognition", "kind"),
            },
        )


DO = {
    "create-space": Act.create_space,
    "set-space": lambda act: act.set_quality(act.or_place()),
    "set-being": lambda act: act.set_quality(act.or_me()),
    "set-matter": lambda act: act.set_quality(act.target),
    "set-size": Act.set_size,
    "add-contributor": lambda act: act.change_contributor("added"),
    "remove-contributor": lambda act: act.change_contributor("removed"),
    "create-matter": Act.create_matter,
    "keep-file": Act.keep_file,
    "write-matter": Act.write_matter,
    "end-matter": Act.end_matter,
    "take": Act.take,
    "put": Act.put,
    "move": Act.move,
    "set-roleflow": Act.set_roleflow,
    "set-default-role": Act.set_default_role,
    "set-schedule": Act.set_schedule,
    "subscribe": Act.subscribe,
    "delete-schedule": lambda act: act.remove("schedule"),
    "unsubscribe": lambda act: act.remove("subscription"),
    "pause-being": lambda act: act.happen("being:paused"),
    "resume-being": lambda act: act.happen("being:resumed"),
    "accept-difference": Act.accept_difference,
    "end-being": Act.end_being,
    "set-budget": Act.set_budget,
    "unpark-being": Act.unpark,
    "set-role": Act.set_role,
    "delete-role": Act.delete_role,
    "set-world-signal": Act.publish,
    "grant-namespace": lambda act: act.grant("granted"),
    "revoke-namespace": lambda act: act.grant("revoked"),
    "cut-thread": Act.cut_thread,
    "vouch": Act.vouch,
    "erase": Act.erase,
    "set-hold": lambda act: act.hold("set"),
    "lift-hold": lambda act: act.hold("lifted"),
    "approve": Act.approve,
    "deny": Act.deny,
}
FACTS = {"do": DO, "be": {"birth": Act.birth, "connect": Act.connect, "release": Act.release}}


def compare(facts, due):
    due = [one if type(one) is Due else Due(*one) for one in due]
    wanted = [one for i, one in enumerate(due) if not one.is_optional or i < len(facts)]
    need(len(facts) == len(wanted), "more or fewer facts than its decision yields", "facts-mismatch")
    for (reel, kind, payload), one in zip(facts, wanted):
        need(kind == one.kind and one.reel in (None, reel), "another fact than its decision yields", "facts-mismatch")
        need(payload is None or fits(payload, one.fields, one.is_open), "a fact says something else than its decision", "facts-mismatch")


def notes(moment, brought):
    """What a moment wrote that did not act."""
    record, decision = moment["record"], moment["decision"]
    if at(decision, "breach") is not ABSENT:
        yield Due(f"being:{record['being']}", "being:parked", {"breach": decision["breach"]})
    if record["outcome"] == "waiting":
        yield Due(f"approval:{record['moment']}", "approval:asked", {"call": given(decision, "call")}, is_open=True)
    if brought is not None:
        reason = given(record, "reason")
        fields = {"code": record["outcome"] if reason is None else reason}
        yield Due(f"approval:{brought}", "approval:voided", fields, is_optional=True)


def check_facts(all_facts, moment, role, target, known_of):
    """Raises Broken where the facts are not what the decision yields, as far as that is known."""
    record, decision = moment["record"], moment["decision"]
    if decision is None:
        return
    facts = [fact for fact in all_facts if not fact[0].startswith("tally:") and fact[1] != MARKED]
    check_marks(all_facts)
    check_counted([fact for fact in all_facts if fact[0].startswith("tally:")], moment)
    args = arguments_of(given(decision, "call")) if record["outcome"] in ("act", "waiting") else None
    check_uncounted(facts, moment, args, role, target, known_of)


def arguments_of(call):
    """Those of an operation of TreeOS, which acts on none that it does not take."""
    verb, name = given(call, "verb"), given(call, "operation")
    if verb not in FACTS or name not in OPERATIONS[verb]:
        return {}
    try:
        return read_arguments(call["args"], FORMS[name])
    except Refused:
        raise Broken("arguments that its operation does not take", "facts-mismatch") from None


def check_counted(facts, moment):
    """Facts by which a call is counted. The amounts are its arguments."""
    call = given(moment["decision"], "call")
    args = given(call, "args")

    def is_amounts(said):
        return type(said) is dict and all(same(at(args, name), amount) for name, amount in said.items())

    is_act = moment["record"]["outcome"] == "act"
    fields = {"amounts": is_amounts} if is_act else {"amounts": is_amounts, "failed": True}
    for _, kind, payload in facts:
        need(is_act or "effect" in moment["record"], "counted without an act", "facts-mismatch")
        need(kind == "tally:counted" and (payload is None or fits(payload, fields)), "counted otherwise", "facts-mismatch")


def check_uncounted(facts, moment, args, role, target, known_of):
    record, decision = moment["record"], moment["decision"]
    wake = str(given(moment["open"], "wake", "id"))
    is_brought = given(moment["open"], "wake", "kind") == "event" and wake.startswith("approved/")
    brought = wake.removeprefix("approved/") if is_brought else None
    if record["outcome"] != "act":
        compare(facts, notes(moment, brought))
        return
    own = facts
    if brought is not None:
        own = facts[:-1]
        compare(facts[len(own) :], [Due(f"approval:{brought}", "approval:used", {"moment": record["moment"]})])
    call = given(decision, "call")
    verb = given(call, "verb")
    act = Act(own, moment, args, role, target, known_of)
    if verb == "summon":
        compare(own, act.speech())
        return
    if verb not in FACTS:
        compare(own, [])
        return
    key = given(call, "operation")
    if key not in FACTS[verb]:
        return  # code of an extension says it
    due = FACTS[verb][key](act)
    more = own[len(due) :] if key in ENDING else []
    are_ended = all(is_ended_subscription(*fact) for fact in more)
    compare(own[: len(due)] if more and are_ended else own, due)
