"""Bundles: each line, each chain, and what the checkpoint says of both."""

import re

from .approvals import Approval, check_asked
from .facts import check_facts
from .effect_key import check_effect_call, check_effect_key
from .forms import has_form, is_payload_of
from .hashes import Checkpoint, fact_hash, genesis_hash, is_hash, is_included, line_hash, moment_hash, salted_hash, value_hash
from .heads import whole_heads
from .law.judge import NOT_LOADED, Law
from .law.rows import Rows, known_row
from .moment import Momentless, check_forms, check_header, check_moment, cited_by, shown_to, contents_of, gone_from, is_known_law, life_of
from .origin import Origins, Reads, check_origin
from .passkey import signer_of, signing_of
from .plain_json import ABSENT, Broken, at, given, is_count, items, need, parse_canonical, same
from .questions import Questions, QueuedReads, Steps
from .stack import Beside, Stack, check_orientation, check_outcome
from .states import States
from .times import age_faults

SAID = ("actor", "driver", "cause", "at", "stack")
TOMBSTONES = {"fact:erased": "hash", "moment:erased": "moment"}
FIELDS = {
    "manifest": "at format kind line reality scope sum",
    "head": "from hash kind line prev reel seq sum",
    "fact": "hash header kind line payload prev reel salt seq sum",
    "blob": "content digest kind line sum",
    "moment": "basis basisSalt being decision effect hash judged kind line n noted open prev record salt sum",
    "checkpoint": "kind line note sum",
    "proof": "in index kind leaf line path sum",
    "end": "counts kind line sum",
}
KINDS = list(FIELDS)
UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SUM = re.compile(r',"sum":"([0-9a-f]{64})"}\Z')


def fields_of(value):
    return " ".join(sorted(value)) if type(value) is dict else ""


def of_unjudged(why, count):
    return f"the permission and the facts of {count} calls: {why}"


class Chain:
    def __init__(self, first, end):
        self.first, self.last, self.end = first, (first, None), end
        self.covered, self.is_end = -1, False


class Bundle:
    def __init__(self, key, max_age=None):
        self.key, self.max_age = key, max_age
        self.newest = 0  # the latest time that it tells of, in ms
        self.reality, self.being, self.since, self.until = "", None, 1, None
        self.stage, self.counts = 0, {}
        self.chains, self.hashes = {}, {}
        self.last_yes = {}
        self.lives, self.woken = {}, set()  # the last life of each being, and the wakes that had their moment
        self.loose, self.unnamed, self.proven = {}, set(), set()
        self.named = set()  # facts that woke a moment, or that it was shown
        self.approvals = {}  # of reels without a head: (header, payload) of their facts from the first on, and the hash of the last
        self.without_yes = set()  # reels of the yes that moments brought, and that are not here up to it
        self.read = set()  # (reel, number) of heads that moments of one being read, and that are not here
        self.unsure_origins = 0
        self.summons = {}  # by the hash of its fact: who said it, and what
        self.wrote, self.gone, self.tombs, self.lost = {}, [], {}, set()
        self.contents, self.unused = {}, set()
        self.origins, self.questions, self.steps, self.reads = Origins(), Questions(), Steps(), QueuedReads()
        self.states, self.last_acts, self.missing = States(), {}, {}
        self.rows = Rows()
        self.law = Law(self.rows, self.is_whole, self.contents)
        self.unjudged = {}  # in words why the law could not be asked about calls, and how many they are
        self.checkpoint = None
        self.momentless, self.first, self.made_at = Momentless(), set(), None
        self.signed, self.unsigned, self.hidden = set(), {}, {}  # acts of persons, by who they are
        self.hidden_places, self.of_other_laws = {}, 0
        self.place = ("bundle", 0)

    def take(self, number, value):
        kind = str(value.get("kind"))
        self.place = ("bundle", number)
        need(FIELDS.get(kind) == fields_of(value), "other fields", "line-mismatch")
        stage = KINDS.index(kind)
        is_first = number == 1
        need(self.stage <= stage and is_first == (stage == 0) and self.stage < len(KINDS) - 1, "another order", "line-mismatch")
        self.stage = stage
        if kind != "end":
            self.counts[kind] = self.counts.get(kind, 0) + 1
        getattr(self, f"take_{kind}")(value)

    def take_manifest(self, value):
        scope, self.reality = value["scope"], value["reality"]
        need(value["format"] == "treeos.bundle.v1" and type(self.reality) is str, "another format", "manifest-mismatch")
        need(UUID.fullmatch(self.reality) and is_count(value["at"]), "no reality or no time", "manifest-mismatch")
        if same(scope, {"all": True}):
            return
        need(fields_of(scope) == "being since until", "no scope", "scope-mismatch")
        self.being, self.since, self.until = scope["being"], scope["since"], scope["until"]
        need(type(self.being) is str and is_count(self.since) and self.since > 0, "no scope", "scope-mismatch")
        need(self.until is None or is_count(self.until), "no scope", "scope-mismatch")

    def scope(self):
        if self.being is None:
            return {"all": True} if self.stage > 0 else None
        return {"being": self.being, "since": self.since, "until": self.until}

    def take_head(self, value):
        reel, first, seq, prev, end = (value[key] for key in ("reel", "from", "seq", "prev", "hash"))
        need(type(reel) is str and is_count(first) and is_count(seq) and is_hash(prev) and is_hash(end), "no head", "head-mismatch")
        need(reel not in self.chains, "a second head", "head-mismatch")
        need(first != 0 or prev == genesis_hash(self.reality, reel), "another beginning", "prev-mismatch")
        if self.being is None or reel == f"being:{self.being}":
            need(first == 0, "out of scope", "scope-mismatch")
        else:
            need(reel == f"moments:{self.being}" and first == self.since - 1, "out of scope", "scope-mismatch")
        self.chains[reel] = Chain(first, (seq, end))
        self.chains[reel].last = (first, prev)

    def link(self, reel, seq, prev, own):
        need(is_count(seq) and is_hash(prev) and is_hash(own), "no link", "seq-gap")
        known = self.hashes.setdefault(reel, {})
        need(seq not in known, "a link twice", "seq-gap")
        known[seq] = own
        chain = self.chains.get(reel)
        if chain is not None:
            need((seq - 1, prev) == chain.last, "does not follow", "prev-mismatch")
            chain.last = (seq, own)
        else:
            need(known.get(seq - 1, prev) == prev, "does not follow", "prev-mismatch")
        return chain is not None

    def take_fact(self, value):
        reel, seq, prev, own, header, payload, salt = (
            value[key] for key in ("reel", "seq", "prev", "hash", "header", "payload", "salt")
        )
        self.place = (reel, seq)
        need(type(reel) is str and is_hash(prev) and fact_hash(prev, header) == own, "another hash", "hash-mismatch")
        check_header(header, reel, seq)
        is_tombstone = header["kind"] in TOMBSTONES
        if salt is None and payload is None:
            self.gone.append((f"{reel} {own}", reel, seq, "payload", is_tombstone))
            if is_tombstone:
                self.lost.add(reel)
        else:
            need(is_hash(salt) and salted_hash(salt, payload) == header["payloadHash"], "another payload", "payload-mismatch")
            need(is_payload_of(header["kind"], payload), "a payload of another form", "payload-mismatch")
        if is_tombstone:
            self.tombstone(header, payload)
        self.newest = max(self.newest, header["at"])
        self.states.take(reel, seq, header, payload)
        self.rows.take(reel, seq, header, payload, own)
        self.origins.take(reel, seq, header, payload, own)
        if header["kind"] == "approval:given":
            self.last_yes[reel] = own
        if header["kind"] == "being:summoned":
            self.summons[own] = (header["actor"], payload)
        self.questions.take_fact(reel, seq, header, payload)
        self.reads.take_fact(reel, header, payload)
        self.count(header, payload)
        if self.link(reel, seq, prev, own):
            return
        need(self.being is not None, "a reel without a head", "head-mismatch")
        self.loose[own] = is_tombstone
        self.unnamed.add(own)
        told, last = self.approvals.get(reel, ([], genesis_hash(self.reality, reel)))
        if reel.startswith("approval:") and seq == len(told) + 1 and prev == last:
            self.approvals[reel] = ([*told, (header, payload)], own)

    def count(self, header, payload):
        """All facts of a moment say the same of it."""
        if self.momentless.take(header, payload):
            self.first.add(header["at"])
        if type(header["moment"]) is not str:
            if header["kind"] == "reality:made" and self.made_at is None:
                self.made_at = header["at"]
            return
        said = [header[field] for field in SAID]
        facts, before = self.wrote.get(header["moment"], ({}, said))
        need(same(before, said), "another actor, time or stack than that of another fact of its moment", "actor-mismatch")
        facts[(header["reel"], header["seq"])] = (header["kind"], payload)
        self.wrote[header["moment"]] = (facts, said)

    def tombstone(self, header, payload):
        by = at(payload, "onBehalfOf")
        told = (by if type(by) is str else header["actor"], given(payload, "why"), header["at"])
        named = given(payload, TOMBSTONES[header["kind"]])
        self.tombs.setdefault(f"{header['reel']} {named}", told)

    def cites(self, ref, must_be_here):
        reel, seq, own = ref
        if same(seq, 0):
            return own == genesis_hash(self.reality, reel)
        found = self.hashes.get(reel, {}).get(seq)
        if found is None:
            return not must_be_here and is_hash(own)
        if found == own:
            self.unnamed.discard(found)
        return found == own

    def take_moment(self, value):
        being, n, prev, own, record = (value[key] for key in ("being", "n", "prev", "hash", "record"))
        self.place = (f"moments:{being}", n)
        need(is_hash(prev) and moment_hash(prev, record) == own, "another hash", "hash-mismatch")
        need(type(being) is str and at(record, "being") == being and same(at(record, "n"), n), "a record of another", "header-mismatch")
        need(self.link(f"moments:{being}", n, prev, own), "moments without a head", "head-mismatch")
        self.newest = max(self.newest, record["sealedAt"] if is_count(at(record, "sealedAt")) else 0)
        heads = whole_heads(value)
        check_moment(value, heads)
        self.check_life(record)
        if is_known_law(record):
            check_forms(value, value["noted"])
            of_being = lambda being, n: self.hashes.get(f"moments:{being}", {}).get(n)
            check_effect_key(value, self.reality, of_being, self.last_yes.get)
            manifest = self.contents.get(given(record, "code") or given(value["open"], "code"))
            check_effect_call(value, manifest)
            check_asked(value, manifest)
            self.check_speech(value["open"], being)
        noted = None if value["noted"] is None else salted_hash(value["basisSalt"], value["noted"])
        need(same(given(value, "open", "noted"), noted), "it noted something else", "open-mismatch")
        name = record["moment"]
        for what in gone_from(value):
            self.gone.append((f"being:{being} {name}", f"moments:{being}", n, what, False))
        facts, cited, cause, digests = cited_by(value)
        wrote, said = self.wrote.pop(name, ({}, None))
        need(all(self.cites(ref, True) for ref in facts) and len(facts) == len(wrote), "other facts", "facts-mismatch")
        due = [being, given(value["open"], "driver"), cause, given(record, "openedAt"), given(record, "stackDigest")]
        need(said is None or same(said, due), "its facts say otherwise who acted, when and in which stack", "actor-mismatch")
        if is_known_law(record):
            self.derive(value, heads.basis)
            written = [(ref[0], *wrote[(ref[0], ref[1])]) for ref in facts]
            why = self.law.check(value, heads, written)
            if why is not None:
                self.unjudged[why] = self.unjudged.get(why, 0) + 1
            self.check_facts(value, heads, written)
        else:
            self.of_other_laws += 1
        if record["outcome"] == "act":
            primary = given(record["stack"], "primary", "name")
            self.last_acts[being] = {"sealedAt": record["sealedAt"], "primary": primary}
        self.check_signing(value, heads.basis)
        need(all(self.cites(ref, self.being is None) for ref in cited), "cites other facts", "basis-mismatch")
        self.unnamed.discard(cause)
        if self.being is not None:
            self.check_yes(value, heads)
        self.named.update(ref[2] for ref in shown_to(value) if not same(ref[1], 0))
        if cause is not None:
            self.named.add(cause)
        need(all(digest in self.contents for digest in digests), "a content is not here", "blob-mismatch")
        self.unused.difference_update([*digests, record["promptDigest"]])  # the text of its prompt may be here
        for form, digest in contents_of(value) if is_known_law(record) else []:
            need(digest is None or has_form(form, self.contents[digest]), f"a {form} of another form", "blob-mismatch")

    def check_life(self, record):
        """Lives follow each other, and a wake has one moment."""
        being, life, wake = record["being"], life_of(record), record["wake"]
        need(life >= self.lives.get(being, 0), "a moment of an older life", "record-mismatch")
        self.lives[being] = life
        need(wake is None or wake not in self.woken, "a second moment of one wake", "record-mismatch")
        self.woken.add(wake)

    def check_speech(self, opened, being):
        """The summon that woke a moment is what its fact says."""
        wake = opened["wake"]
        if wake["kind"] != "summon":
            return
        need(wake["cause"] is not None, "a summon without a fact", "context-mismatch")
        actor, said = self.summons.get(wake["cause"], (None, None))
        need(actor is None or given(wake, "caller", "name") == actor, "another being summoned it", "context-mismatch")
        if said is None:
            return
        caller = {"name": actor, "role": given(said, "role"), "cognition": given(said, "cognition")}
        need(same(wake["caller"], caller), "another role or mind summoned it", "context-mismatch")
        is_of_it = same(at(said, "correlation"), wake["id"]) and same(at(said, "to"), being)
        need(is_of_it and same(given(said, "inReplyTo"), wake["inReplyTo"]), "another summon", "context-mismatch")
        need(wake["root"] in (at(said, "root"), wake["id"]), "a summon of another thread", "context-mismatch")
        need((at(said, "expectReply") is False) is (wake.get("expectReply") is False), "it expects an answer otherwise", "context-mismatch")

    def check_yes(self, moment, heads):
        """A bundle of one being holds the yes that a moment brought: its whole reel, which nobody else names."""
        for reel, seq, _ in (*heads.basis.values(), *heads.judged_from.values()):
            if seq != 0 and seq not in self.hashes.get(reel, {}):
                self.read.add((reel, seq))
        wake, record = given(moment["open"], "wake"), moment["record"]
        if given(wake, "kind") != "event" or not str(given(wake, "id")).startswith("approved/"):
            return
        own = wake["id"].removeprefix("approved/")
        reel = f"approval:{own}"
        until = heads.judged_from[reel][1] if reel in heads.judged_from else 0
        if until == 0:
            need(record["outcome"] != "act", "it acted by a yes that it did not read", "law-mismatch")
            return
        told, _ = self.approvals.get(reel, ([], None))
        told = told[:until]
        for seq in range(1, len(told) + 1):
            self.unnamed.discard(self.hashes[reel][seq])
        is_gone = any(payload is None for _, payload in told)
        approval = Approval(told) if told and not is_gone else None
        if len(told) < until and (approval is None or approval.state != "given"):
            self.without_yes.add(reel)
        elif approval is not None and record["outcome"] == "act":
            need(approval.asker == record["being"] and approval.state == "given", "no yes to its call", "law-mismatch")
            decision = moment["decision"]
            need(decision is None or same(approval.call, given(decision, "call")), "a yes to another call", "law-mismatch")
            named = [text for text in items(record, "by") if str(text).startswith(f"approval {own}: ")]
            need(named == [f"approval {own}: @{by}" for by, _ in approval.given], "it names others who said yes", "law-mismatch")

    def check_signing(self, moment, basis):
        record, opened = moment["record"], moment["open"]
        reel = f"being:{signer_of(opened, record['being'])}"
        state = self.states.at(reel, basis[reel][1]) if reel in basis and self.is_whole(reel) else None
        keys = None if state is None else state.get("passkeys", {})
        signing = signing_of(self.reality, moment, keys)
        if signing in ("unsigned", "unknown", "hidden"):
            by, told = signer_of(opened, record["being"]), self.hidden if signing == "hidden" else self.unsigned
            told[by] = told.get(by, 0) + 1
        if signing == "signed" and record["wake"] is not None:
            need(record["wake"] not in self.signed, "the same signature twice", "signature-mismatch")
            self.signed.add(record["wake"])

    def check_facts(self, moment, heads, facts):
        def known_of(reel):
            head = heads.judged_from.get(reel)
            return known_row(self.rows.row(reel, head[1])) if head is not None and self.is_whole(reel) else {}

        role = self.contents.get(given(moment["record"], "stack", "primary", "digest"))
        if moment["record"]["stack"] is not None:
            check_orientation(moment["open"], role)
        check_facts(facts, moment, role, None, known_of)

    def derive(self, moment, basis):
        record = moment["record"]
        being = record["being"]
        first = self.chains[f"moments:{being}"].first
        last_act = self.last_acts.get(being, None if first == 0 else ABSENT)
        program = self.contents.get(given(moment["open"], "program"))
        sees_place = lambda: self.law.sees_place(being, basis)
        stack = Stack(moment, basis, Beside(self.states, self.is_whole, last_act, program, sees_place))
        for reel in stack.missing:
            self.missing[reel] = self.missing.get(reel, 0) + 1
        if stack.is_hidden_by_record:
            self.hidden_places[being] = stack.me["space"]
        check_outcome(moment)
        noted = moment["noted"]
        read = basis.get(f"being:{being}")
        fault = self.questions.fault_of(moment["open"], being, 0 if read is None else read[1])
        need(fault is None, fault, "context-mismatch")
        worn = None if record["stack"] is None else self.contents.get(given(record, "stack", "primary", "digest"))
        fault = self.steps.fault_of(moment, worn)
        need(fault is None, fault, "context-mismatch")
        fault = self.reads.fault_of(moment, self.is_whole("space:/"))
        need(fault is None, fault, "context-mismatch")
        place = given(stack.me, "space")
        reads = Reads(record, moment["open"], place, program, noted, lambda digest: self.contents.get(digest, self.rows.specs.get(digest)))
        found = check_origin(record, moment["open"], basis, self.origins, self.is_whole, reads, program, noted, True)
        self.unsure_origins += found is None

    def is_whole(self, reel):
        return (reel in self.chains and self.chains[reel].first == 0) or reel in self.approvals

    def take_blob(self, value):
        need(value_hash(value["content"]) == value["digest"], "another digest", "blob-mismatch")
        need(value["digest"] not in self.contents, "a content twice", "blob-mismatch")
        self.contents[value["digest"]] = value["content"]
        self.unused.add(value["digest"])

    def take_checkpoint(self, value):
        need(self.counts["checkpoint"] == 1, "a second checkpoint", "checkpoint-mismatch")
        self.checkpoint = Checkpoint(value["note"], self.key)
        need(self.checkpoint.origin == f"treeos/{self.reality}", "a checkpoint of another log", "checkpoint-mismatch")

    def take_proof(self, value):
        need(self.checkpoint is not None, "a proof without a checkpoint", "proof-mismatch")
        leaf = value["leaf"]
        need(type(leaf) is dict and len(leaf) == 1, "no leaf", "proof-mismatch")
        ((kind, ref),) = leaf.items()
        need(kind in ("fact", "record") and type(ref) is list and len(ref) == 3, "no leaf", "proof-mismatch")
        reel, seq, own = ref
        reel = f"moments:{reel}" if kind == "record" else reel
        chain = self.chains.get(reel)
        here = self.hashes.get(reel, {}).get(seq)
        if here is None and chain is not None and seq == chain.end[0]:
            here = chain.end[1]
        need(here is not None and here == own, "a proof of what is not here", "proof-mismatch")
        tree = {"log": self.checkpoint.log, "heads": self.checkpoint.heads}.get(value["in"])
        need(tree is not None and is_included(leaf, value["index"], value["path"], *tree), "the tree does not hold it", "proof-mismatch")
        if chain is None:
            need(own in self.loose and own not in self.proven, "a proof that is not needed", "proof-mismatch")
            self.proven.add(own)
        else:
            need(chain.covered < 0, "a second proof", "proof-mismatch")
            chain.covered, chain.is_end = seq, value["in"] == "heads"

    def take_end(self, value):
        need(same(value["counts"], self.counts), "other counts", "end-mismatch")

    def finish(self):
        self.place = ("bundle", 0)
        need(self.stage == len(KINDS) - 1, "cut off", "end-mismatch")
        for chain in self.chains.values():
            need(chain.last == chain.end, "a chain that ends elsewhere", "head-mismatch")
        for own in self.unnamed:
            need(self.loose.get(own) is True, "a fact that nothing names", "unnamed-fact")
        for name, _, _, what, is_tombstone in self.gone:
            is_lost = not is_tombstone and name.rpartition(" ")[0] in self.lost
            need(name in self.tombs or is_lost, "gone without a tombstone", f"{what}-missing")
        need(not self.unused, "nothing names a content", "blob-mismatch")
        need(self.made_at is None or self.first <= {self.made_at}, "a fact of the beginning is of another time", "facts-mismatch")
        need(self.being is not None or not self.wrote, "facts of a moment that is not here", "facts-mismatch")
        if self.being is None:
            if self.checkpoint is not None:
                links = sum(chain.end[0] for chain in self.chains.values())
                heads = 0 if self.checkpoint.heads is None else self.checkpoint.heads[0]
                need(links >= self.checkpoint.log[0] and len(self.chains) >= heads, "a chain is gone or cut", "checkpoint-mismatch")
            return
        for reel in (f"being:{self.being}", f"moments:{self.being}"):
            need(reel in self.chains, "a chain of the scope is not here", "scope-mismatch")
        last = self.chains[f"moments:{self.being}"].end[0]
        need(self.until is None or self.since <= self.until >= last, "another range than the scope", "scope-mismatch")

    def is_covered(self):
        return self.checkpoint is not None and self.is_held() and not any(True for _ in self.bare())

    def is_held(self):
        """Whether proofs show that the log of the checkpoint holds all of its chains."""
        for reel, chain in self.chains.items():
            if chain.covered < chain.end[0] and max(chain.covered, chain.first) < max(chain.end[0], 1):
                return False
            if self.being is None:
                continue
            is_cut = reel == f"moments:{self.being}" and chain.end[0] == self.until
            if not is_cut and not (chain.is_end and chain.covered == chain.end[0]):
                return False
        return all(own in self.proven for own in self.unnamed)

    def absent(self):
        """How many facts that woke its moments, or were shown to them, are not here."""
        here = {own for links in self.hashes.values() for own in links.values()}
        return len(self.named - here)

    def uncovered(self):
        """In words, what no proof shows although one could."""
        if self.checkpoint is None:
            yield "it has no checkpoint: whoever made the bundle could have made all of it up, or left its end off"
        elif not self.is_held():
            yield "that the log of the checkpoint holds all of its chains: a proof is not here"
        yield from self.bare()

    def bare(self):
        """The same, without proofs of the log."""
        if self.absent():
            yield f"{self.absent()} facts that woke its moments, or were shown to them, are not in the bundle"
        if self.without_yes:
            yield f"who said yes to {len(self.without_yes)} of its calls is not in the bundle"
        for by, count in self.unsigned.items():
            yield f"of {count} acts that @{by} made them is not shown by a passkey"
        if self.of_other_laws:
            yield f"{self.of_other_laws} moments were judged by a law that this verifier does not know"
        yield from age_faults(self.checkpoint is not None, self.newest, self.max_age)
        if NOT_LOADED in self.unjudged:
            yield of_unjudged(NOT_LOADED, self.unjudged[NOT_LOADED])

    def unproven(self):
        """In words, what else is said by records alone."""
        for by in self.hidden:
            yield f"whether @{by} had a passkey for its acts is not in the bundle"
        if self.read:
            reels = {reel for reel, _ in self.read}
            yield f"what its moments read of {len(reels)} other reels, at {len(self.read)} heads, is in the bundle as hashes alone"
        if self.unsure_origins:
            yield f"where the words of {self.unsure_origins} moments are from: not all that they read is in the bundle"
        for why, count in self.unjudged.items():
            if why != NOT_LOADED:
                yield of_unjudged(why, count)
        for being, place in self.hidden_places.items():
            yield f"that @{being} might not see {place}, whose qualities its flow reads, is said by its records"
        for reel, count in self.missing.items():
            yield f"the context of {count} moments: it depends on {reel}, which is not in the bundle as a whole"
        if self.checkpoint is not None and self.key is None:
            yield "no key was given: who signed the checkpoint was not checked"

    def placed(self, fault, line):
        """A fault with the place where it was found."""
        found = fault if isinstance(fault, Broken) else Broken("a part of it is not there, or of another form")
        found.reason = found.reason or "line-mismatch"
        reel, seq = self.place if self.place[0] != "bundle" else ("bundle", line)
        found.line, found.reel, found.seq, found.bundle = line, reel, seq, self
        return found

    def covered(self):
        return sum(max(chain.covered - max(chain.first, 0), 0) for chain in self.chains.values())

    def erased(self):
        nobody = (None, None, None)
        return [[reel, seq, what, *self.tombs.get(name, nobody)] for name, reel, seq, what, _ in self.gone]


class Lines:
    """Reads lines. A line that was read before is not parsed again."""

    def __init__(self):
        self.known = {}

    def read(self, text):
        if text not in self.known:
            found = SUM.search(text)
            need(found, "no sum", "line-mismatch")
            value = parse_canonical(text)
            need(type(value) is dict, "no object", "line-mismatch")
            self.known[text] = (value, text[: found.start()] + "}", found[1])
        return self.known[text]


LINES = Lines()


def read(data, key, max_age=None):
    bundle, before = Bundle(key, max_age), ""
    try:
        texts = data.decode("utf-8").split("\n")
        need(texts.pop() == "", "no line break at the end", "end-mismatch")
    except (UnicodeDecodeError, Broken):
        raise bundle.placed(Broken("it is no text of lines", "end-mismatch"), 1) from None
    for i, text in enumerate(texts):
        try:
            bundle.place = ("bundle", i + 1)
            value, body, own = LINES.read(text)
            need(value.get("line") == i + 1 and line_hash(before, body) == own, "another line", "line-mismatch")
            before = own
            bundle.take(i + 1, value)
        except FAULTS as fault:
            raise bundle.placed(fault, i + 1) from None
    try:
        bundle.finish()
    except FAULTS as fault:
        raise bundle.placed(fault, len(texts)) from None
    return bundle


FAULTS = (Broken, AttributeError, TypeError, KeyError, IndexError, ValueError)


class CheckedBundle:
    """What the check of a bundle found. `fault` is the first thing that contradicts, or None."""

    def __init__(self, status, bundle, fault, found):
        self.status, self.bundle, self.fault, self.found = status, bundle, fault, found

    def broken(self):
        if self.fault is None:
            return []
        at = self.fault
        return [{"line": at.line, "reel": at.reel, "seq": at.seq, "reason": at.reason, "what": str(at)}]


def check_bundle(data, key, strict, max_age=None):
    try:
        bundle = read(data, key, max_age)
    except Broken as fault:
        return CheckedBundle("broken", fault.bundle, fault, None)
    is_ok = bundle.is_covered() and not (strict and any(True for _ in bundle.unproven()))
    counts = {f"{kind}s": bundle.counts.get(kind, 0) for kind in ("fact", "moment")}
    found = {**counts, "covered": bundle.covered(), "erased": bundle.erased()}
    return CheckedBundle("ok" if is_ok else "unproven", bundle, None, found)
