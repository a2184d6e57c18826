"""Receipts: the permission of a call, derived again from what its envelope holds."""

import re

from .approvals import Approval, check_yes, is_own_yes
from .facts import check_facts
from .flow import is_number, roles_for
from .effect_key import check_effect_call, check_effect_key
from .forms import has_form, is_payload_of
from .gates import LIST_OF, NOTHING, Question, World, check_shadow, expanded, is_standing, list_gate, rule_gate, tallies_tried, unknown, written
from .hashes import Checkpoint, fact_hash, is_hash, is_included, is_signed, moment_hash, plain_base64, salted_hash, value_hash
from .heads import shown_heads
from .law.sight import needs_no_world
from .moment import check_forms, check_header, check_moment, is_known_law, may_be_unloaded
from .own_rules import OPERATIONS
from .origin import Reads, asked_in, check_all_marked, check_origin
from .passkey import signer_of, signing_of
from .plain_json import ABSENT, Broken, at, canonical, given, items, need, parse, parse_canonical, same
from .questions import asker_in
from .stack import Beside, Stack, check_outcome
from .times import age_faults

RECEIPT_TYPE = "https://treeos.dev/receipt/v1"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
PARTS = ("prev", "record", "open", "basis", "judged", "decision", "salt", "effect")
KEY_OF = {"see": "address", "do": "operation", "be": "operation"}
CODE = re.compile(r"[A-Z_]+\Z")
LOST = ("TIMEOUT", "INTERNAL")
NOT_RUN = ("FORBIDDEN", "SERVICE_UNAVAILABLE")


def open_envelope(envelope, key):
    body = plain_base64(given(envelope, "payload"))
    signatures = items(envelope, "signatures")
    need(at(envelope, "payloadType") == PAYLOAD_TYPE and signatures, "no envelope")
    need(has_fields(envelope, "payload payloadType signatures"), "other fields")
    need(all(has_fields(one, "keyid sig") for one in signatures), "other fields of a signature")
    ids = [one["keyid"] for one in signatures]
    need(all(ids.count(one) == 1 for one in ids), "a key signed it twice")
    if key is not None:
        signed = f"DSSEv1 {len(PAYLOAD_TYPE)} {PAYLOAD_TYPE} {len(body)} ".encode() + body
        need(any(is_signed(key.key, signed, signature(one)) for one in signatures), "the key did not sign it")
        need(ids == [f"{key.name}+{key.id.hex()}"], "another keyid, or another signature")
    try:
        statement = parse_canonical(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise Broken("no UTF-8") from None
    need(at(statement, "_type") == STATEMENT_TYPE and at(statement, "predicateType") == RECEIPT_TYPE, "no receipt")
    check_shape(statement)
    return statement


PREDICATE = "facts fallback moment program proof reality reels specs surface target verdict"
PROOFS = ("index note path reels", "cuts index note path reels")


def has_fields(value, names):
    return type(value) is dict and " ".join(sorted(value)) == names


def check_shape(statement):
    """Other fields, or doubled ones, would be something that nobody checks."""
    need(has_fields(statement, "_type predicate predicateType subject"), "other fields of the statement")
    predicate, subjects = statement["predicate"], statement["subject"]
    need(type(predicate) is dict and has_fields({name: 1 for name in predicate if name != "ask"}, PREDICATE), "other fields of the predicate")
    proof = predicate["proof"]
    need(proof is None or any(has_fields(proof, names) for names in PROOFS), "other fields of the proof")
    need(type(subjects) is list and len(subjects) == 1 and has_fields(subjects[0], "digest name"), "other subjects")
    need(has_fields(subjects[0]["digest"], "sha256"), "other digests")


def signature(one):
    try:
        return plain_base64(given(one, "sig"))
    except Broken:
        return b""


class Derivation:
    """Derives the verdict, or raises Broken."""

    def __init__(self, witness):
        self.witness = witness
        for field, form in (("moment", dict), ("reels", dict), ("specs", list), ("fallback", list)):
            need(type(at(witness, field)) is form, f"no {field}")
        self.moment = witness["moment"]
        need(all(part in self.moment for part in PARTS), "a part of the moment is not there")
        self.record, self.open = given(self.moment, "record"), given(self.moment, "open")
        decision = given(self.moment, "decision")
        need(all(type(part) is dict for part in (self.record, self.open, decision)), "no record or decision")
        need(is_hash(self.moment["prev"]), "no moment before it")
        self.heads = shown_heads(self.moment)
        check_moment(self.moment, self.heads)
        self.name, self.being = self.record["moment"], self.record["being"]
        self.hash = moment_hash(self.moment["prev"], self.record)
        self.is_judged = is_known_law(self.record)
        if self.is_judged:
            self.derive(decision)

    def derive(self, decision):
        check_forms(self.moment)
        check_outcome(self.moment)
        if self.record["promptDigest"] is None:
            may_be_unloaded(self.moment, {value_hash(spec): spec for spec in self.witness["specs"]}.get)
        check_effect_key(self.moment, self.witness["reality"])
        check_effect_call(self.moment, None)
        need(has_form("program", at(self.witness, "program")), "a program of another form")
        need(all(has_form("spec", spec) for spec in self.witness["specs"]), "a spec of another form")
        need(has_form("lists", at(self.witness, "surface")), "lists of another form")
        need("effect" not in self.record or given(self.moment, "effect") is not None, "its effect was erased")
        self.call = given(decision, "call")
        need(at(decision, "kind") == "call" and type(self.call) is dict, "it called nothing")
        self.check_roles()
        self.world = self.world_of()
        self.me = self.world.being(self.being)
        need(self.me is not None and self.me["name"] == self.being, "never born")
        is_shown = lambda reel: reel != "registry" and reel in self.world.heads
        Stack(self.moment, self.heads.basis, Beside(self.world.read, is_shown, ABSENT, self.witness["program"], self.sees_place))
        is_there = lambda reel: reel in self.world.heads
        check_origin(self.record, self.open, self.heads.basis, self.world.origins, is_there, Reads(self.record, self.open))
        self.signing = self.signed()
        self.world.lineage(self.being)  # the reels of all makers have to be there
        self.asker = asker_in(self.open, self.record["being"])
        self.check_surface()
        self.gates = self.ask()
        self.verdict = self.judge()
        self.check_written()

    def sees_place(self):
        """Rules may keep it from its place. Away from home its reach does as well, where no maker set its flow, and no receipt shows that."""
        place, heads = self.me["space"], self.world.heads
        if any(head[1:3] != list(heads.get(reel, head[1:3])) for reel, head in self.heads.basis.items()):
            return None
        try:
            question = Question(self.world, self.me, "see", place, (None, place, ABSENT))
            is_open = rule_gate(question, ["anyone"])[0]
            return None if is_open and place != self.me["home"] and not self.has_flow_of_maker() else is_open
        except Broken:
            return None

    def has_flow_of_maker(self):
        reel = f"being:{self.being}"
        by = given(self.world.read.at(reel, self.world.heads[reel][0]), "flowBy")
        return by not in (None, self.being) and self.world.is_ancestor(by, self.being)

    def check_written(self):
        """The facts that the moment wrote: they have the hashes in its record, and are what its decision yields."""
        refs, links = items(self.record, "facts"), items(self.witness, "facts")
        need(len(refs) == len(links), "other facts than the record names")
        opened = self.open
        due = [self.being, given(opened, "driver"), given(opened, "wake", "cause"), self.record["openedAt"], self.record["stackDigest"]]
        facts = []
        for (reel, seq, own), link in zip(refs, links):
            need(type(link) is list and len(link) == 4, "no fact")
            prev, header, salt, payload = link
            check_header(header, reel, seq)
            need(is_hash(prev) and fact_hash(prev, header) == own, "another fact")
            said = [header[field] for field in ("actor", "driver", "cause", "at", "stack")]
            need(header["moment"] == self.name and same(said, due), "a fact of another moment")
            if salt is not None or payload is not None:
                need(is_hash(salt) and type(payload) is dict, "no payload")
                need(salted_hash(salt, payload) == header["payloadHash"], "another payload")
                need(is_payload_of(header["kind"], payload), "a payload of another form")
            facts.append((reel, header["kind"], payload))

        def known_of(reel):
            """Facts of drivers and budgets may be withheld, so neither is known."""
            head, told = self.world.heads.get(reel), self.world.told.get(reel, [])
            if reel.startswith("approval:"):
                return {"call": Approval(told).call} if told else {}
            state = {} if head is None else self.world.read.at(reel, head[0]) or {}
            return {key: one for key, one in state.items() if key in ("home", "space")}

        specs = self.witness["specs"]
        check_facts(facts, self.moment, specs[0] if specs else None, self.witness["target"], known_of)
        if at(self.open, "outside") is True:
            check_all_marked(facts, self.marks_before)

    def marks_before(self, reel, name):
        head = self.world.heads.get(reel)
        return None if head is None else self.world.origins.marks_at((reel, name), head[0])

    def signed(self):
        by = signer_of(self.open, self.being)
        if by is not None:
            self.world.being(by)
        head = self.heads.basis.get(f"being:{by}")
        state = None if head is None else self.world.read.at(f"being:{by}", head[1])
        keys = None if state is None else state.get("passkeys", {})
        return signing_of(self.witness["reality"], self.moment, keys)

    def check_roles(self):
        program, specs = given(self.witness, "program"), self.witness["specs"]
        need(value_hash(program) == at(self.open, "program"), "another program")
        stack = given(self.record, "stack")
        need(type(given(stack, "stacked")) is list, "a stack of another form")
        pinned = [given(stack, "primary"), *stack["stacked"]]
        context = given(self.open, "context")
        roles = roles_for(program, context, given(self.open, "cognition", "kind"), asked_in(self.open))
        need(same(roles, [given(role, "name") for role in pinned]), "the flow gives another stack")
        for i, role in enumerate(pinned):
            digest = at(role, "digest")
            need(same(at(program, "roles", str(given(role, "name")), "digest"), digest), "another spec in the program")
            need(value_hash(specs[i] if i < len(specs) else None) == digest, "another spec")

    def world_of(self):
        world = World(self.witness["reality"], self.witness["reels"])
        need("judged" in self.record, "not said from which heads it was judged")
        for reel, (seq, last) in world.heads.items():
            need(same(self.heads.judged_from.get(reel, [])[1:3], [seq, last]), f"{reel} stands elsewhere")
            for link in self.witness["reels"][reel]:
                if type(link) is not list:
                    continue
                need(not same(at(link[0], "moment"), self.name), "it holds what the moment wrote")
                when, sealed = given(link[0], "at"), self.record["sealedAt"]
                need(is_number(when) and is_number(sealed) and when <= sealed, "it holds what came after")
        return world

    def check_surface(self):
        surface, specs = given(self.witness, "surface"), self.witness["specs"]
        need(value_hash(surface) == at(self.record, "surfaceDigest"), "another surface")
        is_inward = at(self.open, "orientation") == "inward"
        for kind in LIST_OF.values():
            need(all(type(spec.get(kind, [])) is list for spec in specs), "a list that is none")
            own = {canonical(entry) for entry in items(surface, kind)}
            entries = [entry for spec in specs for entry in items(spec, kind) if not is_inward or needs_no_world(entry)]
            found = [expanded(kind, entry, self.me, self.asker) for entry in entries]
            wanted = {canonical(name) for names in found for name in names or []}
            need(wanted <= own, f"{kind} lacks what the roles expand to")
            need(None in found or own == wanted, f"{kind} holds what no role expands to")

    def target_of(self):
        """What the list gate is asked for, and the key of the rule gate."""
        verb, target, home = self.call.get("verb"), self.witness.get("target"), self.me["home"]
        named = given(self.call, "target")
        need(type(target) is str and (named is None or type(named) is str), "no target")
        need(verb == "summon" or type(self.call.get(KEY_OF[verb])) is str, "it does not name what it calls")
        if verb == "see":
            asked = written("canSee", str(self.call.get("address")), home)
            need(asked == target, "another target")
            return asked
        if verb == "summon":
            due = target
            if named is not None:
                due = written("canSummon", str(named), home)
            elif self.asker is not None:
                due = f"@{self.asker}"
            need(due == target and target.startswith("@"), "another target")
            return target
        if verb == "be":
            need(target == f"@{self.me['name']}", "a BE is done to the being itself")
            return self.call.get("operation")
        due = ["/", f"@{self.me['name']}", self.me["space"]] if named is None else [written("canSee", str(named), home)]
        need(target in due, "another target")
        return self.call.get("operation")

    def placed(self, target):
        world = self.world
        if target.startswith("@"):
            being = world.being(target[1:]) or unknown(target)
            return (being, being["space"], ABSENT)
        if target.startswith("thread:"):
            return (None, "/", ABSENT)
        if not target.startswith("matter:"):
            return (None, (world.space(target) or unknown(target))["name"], ABSENT)
        thing = world.state(target) or unknown(target)
        space = thing["space"]
        if space.startswith("@"):
            space = (world.being(space[1:]) or unknown(space))["space"]
        return (None, space, thing["owner"])

    def ask(self):
        verb = self.call.get("verb")
        need(verb in LIST_OF, "no verb")
        key = self.target_of()
        rule = OPERATIONS[verb].get(key) if verb in OPERATIONS else ["anyone"]
        fallback = self.witness["fallback"] if rule is None else rule
        need(verb not in OPERATIONS or same(fallback, self.witness["fallback"]), "another rule of the operation")
        need(all(is_standing(one) for one in fallback), "a standing that there is not")
        if verb == "see" and key == f"@{self.me['name']}":
            return [(True, "see: self")] * 2
        gates = [list_gate(self.world, self.me, self.witness["surface"], LIST_OF[verb], key)]
        if not gates[0][0]:
            return gates
        own = f"{verb} {key}: "
        told = next((by for by in items(self.record, "by") if str(by).startswith(own)), None)
        asks = "ask" in self.witness
        need(not asks or (rule is None and verb in OPERATIONS and has_form("ask", self.witness["ask"])), "it asks whom its operation does not")
        ask = self.witness["ask"] if asks else None
        need(told is None or (ask is not None and told == own + "ask") or told == own + " or ".join(map(str, fallback)), "another rule of the operation")
        target = self.placed(self.witness["target"])
        args = at(self.call, "args")
        counting = (None if args is ABSENT else args, self.record["openedAt"], self.witness["target"])
        question = Question(self.world, self.me, verb, key, target, None if verb == "see" else counting, at(self.open, "outside") is True and verb != "see")
        question.own_ask = ask
        gates.append(rule_gate(question, fallback))
        check_shadow(question, fallback, gates[1], self.record)
        wrote = {}
        for ref, link in zip(items(self.record, "facts"), items(self.witness, "facts")):
            if type(ref) is list and ref and type(link) is list and len(link) == 4:
                wrote[str(ref[0])] = link[3]
        for reel, _ in question.tallies:
            self.world.state(reel)
        for reel, summed in [*question.tallies, *tallies_tried(question)]:
            is_named = summed is None or at(wrote.get(reel), "amounts", summed) is not ABSENT
            need(given(self.record, "outcome") != "act" or (reel in wrote and is_named), "a rule counts it, and it was not counted")
        if (verb, key, given(self.record, "outcome")) == ("be", "birth", "act"):
            self.check_home(args, question.from_outside)
        if gates[1][0]:
            self.check_asked(question)
        return gates

    def check_home(self, args, from_outside):
        """Who is born in a place enters it."""
        home = given(args, "home") if type(args) is dict else None
        space = self.me["home"] if home is None else written("canSee", str(home), self.me["home"])
        question = Question(self.world, self.me, "do", "move", (None, space, ABSENT), None, from_outside)
        need(rule_gate(question, ["anyone"])[0] and not question.asks, "the rules of its home do not let it")

    def check_asked(self, question):
        """It waits, or failed; or the moment brings a yes; or who makes the call is whom the rules ask."""
        outcome, wake = given(self.record, "outcome"), given(self.open, "wake", "id")
        if outcome == "waiting" or (outcome == "failure" and given(self.record, "reason") is not None):
            return
        if given(self.open, "wake", "kind") == "event" and str(wake).startswith("approved/"):
            reel = "approval:" + wake.removeprefix("approved/")
            self.world.state(reel)
            approval = Approval(self.world.told.get(reel))
            check_yes(approval, question, self.record, self.open, self.call, question.asks, question.rests)
        elif question.asks:
            need(is_own_yes(question, question.asks, self.open), "nobody said yes")

    def judge(self):
        outcome, reason, by = (given(self.record, key) for key in ("outcome", "reason", "by"))
        by = by if type(by) is list else []
        is_shown = outcome == "see" and self.call.get("verb") == "see" and CODE.match(str(reason)) is not None
        is_refused = outcome == "failure" or is_shown
        refusing = next((rule for allowed, rule in self.gates if not allowed), None)
        if refusing is not None:
            need(is_refused and reason == "FORBIDDEN" and by[:1] == [refusing], "not recorded as refused")
            return "refused"
        rules = [rule for _, rule in self.gates]
        need(is_refused or by[: len(rules)] == rules, "recorded as allowed by other rules")
        effect = given(self.moment, "effect")
        if effect is not None:
            result = given(effect, "result")
            code = None if result is None else given(result, "error", "code")
            if result is None or code in (*LOST, ""):
                return "not-known"
            if code not in NOT_RUN:
                return "seen-to-run"
        if is_refused:
            return "refused" if reason == "FORBIDDEN" else "permitted"
        if outcome == "waiting":
            return "asked"
        return "seen-to-run" if outcome == "act" else "permitted"


def covered_by(proof, derived, reality, key):
    """Whether the checkpoint holds what is derived; raises Broken where it says so and does not."""
    checkpoint = Checkpoint(given(proof, "note"), key)
    need(checkpoint.origin == f"treeos/{reality}", "a checkpoint of another log")

    def holds(leaf, place):
        index, path = place if type(place) is list and len(place) == 2 else (None, None)
        need(is_included(leaf, index, path, *checkpoint.log), f"the log does not hold {canonical(leaf)}")

    being, _, n = derived.name.split("/")
    holds({"record": [being, int(n), derived.hash]}, [given(proof, "index"), given(proof, "path")])
    reels = at(proof, "reels")
    for reel, place in (reels if type(reels) is dict else {}).items():
        need(reel in derived.world.heads, "a proof of what is not shown")
        holds({"fact": [reel, *derived.world.heads[reel]]}, place)
    for reel, seq, last in derived.world.gaps:
        holds({"fact": [reel, seq, last]}, at(proof, "cuts", f"{seq} {reel}"))


def check_receipt(text, key, strict, max_age=None):
    """(status, verdict). Strictly, none is `ok`: each takes its context from the record."""
    return check_one(text, key, strict, max_age)[:2]


def check_receipts(texts, key, strict, max_age=None):
    """(status, verdict) of each. A being has one moment of each number: receipts of two are of two records of one reality."""
    found = [check_one(text, key, strict, max_age) for text in texts]
    hashes = {}
    for _, _, place, own in found:
        hashes.setdefault(place, set()).add(own)
    return [("broken" if place is not None and len(hashes[place]) > 1 else status, verdict) for status, verdict, place, _ in found]


def check_one(text, key, strict, max_age):
    """(status, verdict, place, hash), the last two of its record where these follow."""
    try:
        statement = open_envelope(parse(text), key)
        derived = Derivation(given(statement, "predicate"))
    except (Broken, AttributeError, TypeError, KeyError, IndexError, ValueError):
        return ("broken", None, None, None)
    being, _, n = derived.name.split("/")
    of = ((statement["predicate"]["reality"], being, n), derived.hash)
    try:
        predicate = statement["predicate"]
        subject = (items(statement, "subject") or [None])[0]
        need(at(subject, "digest", "sha256") == derived.hash and at(subject, "name") == derived.name, "another subject")
        if not derived.is_judged:
            return ("unproven", None, *of)
        need(at(predicate, "verdict") == derived.verdict, "another verdict")
        proof = given(predicate, "proof")
        is_covered = type(proof) is dict
        need(is_covered or not derived.world.gaps, "gaps without a proof")
        if is_covered:
            covered_by(proof, derived, predicate["reality"], key)
    except (Broken, AttributeError, TypeError, KeyError, IndexError, ValueError):
        return ("broken", derived.verdict if derived.is_judged else None, *of)
    is_made = derived.signing not in ("unsigned", "unknown")
    is_made = is_made and not any(True for _ in age_faults(is_covered, derived.record["sealedAt"], max_age))
    return ("ok" if is_covered and is_made and not strict else "unproven", derived.verdict, *of)
