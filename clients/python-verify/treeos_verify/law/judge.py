"""What the call of a moment comes to, and whether its record says so: docs/formats.md, "The law of a call"."""

import re

from ..gates import LIST_OF, list_gate
from ..hashes import value_hash
from ..moment import may_be_unloaded
from ..operation_facts import file_kept
from ..own_rules import OPERATIONS
from ..origin import marks_for
from ..plain_json import ABSENT, Broken, at, canonical, given, items, need, same
from ..questions import asker_in, goes_on, is_of_person, is_to_self, owed_in
from .consent import Consent, asked_fact, require_yes, still_asked, ties_of
from .names import Refused, parse_address, parse_stance, refuse_unless, written
from .operations import SUBSTRATE_TARGETS, THINGS_MAX, Work, alive, decide
from .sight import Seer, name_of, reach_with, reads_place, roles_named, surface_of
from .world import GONE, MISSING, OF_ASKER, OF_CODE, OF_THREAD, UNSEEN, LawWorld, NotProven

BESIDE = "what refused them beside the gates is said by their records"
NOT_LOADED = "code of a role that they wore was not loaded"
EXPANDS = "code of an extension expands the lists of their roles"
SPENT = ("steps-spent", "repeated-call", "chain-spent", "self-continues-spent", "looks-spent")  # the last two in records of before
CODE = re.compile(r"[A-Z_]+\Z")
FACTS_MAX = 64
HOPS_MAX = 16


def is_of_thread(wake):
    """Whether a cut of the thread ends the wake. Wakes by change, schedule or idle timer outlive it."""
    if wake["kind"] != "event" or goes_on(wake):
        return True
    begins = wake["id"].split("/")[0]
    return begins not in ("schedule", "change", "idle") and ":" not in begins


def is_of_law(reel):
    """Whether facts on a reel are the law's own also where code of an extension decides: that its call is counted, and what becomes of a yes."""
    return reel.startswith(("tally:", "approval:"))


class Conclusion:
    """What a call comes to. `facts` are (reel, kind, payload), None where it is refused. Where code decided, they are those of the law alone."""

    def __init__(self, outcome, reason=None, by=None, facts=None, shadow=(), is_of_code=False):
        self.outcome, self.reason, self.by, self.facts = outcome, reason, by or [], facts
        self.shadow, self.is_of_code = list(shadow), is_of_code
        self.is_unseen = False  # it rests on what came by no summon


class Law:
    """Judges the calls of a bundle."""

    def __init__(self, rows, is_whole, contents):
        self.rows, self.is_whole, self.contents = rows, is_whole, contents

    def content(self, digest):
        if digest in self.contents:
            return self.contents[digest]
        if digest in self.rows.specs:
            return self.rows.specs[digest]
        raise NotProven(GONE)

    def known(self, digest):
        """A content, or None where it is not here."""
        return self.contents.get(digest, self.rows.specs.get(digest))

    def world(self, heads):
        return LawWorld(self.rows, heads, self.is_whole, self.content)

    def sees_place(self, being, basis):
        """Whether the flow of a being may read the place where it is; None where that rests on what is not here."""
        try:
            world = self.world(basis)
            return reads_place(world, world.being_row(being))
        except (NotProven, Broken):
            return None

    def check(self, moment, heads, written):
        """Broken where its record, or the facts that it wrote, say otherwise. The class of what is not proven of its call, in words, or None."""
        record, decision = moment["record"], moment["decision"]
        if at(decision, "kind") != "call" or record["stack"] is None:
            return None
        if "beside" in record:
            return BESIDE
        if "effect" in record and moment["effect"] is None:
            return GONE
        if record["promptDigest"] is None:
            return NOT_LOADED if may_be_unloaded(moment, self.known) else None
        need("judged" in record, "its record does not say from which heads its call was judged", "law-mismatch")
        try:
            return Judgement(self, moment, heads, written).check()
        except NotProven as found:
            return str(found)


class Judgement:
    """One call."""

    def __init__(self, law, moment, heads, written):
        self.law, self.moment, self.heads, self.written = law, moment, heads, written  # an erased payload is None
        self.record, self.open, self.call = moment["record"], moment["open"], moment["decision"]["call"]
        self.manifest = law.content(given(self.record, "code") or given(self.open, "code"))
        self.stack = self.record["stack"]
        self.specs = [law.content(role["digest"]) for role in (self.stack["primary"], *self.stack["stacked"])]
        self.cognition, self.driver = self.open["cognition"]["kind"], given(self.open, "driver")

    def check(self):
        basis = self.law.world(self.heads.basis)
        me = basis.being_row(self.record["being"])
        need(me is not None, "its being is not there in what it read", "law-mismatch")
        self.epoch = given(me.get("inhabited"), "epoch") or 0
        self.surface, is_dropped = self.worn(basis, me)
        if value_hash(self.surface) != self.record["surfaceDigest"]:
            need(is_dropped, "its lists are expanded otherwise than its record says", "law-mismatch")
            return EXPANDS
        wake = self.open["wake"]
        deciding = Deciding(self, wake["root"])
        try:
            found = deciding.conclude()
        except Broken:
            if deciding.is_of_code and self.record["outcome"] == "failure" and not items(self.record, "by"):
                return OF_CODE  # its code refused before the law read whom rules ask
            raise
        if found.facts is not None and not is_of_thread(wake) and not self.are_written(found.facts):
            first, found = found, Deciding(self, wake["id"]).conclude()
            found.is_unseen |= first.is_unseen
        return self.compare(found)

    def worn(self, basis, me):
        is_inward = at(self.open, "orientation") == "inward"
        return surface_of(basis, me, asker_in(self.open, me["name"]), self.specs, is_inward, self.manifest)

    def are_written(self, facts, is_compared=lambda reel: True):
        left = [one for one in facts if is_compared(one[0])]
        for reel, kind, payload in self.written:
            if not is_compared(reel):
                continue
            place = next((i for i, one in enumerate(left) if self.is_fact(one, reel, kind, payload)), None)
            if place is None:
                return False
            left.pop(place)
        return not left

    def is_fact(self, due, reel, kind, payload):
        if due[:2] != (reel, kind):
            return False
        if kind == "approval:asked" and due[2]["ties"]["operation"] is None and type(at(payload, "ties")) is dict:
            operation = at(payload, "ties", "operation")  # of an operation of TreeOS it is a digest of its text
            due = (reel, kind, {**due[2], "ties": {**due[2]["ties"], "operation": None if operation is ABSENT else operation}})
        return payload is None or same(payload, due[2])

    def compare(self, found):
        record = self.record
        outcome, reason, by = record["outcome"], given(record, "reason"), items(record, "by")
        if found.is_of_code and outcome == "failure" and not by:
            return OF_CODE
        is_spent = found.outcome != "failure" and reason in SPENT
        is_of_gates = not found.is_of_code or (found.outcome == "failure" and found.by) or (outcome == "failure" and by)
        told = [("outcome", outcome, found.outcome)] + ([] if is_spent else [("reason", reason, found.reason)])
        told += [("by", by, found.by), ("shadow", items(record, "shadow"), found.shadow)]
        others = [one for one in told if not same(*one[1:])]
        if found.is_unseen and others:
            return UNSEEN
        for field, was, due in others:
            is_left_out = (field == "reason" and found.is_of_code) or (field == "outcome" and not is_of_gates)
            what = f"its call comes to another {field}: {canonical(due)[:200]}, and not {canonical(was)[:200]}"
            need(is_left_out, what, "law-mismatch")
        if found.is_of_code:
            need(self.are_written(found.facts or [], is_of_law), "its call is counted or asked about otherwise", "facts-mismatch")
            files = [due for due in found.facts or [] if not is_of_law(due[0])]
            are_made = all(any(self.is_fact(due, *fact) for fact in self.written) for due in files)
            need(are_made, "a file that its effect brought is no thing", "facts-mismatch")
            return OF_CODE
        is_act_like = found.outcome in ("act", "waiting")
        need(not is_act_like or self.are_written(found.facts), "its call comes to other facts than it wrote", "facts-mismatch")
        return None


class Deciding:
    """A call that is decided, over the world from which it was judged."""

    def __init__(self, judgement, root):
        self.j, self.record, self.open, self.call = judgement, judgement.record, judgement.open, judgement.call
        self.world = judgement.law.world(judgement.heads.judged_from)
        self.said = judgement.law.rows.said
        self.own_wake = {**self.open["wake"], "root": root}
        self.moment_id = self.record["moment"]
        self.from_outside = at(self.open, "outside") is True
        primary = judgement.specs[0]
        self.answers_nobody = given(primary, "respondMode") == "none"
        self.self_continues = given(primary, "selfContinue") is True
        self.is_of_code = False
        self.is_unseen = False

    def conclude(self):
        found = self.concluded()
        found.is_unseen = self.is_unseen
        return found

    def concluded(self):
        me = self.world.being_row(self.record["being"])
        if me is not None and "ended" in me:
            return Conclusion("failure", "BEING_ENDED")
        consent = None
        try:
            if me is None:
                raise Refused("INTERNAL")
            self.me = me
            self.require_hands()
            self.wake = self.answered()
            args = self.call["args"] if self.call["verb"] in ("do", "be") else None
            consent = self.consent = Consent(self.world, me, self.open["openedAt"], args, self.from_outside)
            return self.decide(consent)
        except Refused as refused:
            shadow = consent.shadow if consent is not None else []
            is_shown = self.call["verb"] == "see" and self.open["wake"]["kind"] != "act" and refused.code != "INTERNAL"
            outcome = "see" if is_shown else "failure"
            return Conclusion(outcome, refused.code, refused.by, None, shadow, self.is_of_code)

    def holds_call(self):
        return self.own_wake["kind"] == "act" or self.approval() is not None

    def approval(self):
        wake = self.own_wake
        is_yes = wake["kind"] == "event" and wake["id"].startswith("approved/")
        return wake["id"].removeprefix("approved/") if is_yes else None

    def lease(self):
        return None if self.j.driver is None else {"driver": self.j.driver, "epoch": self.j.epoch}

    def require_hands(self):
        """Whoever acts as a being is that person, or drives it still."""
        lease = self.lease()
        if not self.holds_call() or (lease is None and self.own_wake["kind"] != "act"):
            return
        if lease is None:
            refuse_unless(self.me["cognition"]["kind"] == "human", "FORBIDDEN")
            return
        now = self.me.get("inhabited") or {}
        refuse_unless(now.get("by") == lease["driver"] and now.get("epoch") == lease["epoch"], "FORBIDDEN")

    def summon_of(self, correlation):
        """The wake that a summon there made. Acts and events are in inboxes alone."""
        found = self.said.get(correlation)
        self.is_unseen |= found is None
        return found

    def answered(self):
        """The wake that the call answers, or goes on from."""
        answers = given(self.open, "answers")
        begun = None if answers is None else self.summon_of(answers)
        content = None if self.holds_call() else given(self.said.get(self.own_wake["id"]), "content")
        own = {**self.own_wake, "being": self.record["being"], "content": content}
        if is_to_self(own, self.record["being"]):
            own["caller"] = given(self.open, "caller")  # a being is never its own asker
        if self.own_wake["kind"] != "act":
            if begun is None:
                return own
            return {**begun, "root": self.own_wake["root"]} | ({"caller": given(self.open, "caller")} if is_to_self(begun, self.record["being"]) else {})
        if answers is None:
            return own
        refuse_unless(begun is not None, "CORRELATION_NOT_FOUND")
        return begun

    def owed(self):
        """What the call answers unless it says otherwise, and whom; what a person chose answers what it names."""
        if not is_of_person(self.open):
            return owed_in(self.open, self.record["being"])
        caller = given(self.wake, "caller")
        return None if caller is None or goes_on(self.wake) else {"id": self.wake["id"], "caller": caller, "hops": 0}

    def heard(self):
        """Whose answers came of those that were asked for what is owed."""
        return [] if is_of_person(self.open) else given(self.open, "heard") or []

    # Gates

    def listed(self, verb, key):
        allowed, by = list_gate(self.world, self.world.being(self.me["name"]), self.j.surface, LIST_OF[verb], key)
        if not allowed:
            raise Refused("FORBIDDEN", [by])
        return by

    def resolve(self, text):
        kind, name = parse_address(text)
        if kind == "thread":
            raise NotProven(OF_THREAD)
        if kind == "being":
            row, code = self.world.being_row(name), "BEING_NOT_FOUND"
        elif kind == "matter":
            row, code = self.world.thing_row(name), "MATTER_NOT_FOUND"
        else:
            row, code = self.world.space_row(self.me["home"] if kind == "home" else name), "SPACE_NOT_FOUND"
        refuse_unless(row is not None, code)
        return ("space" if kind == "home" else kind, row)

    # Verbs

    def decide(self, consent):
        verb = self.call["verb"]
        if verb == "see":
            return Conclusion("see", None, self.see())
        if verb == "summon":
            facts, by, remark = self.summon(self.call)
            facts = [*facts, *consent.tallies.values()]
            is_pending, is_done = False, False
        else:
            facts, by, is_pending, is_done = self.operate(consent)
            remark = None
        return self.consented(consent, facts, by, remark, is_pending, is_done)

    def see(self):
        """Of several addresses one that is refused does not fail the others; where all are, the first refusal counts."""
        if "address" in self.call:
            return self.sight(self.call["address"])
        found, refusals = [], []
        for address in self.call["addresses"]:
            try:
                found += self.sight(address)
            except Refused as refused:
                refusals.append(refused)
        if len(refusals) == len(self.call["addresses"]):
            raise refusals[0]
        return list(dict.fromkeys(found))

    def sight(self, address):
        key = written("canSee", address, self.me["home"])
        if key != f"@{self.me['name']}":
            self.listed("see", key)
        target = self.resolve(address)
        allowed, by = Seer(self.world, self.me, self.j.surface).sees(target)
        if not allowed:
            raise Refused("FORBIDDEN", by)
        return by

    def operation(self, verb, name):
        """(targets, its own rule, what it asks, its manifest where it is of an extension)."""
        own = OPERATIONS[verb].get(name)
        if own is not None:
            return SUBSTRATE_TARGETS[name], own, None, None
        manifest = given(self.j.manifest, "operations", verb, name)
        refuse_unless(manifest is not None, "ACTION_NOT_SUPPORTED")
        return manifest["targets"], manifest["allow"], given(manifest, "ask"), manifest

    def operate(self, consent):
        verb, name, args = self.call["verb"], self.call["operation"], self.call["args"]
        consent.listed = self.listed(verb, name)
        targets, fallback, ask, manifest = self.operation(verb, name)
        if "overlay" in self.call:
            if manifest is not None:
                raise NotProven(OF_CODE)
            raise Refused("INVALID_INPUT")
        target = ("being", self.me)
        if verb == "do":
            named = given(self.call, "target")
            target = self.resolve(self.default_target(targets) if named is None else named)
        kinds = [target[0]] + (["reality"] if target[0] == "space" and target[1]["path"] == "/" else [])
        refuse_unless(any(kind in targets for kind in kinds), "INVALID_TYPE")
        if target[0] == "being":
            alive(target[1])
        rule = consent.granted(verb, name, target, fallback, ask)
        by = [consent.listed, rule]
        if name == "mediate" or given(manifest, "mediates") is True:
            raise NotProven(OF_ASKER)
        if manifest is not None:
            return self.of_code(consent, manifest, target, by)
        facts = decide(name, Work(self.world, self.me, target, {}, self.more(args)))
        facts = self.bounded(facts, consent)
        for reel, _, _ in facts:
            if reel != "registry":
                self.world.seq(reel)
        spreads = self.from_outside or (self.j.cognition != "human" and self.world.marked != set())
        facts = [*facts, *consent.tried.values()]
        return ([*facts, *self.marks(facts)] if spreads else facts), by, False, False

    def default_target(self, targets):
        if "reality" in targets:
            return "/"
        return f"@{self.me['name']}" if "being" in targets else self.me["space"]

    def more(self, args):
        own = given(self.me.get("inhabited"), "own") is True
        lender = None if own or self.j.driver is None else self.world.being_row(self.j.driver)
        reach = lambda: reach_with(self.world, self.me, None if lender is None else lender["name"])
        manifest = self.j.manifest
        targets = SUBSTRATE_TARGETS | {name: one["targets"] for name, one in manifest["operations"]["do"].items()}
        return {
            "args": args,
            "driver": None if self.j.driver is None else self.world.being_row(self.j.driver),
            "lender": lender,
            "cognition": self.j.cognition,
            "names": manifest["names"],
            "targets": {name: one for name, one in targets.items() if name not in OPERATIONS["be"]},
            "loaded": {f"can{verb.title()}": {*OPERATIONS[verb], *manifest["operations"][verb]} for verb in OPERATIONS},
            "reach": reach,
            "sees": Seer(self.world, self.me, self.j.surface, reach).sees_space,
            "is_act": self.wake["kind"] == "act",
            "is_wake_outside": self.wake.get("outside") is True,
            "named": given(self.call, "target"),
            "opened": self.open["openedAt"],
            "from_outside": self.from_outside,
        }

    def of_code(self, consent, manifest, target, by):
        """An operation of an extension. What its code writes nobody says but its record."""
        self.is_of_code = True
        facts = [*consent.tallies.values(), *consent.tried.values()]
        if "effect" not in manifest:
            return facts, by, False, False
        effect = self.j.moment["effect"]
        if effect is None or given(effect, "result") is None:
            return facts, by, True, False
        due = {"operation": self.call["operation"], "actor": self.me["name"], "target": name_of(target), "args": self.call["args"]}
        due |= {"secrets": manifest["effect"]["secrets"]} if manifest["effect"]["secrets"] else {}
        asked = given(effect, "request")
        if type(asked) is dict:
            asked = {field: asked[field] for field in asked if field not in ("cause", "key")}
        if not same(asked, due):
            raise Refused("INTERNAL")
        error = given(effect, "result", "error")
        if error is not None:
            raise Refused(error["code"] if CODE.match(str(error["code"])) else "INTERNAL")
        brought = list(self.brought(items(given(effect, "result"), "files")))
        return [*facts, *brought, *self.marks(brought)], by, False, True

    def brought(self, files):
        """The things of the files that the effect brought, while there is room."""
        room = THINGS_MAX - len(self.world.things(f"@{self.me['name']}")) if files else 0
        for file in files:
            if room <= 0:
                return
            if self.world.row(f"matter:{file['id']}") is None:
                yield from file_kept(file["id"], self.me["name"], file)
                room -= 1

    def bounded(self, facts, consent):
        facts = [*facts, *consent.tallies.values()]
        refuse_unless(len(facts) <= FACTS_MAX, "PAYLOAD_TOO_LARGE")
        return facts

    def marks(self, facts):
        """A mark for each row that words were written into, and that has none as a whole."""
        for (reel, name), mark in marks_for(facts).items():
            row = self.world.row(reel if name is None else f"role:{name}")
            if row is None or row.get("outside") is not True:
                yield mark

    # Speech

    def summon(self, call):
        """(facts, the rules that allow it, a remark where nothing is sent)."""
        wake, me = self.wake, self.me
        speaker, owed = given(wake.get("caller"), "name"), self.owed()
        named = given(call, "target")
        is_unwanted = wake.get("expectReply") is False and self.j.cognition != "human"
        if named is None and owed is None and speaker is not None:
            if is_unwanted or goes_on(wake):
                return [], [], "no-reply-expected" if is_unwanted else "already-answered"
        name = self.recipient() if named is None else parse_stance(named)
        may_answer = owed is not None and name == owed["caller"]["name"] and not self.answers_nobody
        reply = given(call, "inReplyTo")
        reply = owed["id"] if reply is None and may_answer else reply
        if reply is not None and not (may_answer and reply == owed["id"]):
            question = self.asked_before(reply, name)
            refuse_unless(question is not None, "FORBIDDEN")
            if question.get("expectReply") is False:
                return [], [], "no-reply-expected"
        if name == speaker and is_unwanted:
            return [], [], "no-reply-expected"
        if reply is None:
            self.require_hop(self.open_hops() if owed is None else owed["hops"])
        announces = self.self_continues and owed is None and reply is None and self.j.cognition != "human"
        expects = call["expectReply"] if type(given(call, "expectReply")) is bool else not announces
        expects = expects or (name == me["name"] and owed is not None and self.j.cognition != "human")
        orientation = given(call, "orientation")
        refuse_unless(name == me["name"] or orientation in (None, "forward"), "FORBIDDEN")
        being, by = self.gated(name)
        role = given(call, "role")
        refuse_unless(role is None or role in roles_named(being), "ROLE_UNAVAILABLE")
        refuse_unless("overlay" not in call or being["cognition"]["kind"] == "llm", "INVALID_INPUT")
        correlation = self.correlation()
        root = self.thread_for(call, correlation, reply)
        said = {"correlation": correlation, "to": name, "content": call["content"], "root": root, "inReplyTo": reply}
        said |= {"role": self.j.stack["primary"]["name"], "cognition": self.j.cognition}
        said |= {} if expects else {"expectReply": False}
        said |= {"channel": call["channel"]} if "channel" in call else {}
        said |= {"followed": heard} if (heard := self.heard()) and may_answer and reply == owed["id"] else {}
        said |= {"outside": True} if self.from_outside else {}
        said |= {"orientation": orientation} if orientation is not None and name == me["name"] else {}
        said |= {"thread": call["thread"]} if "thread" in call else {}
        return [(f"being:{me['name']}", "being:summoned", said)], by, None

    def recipient(self):
        refuse_unless(not self.answers_nobody, "INVALID_INPUT")
        owed = self.owed()
        refuse_unless(owed is not None, "INVALID_INPUT")
        return owed["caller"]["name"]

    def asked_before(self, correlation, sender):
        """What the being was asked before in the thread of its moment."""
        asked = None if self.answers_nobody else self.summon_of(correlation)
        if asked is None or self.wake["kind"] == "act":
            return None
        is_own = asked["being"] == self.me["name"] and asked["caller"]["name"] == sender
        return asked if is_own and asked["inReplyTo"] is None and asked["root"] == self.wake["root"] else None

    def require_hop(self, hops):
        line = [self.me, *self.world.makers(self.me["name"])]
        bounds = [row["budget"]["hops"] for row in line if "hops" in (row.get("budget") or {})]
        refuse_unless(hops < min([HOPS_MAX, *bounds]), "RATE_LIMITED")

    def open_hops(self):
        return 0 if self.own_wake["kind"] == "act" else self.own_wake.get("hops", 0)

    def gated(self, name):
        key = f"@{name}"
        listed = self.listed("summon", key)
        self.consent.listed = self.consent.listed or listed
        being = self.world.being_row(name)
        refuse_unless(being is not None, "BEING_NOT_FOUND")
        rule = self.consent.granted("summon", key, ("being", being), ["anyone"])
        return alive(being), [listed, rule]

    def correlation(self):
        wake = self.own_wake
        is_act = wake["kind"] == "act" and wake["id"].startswith("act/")
        return wake["id"].removeprefix("act/") if is_act else self.moment_id

    def thread_for(self, call, correlation, reply):
        own = correlation if self.wake["kind"] == "act" else self.wake["root"]
        thread = given(call, "thread")
        if thread is None or thread == own:
            return own
        refuse_unless(reply is None, "INVALID_INPUT")
        raise NotProven(OF_THREAD)

    # What rules ask

    def form(self):
        """Digest of what a yes to an operation rests on; None where nobody but its code says it."""
        if self.call["verb"] not in ("do", "be"):
            return None
        manifest = given(self.j.manifest, "operations", self.call["verb"], self.call["operation"])
        return given(manifest, "form")

    def consented(self, consent, facts, by, remark, is_pending, is_done):
        approval = self.approval()
        if remark is None and self.call["verb"] == "summon":
            facts = [*self.bounded_speech(facts), *consent.tried.values()]
        if not consent.asked and approval is None:
            return self.ended(consent, facts, by, remark, is_pending)
        lease = None if self.j.driver is None else {"driver": self.j.driver, "epoch": given(self.me.get("inhabited"), "epoch") or 0}
        ties = lambda: ties_of(consent, self.call, self.me, self.j.stack, lease, self.form())
        asked = lambda: still_asked(consent, self.me, self.j.driver, self.j.cognition)
        if approval is None:
            rules = asked()
            if not rules:
                return self.ended(consent, facts, by, remark, is_pending)
            if is_done:
                raise Refused("FORBIDDEN", [rules[0]["by"]])
            refuse_unless("overlay" not in self.call, "FORBIDDEN")
            fact = asked_fact(consent, self.call, self.j.moment, rules, ties(), lease, self.question_id())
            by = [consent.listed, *(rule["by"] for rule in rules)]
            return Conclusion("waiting", None, by, [fact], consent.shadow, self.is_of_code)
        row = self.world.row(f"approval:{approval}")
        require_yes(row, approval, self.me, self.open["openedAt"], ties, asked)
        yes = [f"approval {row['id']}: @{one['by']}" for one in row["given"]]
        used = (f"approval:{row['id']}", "approval:used", {"moment": self.moment_id})
        return self.ended(consent, [*facts, used], [*by, *yes], remark, is_pending)

    def bounded_speech(self, facts):
        refuse_unless(len(facts) <= FACTS_MAX, "PAYLOAD_TOO_LARGE")
        return facts

    def question_id(self):
        answers, wake = given(self.open, "answers"), self.own_wake
        if wake["kind"] == "act" or answers is not None:
            return answers
        return None if goes_on(wake) else wake["id"]

    def ended(self, consent, facts, by, remark, is_pending):
        if is_pending:
            raise Broken("its call is permitted, and no effect is recorded", "law-mismatch")
        is_silent = self.call["verb"] == "summon" and facts == []
        outcome = "see" if is_silent else "act"
        return Conclusion(outcome, remark, by, facts, consent.shadow, self.is_of_code)
