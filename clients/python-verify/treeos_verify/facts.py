"""The facts of an act, derived from its decision: which facts, on which reels, and what they say."""

from .gates import written
from .hashes import value_hash
from .origin import MARKED, check_marks
from .plain_json import ABSENT, at, given, is_count, need, same

LISTS = ("canSee", "canDo", "canSummon", "canBe")
AMOUNTS = ("momentsPerMinute", "selfContinues", "hops", "births", "tokens", "money")
JOINT = ("momentsPerMinute", "births", "tokens", "tokensPerPerson", "money")
ENDING = ("set-roleflow", "set-role", "delete-role", "set-space", "remove-contributor")
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


def anything(_):
    return True


def is_text(value):
    return type(value) is str


def is_object(value):
    return type(value) is dict


def one_of(*values):
    return lambda value: any(same(value, one) for one in values)


def or_any(value):
    return anything if value is None else value


def text(value):
    return value if type(value) is str else None


def there(args, *names):
    """Those that are there and not null."""
    return {name: args[name] for name in names if given(args, name) is not None}


def reel_of(target):
    if target is None:
        return None
    if target.startswith("@"):
        return f"being:{target[1:]}"
    return f"space:{target}" if target.startswith("/") else target


def path_of(address):
    return written("canSee", str(address), "/")


def name_of(stance):
    return written("canSummon", str(stance), "/")[1:]


def parent_of(path):
    return path[: path.rindex("/")] or "/"


def lists_of(value):
    return {name: [] if at(value, name) is ABSENT else value[name] for name in LISTS}


def set_fact(reel, path, value, merge=False):
    return Due(reel, "quality:set", {"path": path, "value": value, "merge": merge})


def passed(kind, place, thing):
    return Due(reel_of(place), f"place:{kind}", {"matter": thing.removeprefix("matter:")})


def is_ended_subscription(reel, kind, payload):
    def is_path(path):
        return type(path) is list and len(path) == 2 and path[0] == "subscription" and is_text(path[1])

    fields = {"path": is_path, "value": None, "merge": False}
    return reel.startswith("being:") and kind == "quality:set" and (payload is None or fits(payload, fields))


class Act:
    """A call and what its facts are derived from. `facts` are (reel, kind, payload), the payload None where it was erased."""

    def __init__(self, facts, moment, role, target, state_of):
        self.facts, self.record, self.open, self.role, self.state_of = facts, moment["record"], moment["open"], role, state_of
        self.call = given(moment["decision"], "call")
        self.me, self.attested = self.record["being"], False
        state = state_of(f"being:{self.me}") or {}
        self.home, self.place = text(state.get("home")), text(state.get("space"))
        verb, named = given(self.call, "verb"), given(self.call, "target")
        if target is not None:
            self.target = target
        elif named == "~":
            self.target = self.home
        elif type(named) is str:
            self.target = written("canSummon" if verb == "summon" else "canSee", named, "/")
        else:
            self.target = None
        args = given(self.call, "args")
        self.args = args if type(args) is dict else {}

    def arg(self, name, default=None):
        """An argument; the default where it is null or not there."""
        value = given(self.args, name)
        return default if value is None else value

    def attest(self):
        self.attested = True

    def first(self, key):
        return given(self.facts[0][2], key) if self.facts else None

    def or_me(self):
        return f"@{self.me}" if self.target is None else self.target

    def or_place(self):
        return self.place if self.target is None else self.target

    def place_of(self, reel, key):
        known = None if reel is None else text(given(self.state_of(reel), "space"))
        if known is None:
            self.attest()
            return text(self.first(key))
        return known

    # Each operation gives the facts that are due.

    def create_space(self):
        path = path_of(given(self.args, "path"))
        fields = {"path": path, "type": self.arg("type", "room"), "owner": self.me, "qualities": {}}
        yield Due(f"space:{path}", "space:created", fields | there(self.args, "size", "coord"))
        yield Due(f"space:{parent_of(path)}", "space:opened", {"path": path})

    def set_quality(self, target):
        keys = str(given(self.args, "field")).removeprefix("qualities.").split(".")
        merge = self.args.get("merge", True)
        yield set_fact(reel_of(target), keys, given(self.args, "value"), merge)

    def set_size(self):
        yield Due(reel_of(self.or_place()), "space:resized", {"size": given(self.args, "size")})

    def change_part(self, kind):
        yield Due(reel_of(self.or_place()), kind, {"being": name_of(given(self.args, "being"))})

    def create_matter(self):
        thing, place = given(self.args, "id"), self.or_place()
        fields = {"id": str(thing), "type": self.arg("type", "thing"), "owner": self.me, "qualities": {}}
        fields |= {"content": given(self.args, "content"), "place": or_any(place)} | there(self.args, "coord")
        yield Due(f"matter:{thing}", "matter:created", fields)
        yield passed("received", place, str(thing))

    def write_matter(self):
        yield Due(self.target, "matter:written", {"content": given(self.args, "content")})

    def end_matter(self):
        known = text(given(self.state_of(self.target), "space"))
        if known is None:
            self.attest()
        yield Due(self.target, "matter:ended")
        yield passed("gave", known, self.target)

    def go(self, start, end):
        fields = {"from": or_any(start), "to": or_any(end)} | there(self.args, "coord")
        yield Due(self.target, "matter:moved", fields)
        yield passed("gave", start, self.target)
        yield passed("received", end, self.target)

    def move(self):
        start, end = self.place_of(f"being:{self.me}", "from"), self.or_place()
        fields = {"from": or_any(start), "to": or_any(end)} | there(self.args, "coord")
        yield Due(f"being:{self.me}", "being:moved", fields)
        if start != end:
            yield Due(reel_of(start), "space:left", {"being": self.me, "to": or_any(end)})
            yield Due(reel_of(end), "space:entered", {"being": self.me, "from": or_any(start)})

    def set_roleflow(self):
        yield set_fact(reel_of(self.or_me()), ["roleFlow"], given(self.args, "flow"))

    def set_schedule(self):
        own = {"everySeconds": given(self.args, "everySeconds"), "priority": self.arg("priority", "background")}
        if "content" in self.args:
            own["content"] = self.args["content"]
        yield self.kept("schedule", lambda value: same(value, own))

    def subscribe(self):
        scope = given(self.args, "scope")
        fields = {
            "scope": scope if scope == "everywhere" else path_of(scope),
            "below": self.arg("below", False),
            "field": given(self.args, "field"),
            "priority": self.arg("priority", "background"),
            "coalesceSeconds": self.arg("coalesceSeconds", 0),
            "beings": lambda value: type(value) is bool,
        }
        if "equals" in self.args:
            equals = self.args["equals"]
            fields["equals"] = equals if type(equals) is list else [equals]
        yield self.kept("subscription", lambda value: fits(value, fields))

    def kept(self, kind, own):
        is_preset = "preset" in self.args
        if is_preset:
            self.attest()
        return set_fact(reel_of(self.or_me()), [kind, given(self.args, "name")], is_object if is_preset else own)

    def remove(self, kind):
        yield set_fact(reel_of(self.or_me()), [kind, given(self.args, "name")], None)

    def happen(self, kind):
        yield Due(reel_of(self.or_me()), kind)

    def accept_difference(self):
        fields = {name: given(self.args, name) for name in ("moment", "recorded", "given")}
        yield Due(reel_of(self.or_me()), "being:difference-accepted", fields)

    def end_being(self):
        being = self.or_me()[1:]
        state = self.state_of(f"being:{being}")
        driver, place = at(state, "driver"), text(given(state, "space"))
        if place is None:
            self.attest()
        is_driven = (self.facts[:1] and self.facts[0][1] == "being:released") if driver is ABSENT else driver is not None
        if is_driven:
            yield from self.released(being)
        yield Due(f"being:{being}", "being:ended")
        yield Due(reel_of(place), "space:left", {"being": being, "to": None})

    def released(self, being):
        driver = text(given(self.state_of(f"being:{being}"), "driver"))
        if driver is None:
            self.attest()
        fields = {"by": is_text if driver is None else driver, "epoch": is_count, "why": "released"}
        yield Due(f"being:{being}", "being:released", fields)

    def set_budget(self):
        if self.target not in (None, "/"):
            budget = there(self.args, *AMOUNTS) | {"per": self.arg("per", "total")}
            yield Due(reel_of(self.target), "being:budgeted", {"budget": budget})
            return
        fields = there(self.args, *JOINT) | {"per": self.arg("per", "day"), "revision": is_count}
        yield set_fact("space:/", ["budget", self.arg("for", "llm")], lambda value: fits(value, fields))

    def unpark(self):
        reel, is_released = reel_of(self.or_me()), given(self.args, "release") is True
        yield Due(reel, "being:unparked", {"release": True} if is_released else {})
        if not is_released:
            return
        budget = at(self.state_of(reel), "budget")
        if budget is ABSENT:
            self.attest()
            yield Due(reel, "being:budgeted", {"budget": is_object}, is_optional=True)
        elif budget is not None:
            yield Due(reel, "being:budgeted", {"budget": budget})

    def set_role(self):
        role = given(self.args, "role")
        spec = lists_of(None) | {"see": [], "prompt": ""} | (role if type(role) is dict else {})
        fields = {"name": given(spec, "name"), "digest": value_hash(spec), "origin": "live", "spec": spec}
        yield Due("registry", "role:set", fields | there(self.args, "trial"))

    def delete_role(self):
        yield Due("registry", "role:deleted", {"name": given(self.args, "name")})

    def publish(self, kind, fields):
        namespace = given(self.args, "namespace")
        own = {"namespace": namespace, "owner": one_of(ABSENT, "operator")}
        yield Due(f"world:{namespace}", kind, own | fields)

    def signal(self):
        yield from self.publish(
            "signal:published", {"key": str(given(self.args, "key")).split("."), "value": given(self.args, "value")}
        )

    def grant(self, kind):
        yield from self.publish(kind, {"being": name_of(given(self.args, "being"))})

    def cut_thread(self):
        yield Due(self.target, "thread:cut", {"thread": str(self.target).removeprefix("thread:")})

    def vouch(self):
        if "role" in self.args:
            yield Due("registry", "origin:vouched", {"name": self.args["role"]})
        else:
            reel = f"world:{self.args['namespace']}" if "namespace" in self.args else reel_of(self.target)
            yield Due(reel, "origin:vouched")

    def erase(self):
        fact, why = at(self.args, "fact"), given(self.args, "why")
        if fact is ABSENT:
            yield Due(reel_of(self.or_me()), "moment:erased", {"moment": given(self.args, "moment"), "why": why})
        else:
            fields = {"seq": given(fact, "seq"), "hash": given(fact, "hash"), "why": why}
            yield Due(text(given(fact, "reel")) or "", "fact:erased", fields)

    def approval(self):
        return "approval:" + "/".join(str(given(self.args, "id")).split("/")[:3])

    def approve(self):
        reel, others = self.approval(), at(self.args, "args")
        waits = at(self.state_of(reel), "call")

        def is_call(call):
            if type(waits) is dict:
                return same(call, waits if others is ABSENT else {**waits, "args": others})
            return type(call) is dict and (others is ABSENT or same(at(call, "args"), others))

        if type(waits) is not dict:
            self.attest()
        yield Due(reel, "approval:given", {"call": is_call, "digest": lambda value: value == value_hash(self.first("call"))})

    def deny(self):
        yield Due(self.approval(), "approval:denied", there(self.args, "why"))

    def birth(self):
        kind, name = given(self.args, "cognition"), str(given(self.args, "name"))
        home = self.home if given(self.args, "home") is None else path_of(self.args["home"])
        llm = there(self.args, "connection") if kind == "llm" else {}
        qualities = {"roleFlow": self.args["roleFlow"]} if "roleFlow" in self.args else {}
        ceiling = given(self.args, "ceiling")
        fields = {
            "name": name,
            "parent": self.me,
            "cognition": {"kind": kind, "script": given(self.args, "script")},
            "defaultRole": self.arg("role", one_of("citizen", "resident")),
            "home": or_any(home),
            "qualities": qualities | ({"llm": llm} if llm else {}),
            "ceiling": None if ceiling is None else lists_of(ceiling),
        }
        yield Due(f"being:{name}", "being:born", fields)
        yield Due(f"being:{self.me}", "being:bore", {"being": name})
        yield Due(reel_of(home), "space:entered", {"being": name, "from": None})

    def connect(self):
        own = {"own": True} if given(self.args, "own") is True else {}
        fields = {"by": self.me, "epoch": is_count, "under": lambda value: value is None or is_count(value)}
        yield Due(f"being:{name_of(given(self.args, 'being'))}", "being:inhabited", fields | own)

    def release(self):
        yield from self.released(name_of(self.args["being"]) if "being" in self.args else self.me)

    def speech(self):
        call, opened = self.call, self.open
        if not self.facts and given(self.record, "reason") in SILENT:
            return
        wake, answers, caller = given(opened, "wake"), given(opened, "answers"), given(opened, "caller", "name")
        wake_id, kind = str(given(wake, "id")), given(wake, "kind")
        replies = at(self.role, "replyTo")
        is_asker = self.role is not None and (replies is ABSENT or replies in (None, "asker"))
        to = self.target[1:] if self.target is not None else text(caller) if is_asker else None
        if to is None:
            self.attest()
        said = text(self.first("to")) if to is None else to
        is_act = kind == "act" and wake_id.startswith("act/")
        own = wake_id.removeprefix("act/") if is_act else given(self.record, "moment")
        is_reply = answers is not None and (kind == "act" or wake_id.startswith("approved/"))
        thread, orientation, expects = at(call, "thread"), at(call, "orientation"), at(call, "expectReply")
        root = is_text if is_reply else own if kind == "act" else given(wake, "root")
        asked = given(call, "inReplyTo")
        may_answer = is_reply or said == caller
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
                "inReplyTo": asked if asked is not None else one_of(None, answers, wake_id) if may_answer else None,
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
    "add-contributor": lambda act: act.change_part("space:contributor-added"),
    "remove-contributor": lambda act: act.change_part("space:contributor-removed"),
    "create-matter": Act.create_matter,
    "write-matter": Act.write_matter,
    "end-matter": Act.end_matter,
    "take": lambda act: act.go(act.place_of(act.target, "from"), f"@{act.me}"),
    "put": lambda act: act.go(f"@{act.me}", act.place),
    "move": Act.move,
    "set-roleflow": Act.set_roleflow,
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
    "set-world-signal": Act.signal,
    "grant-namespace": lambda act: act.grant("signal:granted"),
    "revoke-namespace": lambda act: act.grant("signal:revoked"),
    "cut-thread": Act.cut_thread,
    "vouch": Act.vouch,
    "erase": Act.erase,
    "approve": Act.approve,
    "deny": Act.deny,
}
FACTS = {"do": DO, "be": {"birth": Act.birth, "connect": Act.connect, "release": Act.release}}


def compare(facts, due):
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


def check_facts(all_facts, moment, role, target, state_of):
    """Raises Broken where the facts are not what the decision yields. Says whether something of them is said by the record alone."""
    record, decision = moment["record"], moment["decision"]
    if decision is None:
        return False
    facts = [fact for fact in all_facts if not fact[0].startswith("tally:") and fact[1] != MARKED]
    check_marks(all_facts)
    check_counted([fact for fact in all_facts if fact[0].startswith("tally:")], moment)
    is_counted = any(fact[0].startswith("tally:") for fact in all_facts)
    return check_uncounted(facts, moment, role, target, state_of) or is_counted


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


def check_uncounted(facts, moment, role, target, state_of):
    record, decision = moment["record"], moment["decision"]
    wake = str(given(moment["open"], "wake", "id"))
    is_brought = given(moment["open"], "wake", "kind") == "event" and wake.startswith("approved/")
    brought = wake.removeprefix("approved/") if is_brought else None
    if record["outcome"] != "act":
        compare(facts, list(notes(moment, brought)))
        return False
    own = facts
    if brought is not None:
        own = facts[:-1]
        compare(facts[len(own) :], [Due(f"approval:{brought}", "approval:used", {"moment": record["moment"]})])
    call = given(decision, "call")
    verb = given(call, "verb")
    act = Act(own, moment, role, target, state_of)
    if verb == "summon":
        compare(own, list(act.speech()))
        return act.attested
    if verb not in FACTS:
        compare(own, [])
        return False
    key = given(call, "operation")
    if str(key) not in FACTS[verb]:
        return True
    due = list(FACTS[verb][key](act))
    more = own[len(due) :] if key in ENDING else []
    if more and all(is_ended_subscription(*fact) for fact in more):
        compare(own[: len(due)], due)
        return True
    compare(own, due)
    return act.attested
