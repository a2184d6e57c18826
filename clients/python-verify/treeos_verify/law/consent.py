"""What rules ask, count and try about one call: docs/formats.md, "The gates" and "What waits"."""

from .. import approvals
from ..approvals import asked_by, person_of
from ..gates import Question, rule_gate, tallies_tried
from ..hashes import value_hash
from ..plain_json import given, same
from .names import Refused
from .sight import name_of, placed


class Consent:
    """The answers of the rule gate about a call, with all that they leave behind."""

    def __init__(self, world, me, opened, args, from_outside):
        self.world, self.me, self.args, self.opened, self.from_outside = world, world.being(me["name"]), args, opened, from_outside
        self.listed, self.asked, self.tallies, self.tried, self.shadow = None, [], {}, {}, []

    def question(self, world, verb, key, target):
        args = None if verb == "summon" else self.args
        question = Question(world, world.being(self.me["name"]), verb, key, placed(world, target), None, self.from_outside)
        question.counting = (args, self.opened, name_of(target))
        return question

    def granted(self, verb, key, target, fallback, own_ask=None):
        """The text of the rule that allows it, or that asks first."""
        question = self.question(self.world, verb, key, target)
        question.own_ask = own_ask
        allowed, by = rule_gate(question, fallback)
        self.try_shadow(question, target, fallback, allowed, own_ask)
        if not allowed:
            raise Refused("FORBIDDEN", [by])
        self.count(question, self.tallies, question.tallies)
        if question.asks:
            self.asked.append(question)
        return by

    def count(self, question, into, tallies):
        """One fact of each reel on which the call is counted."""
        reels = {}
        for reel, summed in tallies:
            amounts = reels.setdefault(reel, {})
            if summed is not None:
                amounts[summed] = question.counting[0][summed]
        for reel, amounts in reels.items():
            self.world.row(reel)
            into[reel] = (reel, "tally:counted", {"amounts": amounts})

    def try_shadow(self, question, target, fallback, allowed, own_ask):
        """What dry-run rules would have said, where it is something else."""
        spaces = [self.world.space_row(path) for path in question.spaces()]
        if not any(row is not None and "shadow" in row["qualities"] for row in spaces):
            return
        was = "refused" if not allowed else "ask" if question.asks else "allowed"
        beside = self.world.beside()
        trial = self.question(beside, question.verb, question.key, target)
        trial.own_ask = own_ask
        would_allow, by = rule_gate(trial, fallback, True)
        would = "refused" if not would_allow else "ask" if trial.asks else "allowed"
        if was != would:
            told = {"verb": question.verb, "key": question.key, "on": name_of(target), "was": was, "would": would, "by": by}
            self.shadow.append(told)
        if was != "refused":
            self.count(trial, self.tried, tallies_tried(trial))

    def rules(self):
        """All rules that ask, with the persons that they name."""
        return [rule for question in self.asked for rule in asked_by(question, question.asks)]


def still_asked(consent, me, driver, cognition):
    """The rules that ask, without those that a person answers by making the call; Refused where too few are left to ask."""
    left, lacking = approvals.still_asked(consent.world, consent.rules(), me["name"], driver, cognition, consent.from_outside)
    if left is None:
        raise Refused("FORBIDDEN", [lacking])
    return left


def ties_of(consent, call, me, stack, lease, form):
    """Digests of all that a yes to a call rests on. That of an operation of TreeOS is of its text, and None here."""
    world = consent.world
    bounds = [one for one in [world.being(me["name"]), *world.lineage(me["name"])] if one["ceiling"] is not None]
    ceilings = [{"being": one["name"], "home": one["home"], "lists": one["ceiling"]} for one in bounds]
    rests = {"rests": [question.rests for question in consent.asked], "who": consent.rules()}
    return {
        "call": value_hash(call),
        "roles": value_hash(stack),
        "ceilings": value_hash(ceilings),
        "rules": value_hash(rests),
        "lease": value_hash(lease),
        "operation": form,
    }


def asked_fact(consent, call, moment, rules, ties, lease, question_id):
    """The fact that a call waits, with the texts of the rules that ask."""
    record, opened = moment["record"], moment["open"]
    world, wake = consent.world, opened["wake"]
    within = min(ask["withinSeconds"] for question in consent.asked for ask, _, _ in question.asks)
    first = consent.asked[0]
    payload = {
        "call": call,
        "wake": wake["id"],
        "root": wake["root"],
        "caller": given(opened, "caller"),
        "question": question_id,
        "askedRole": given(opened, "asked"),
        "lease": lease,
        "rules": rules,
        "ties": ties,
        "roles": [record["stack"]["primary"]["name"], *(one["name"] for one in record["stack"]["stacked"])],
        "expiresAt": opened["openedAt"] + within * 1000,
        "person": person_of(world, record["being"]),
        "target": first.space if first.being is None else f"@{first.being['name']}",
    }
    payload |= {"fromOutside": True} if consent.from_outside else {}
    world.row(f"approval:{record['moment']}")
    return (f"approval:{record['moment']}", "approval:asked", payload)


def require_yes(row, approval, me, opened, ties, rules):
    """The yes that a moment brings has to be to this call, as it is decided now. `ties` gives the digests of that, `rules` whom it asks: they are read where they count."""
    refusal = Refused("FORBIDDEN", [f"approval {approval}"])
    if row is None or row["asker"] != me["name"] or row["state"] != "given":
        raise refusal
    last = row["given"][-1]["at"] if row["given"] else row["at"]
    if opened > last + row["expiresAt"] - row["at"]:
        raise refusal
    if any(digest is not None and not same(digest, row["ties"].get(tie)) for tie, digest in ties().items()):
        raise refusal
    if not same(rules(), row["rules"]):
        raise refusal


