"""Calls that rules ask persons about: whom they ask, and whether the yes holds that a moment brings."""

import re

from .hashes import value_hash
from .plain_json import Broken, at, given, items, need, same

WORDS = ("operator", "owner", "contributor", "parent")
STANCE = re.compile(r"@[a-z][a-z0-9-]{0,31}\Z")
DAY = 86_400
FROM = {"denied": "open", "expired": "open", "used": "given", "voided": "given"}


def is_whole(value, most):
    return type(value) is int and 1 <= value <= most


def read_ask(value):
    """None for one that is malformed."""
    if type(value) is not dict or not set(value) <= {"who", "count", "within", "else"}:
        return None
    who, count, within = value.get("who"), value.get("count", 1), value.get("within", DAY)
    if type(who) is not list or not 1 <= len(who) <= 16 or value.get("else", "refuse") != "refuse":
        return None
    if not all(type(one) is str and (one in WORDS or STANCE.match(one)) for one in who):
        return None
    if not (is_whole(count, 5) and is_whole(within, 30 * DAY)):
        return None
    return {"who": list(dict.fromkeys(who)), "count": count, "withinSeconds": within}


def named_by(question, place, word):
    world, actor = question.world, question.actor
    line = world.lineage(actor["name"])
    operator = line[-1]["name"] if line else actor["name"]
    is_own = place is None  # what the operation asks by itself
    place = world.space(question.space if is_own else place)
    if word == "operator":
        return [operator]
    if word == "parent":
        return [actor["name"] if actor["parent"] is None else actor["parent"]]
    if word == "owner":
        owner = None if place is None else place["owner"]
        owner = question.owner if is_own and type(question.owner) is str else owner
        return [operator if owner is None else owner]
    if word == "contributor":
        return [] if place is None else place["contributors"]
    return [word[1:]]


def person_of(world, name):
    """Who is no person stands for the nearest person among its makers."""
    being = world.being(name)
    line = [] if being is None else [being, *world.lineage(name)]
    return next((one["name"] for one in line if one["isPerson"] and not one["isEnded"]), None)


def asked_by(question, asks):
    for ask, by, place in asks:
        persons = {person_of(question.world, name) for word in ask["who"] for name in named_by(question, place, word)}
        yield {"by": by, "who": sorted(persons - {None}), "count": ask["count"]}


class Approval:
    """How the facts of its reel leave a call that waited."""

    def __init__(self, told):
        need(told and at(told[0][0], "kind") == "approval:asked", "nothing waited")
        header, self.said = told[0]
        self.asker, self.at, self.state, self.given = given(header, "actor"), given(header, "at"), "open", []
        self.call, self.tie = given(self.said, "call"), given(self.said, "ties", "call")
        for header, payload in told[1:]:
            how = given(header, "kind").removeprefix("approval:")
            if how == "given" and self.state == "open":
                self.say_yes(header, payload)
            elif FROM.get(how) == self.state:
                self.state = how

    def say_yes(self, header, payload):
        call = given(payload, "call")
        before = self.given if same(call, self.call) else []
        self.given = [*before, (given(header, "actor"), given(header, "at"))]
        self.call, self.tie = call, given(payload, "digest")
        persons = {by for by, _ in self.given}
        enough = [len(persons.intersection(items(rule, "who"))) >= given(rule, "count") for rule in items(self.said, "rules")]
        self.state = "given" if all(enough) else "open"


def check_asked(moment, manifest):
    """Nobody but a person makes the call that is its own yes to what an operation asks by itself."""
    opened, call = moment["open"], given(moment, "decision", "call")
    ask = given(manifest, "operations", str(given(call, "verb")), str(given(call, "operation")), "ask")
    wake = opened["wake"]
    is_brought = wake["kind"] == "event" and wake["id"].startswith("approved/")
    is_persons = opened["cognition"]["kind"] == "human" and given(opened, "driver") is None and opened.get("outside") is not True
    is_done = moment["record"]["outcome"] == "act" and ask is not None
    need(not is_done or is_brought or is_persons, "an operation that asks by itself, without a yes", "law-mismatch")


def is_own_yes(question, asks, opened):
    """Whoever makes the call is a person that each rule asks: making it is the yes."""
    if given(opened, "cognition", "kind") != "human" or given(opened, "driver") is not None or at(opened, "outside") is True:
        return False
    return all(one["count"] == 1 and question.actor["name"] in one["who"] for one in asked_by(question, asks))


def makers_of(world, person):
    """The operator made everybody, so its making does not count."""
    return [one["name"] for one in world.lineage(person) if one["parent"] is not None]


def is_own(world, hands, head, person):
    """Who makes the call, who drives it, and whom they, or the person of who makes it, made."""
    return person in hands or any(name == head or name in hands for name in makers_of(world, person))


def still_asked(world, rules, me, driver, cognition, from_outside):
    """The rules that ask, without those that a person answers by making the call; (None, its text) for one that leaves too few to ask."""
    hands, head = [me, *([] if driver is None else [driver])], person_of(world, me)
    is_person = cognition == "human" and driver is None
    unseen = [me] if is_person and from_outside else []
    left = []
    for rule in rules:
        if is_person and not from_outside and rule["count"] == 1 and me in rule["who"]:
            continue
        others = [name for name in rule["who"] if name in unseen or not is_own(world, hands, head, name)]
        apart = others
        if rule["count"] > 1:
            apart = [name for name in others if not any(maker in others for maker in makers_of(world, name))]
        if len(apart) < rule["count"]:
            return None, rule["by"]
        left.append({"by": rule["by"], "who": apart, "count": rule["count"]})
    return left, None


def check_yes(approval, question, record, opened, call, asks, rests):
    me, said = question.actor, approval.said
    need(approval.asker == me["name"] and approval.state == "given", "no yes to it")
    need(same(approval.call, call) and approval.tie == value_hash(call), "a yes to another call")
    until = approval.given[-1][1] + given(said, "expiresAt") - approval.at
    need(record["openedAt"] <= until, "a yes of too long before")
    ceilings = [
        {"being": one["name"], "home": one["home"], "lists": one["ceiling"]}
        for one in [me, *question.world.lineage(me["name"])]
        if one["ceiling"] is not None
    ]
    lease, ties = given(said, "lease"), given(said, "ties")
    need(at(ties, "roles") == record["stackDigest"], "other roles")
    need(at(ties, "ceilings") == value_hash(ceilings), "other ceilings")
    need(at(ties, "lease") == value_hash(lease), "another lease")
    need(same(None if lease is None else given(lease, "driver"), given(opened, "driver")), "another driver")
    hands = [me["name"], given(opened, "driver")]
    yes, head = [by for by, _ in approval.given], person_of(question.world, me["name"])
    need(not any(is_own(question.world, hands, head, by) for by in yes), "a yes of its own")
    who = list(asked_by(question, asks))
    due, _ = still_asked(question.world, who, me["name"], given(opened, "driver"), given(opened, "cognition", "kind"), at(opened, "outside") is True)
    need(same(items(said, "rules"), due), "others were asked than its rules ask")
    need(at(ties, "rules") == value_hash({"rests": [rests] if asks else [], "who": who}), "other rules")
