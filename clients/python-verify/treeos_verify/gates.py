"""The two gates: the expanded lists with the ceilings, and the rules of the spaces."""

import re

from .approvals import read_ask
from .counts import are_counts, counts_of, is_kept, tallies_of
from .forms import is_payload_of
from .moment import Momentless, check_header
from .origin import MARKED, Origins
from .plain_json import ABSENT, Broken, at, canonical, given, items, need, same
from .hashes import fact_hash, genesis_hash, is_hash, salted_hash
from .stack import ancestry
from .states import CHANGES as CHANGES_OF_STATE, States, set_path

LIST_OF = {"see": "canSee", "do": "canDo", "summon": "canSummon", "be": "canBe"}
NAME = re.compile(r"[a-z][a-z0-9-]{0,31}\Z")
STANCE = re.compile(r"(?:~/|[a-z0-9/-]*)@([a-z][a-z0-9-]{0,31})\Z")
PATH = re.compile(r"([a-z0-9][a-z0-9-]{0,63}(/(?!\Z)|\Z))+\Z")
ROLE = re.compile(r"[a-z][a-z0-9-]{0,63}(:[a-z][a-z0-9-]{0,63})?\Z")
OWNERS_OWN = ("set-matter", "write-matter", "end-matter")
STANDINGS = ("anyone", "self", "parent", "ancestor", "owner", "contributor", "home", "operator")
NOTHING = {"name": "", "parent": None, "home": "/", "space": "/", "defaultRole": None, "ceiling": None}
NOTHING |= {"isPerson": False, "isEnded": False}
NOTHING |= {"owner": None, "contributors": [], "permissions": {}, "shadow": {}, "children": []}


def text(value):
    return value if type(value) is str else None


def born(_, said):
    state = {key: given(said, key) for key in ("name", "parent", "home", "defaultRole", "ceiling")}
    more = {"parent": text(state["parent"]), "space": state["home"], "isPerson": at(said, "cognition", "kind") == "human"}
    return NOTHING | state | more


def created(_, said):
    rules = {name: at(said, "qualities", name) for name in ("permissions", "shadow")}
    rules = {name: {} if one is ABSENT else one for name, one in rules.items()}
    return NOTHING | {"name": given(said, "path"), "owner": text(given(said, "owner"))} | rules


def quality(state, said):
    path = [str(key) for key in items(said, "path")]
    merge = at(said, "merge") is not False
    rules = {name: state[name] for name in ("permissions", "shadow")}
    tree = set_path(rules, path, given(said, "value"), merge)
    return state | {name: tree.get(name, {}) for name in rules}


def thing(_, said):
    return NOTHING | {"name": given(said, "id"), "owner": text(given(said, "owner")), "space": given(said, "place")}


CHANGES = {
    "being:born": born,
    "being:ended": lambda state, _: state | {"isEnded": True},
    "being:moved": lambda state, said: state | {"space": given(said, "to")},
    "being:bounded": lambda state, said: state | {"ceiling": given(said, "ceiling")},
    "being:role-set": lambda state, said: state | {"defaultRole": given(said, "role")},
    "being:bore": lambda state, said: state
    | {"children": None if state["children"] is None else [*state["children"], given(said, "being")]},
    "space:created": created,
    "space:contributor-added": lambda state, said: state | {"contributors": state["contributors"] + [given(said, "being")]},
    "space:contributor-removed": lambda state, said: state
    | {"contributors": [one for one in state["contributors"] if one != given(said, "being")]},
    "quality:set": quality,
    "matter:created": thing,
    "matter:moved": lambda state, said: state | {"space": given(said, "to")},
}


OF_TOLD = ("approval:", "tally:")
TOLD = ("approval:asked", "approval:given", "tally:counted")


def counts(reel, kind):
    """Whether the gates read the payload of such a fact."""
    return (kind in TOLD and reel.startswith(OF_TOLD)) or (kind in CHANGES and (kind != "quality:set" or reel.startswith("space:")))


def check_payload(header, salt, payload):
    need(is_hash(salt) and type(payload) is dict, "a payload that counts is not there")
    need(salted_hash(salt, payload) == at(header, "payloadHash"), "another payload")
    need(is_payload_of(header["kind"], payload), "a payload of another form")


class World:
    """What a receipt shows of beings, spaces and things."""

    def __init__(self, reality, reels):
        self.heads, self.gaps, self.states, self.told = {}, [], {}, {}
        self.read, self.origins, self.momentless = States(), Origins(), Momentless()
        for reel, links in reels.items():
            need(type(links) is list, "a reel is a list")
            self.take(reality, reel, links)

    def take(self, reality, reel, links):
        seq, last, state = 0, genesis_hash(reality, reel), None
        for link in links:
            if type(link) is dict:
                to = link.get("to")
                need(type(to) is int and to > seq > 0 and is_hash(link.get("hash")), "no gap")
                self.gaps.append((reel, seq, last))
                self.origins.leave_out(reel, to)
                seq, last = to, link["hash"]
                continue
            need(type(link) is list and len(link) == 3, "no fact")
            header, salt, payload = link
            seq += 1
            check_header(header, reel, seq)
            last = fact_hash(last, header)
            kind = given(header, "kind")
            self.momentless.take(header, payload)
            self.origins.take(reel, seq, header, payload)
            if reel.startswith(OF_TOLD):
                if counts(reel, kind):
                    check_payload(header, salt, payload)
                else:
                    need(salt is None and payload is None, "a payload that nothing is derived from")
                self.told.setdefault(reel, []).append((header, payload))
                continue
            if not counts(reel, str(kind)):
                if salt is None and payload is None:
                    continue
                need(str(kind) in CHANGES_OF_STATE or kind == MARKED, "a payload that nothing is derived from")
                check_payload(header, salt, payload)
                self.read.take(reel, seq, header, payload)
                continue
            if kind == "being:bore" and salt is None and payload is None:
                state = None if state is None else state | {"children": None}
                continue
            check_payload(header, salt, payload)
            self.read.take(reel, seq, header, payload)
            if state is not None or kind.endswith((":born", ":created")):
                state = CHANGES[kind](NOTHING if state is None else state, payload)
        self.heads[reel] = (seq, last)
        self.states[reel] = state

    def state(self, reel):
        need(reel in self.states, f"the receipt lacks {reel}")
        return self.states[reel]

    def facts_of(self, reel):
        self.state(reel)
        return self.told.get(reel, [])

    def being(self, name):
        return self.state(f"being:{name}")

    def space(self, path):
        return self.state(f"space:{path}")

    def lineage(self, name):
        """Makers, the nearest first."""
        makers, one = [], self.being(name)
        while one is not None and one["parent"] is not None and len(makers) < 64:
            one = self.being(one["parent"])
            if one is not None:
                makers.append(one)
        return makers

    def is_ancestor(self, elder, name):
        return any(one["name"] == elder for one in self.lineage(name))

    def is_or_made(self, elder, name):
        return elder == name or self.is_ancestor(elder, name)


def written(kind, address, home):
    """The one written form of an address."""
    if kind in ("canDo", "canBe") or address.startswith(("matter:", "thread:")):
        return address
    if address == "~":
        return home
    stance = STANCE.match(address)
    if stance:
        return f"@{stance[1]}"
    if kind == "canSummon" and NAME.match(address):
        return f"@{address}"
    path = address.lstrip("/")
    return f"/{path}" if PATH.match(path) or (path == "" and address != "") else address


def matches(pattern, target):
    if pattern == "*":
        return True
    start, end = pattern.startswith("*"), pattern.endswith("*")
    body = pattern[int(start) : len(pattern) - int(end)]
    if start and end:
        return body in target
    return target.endswith(body) if start else target.startswith(body) if end else target == body


def text_pattern(entry):
    pattern = at(entry, "pattern")
    if type(pattern) is not str or at(entry, "kind") is not ABSENT:
        return None
    place = pattern.rfind("/@")
    return pattern if place < 0 or "*" in pattern[:place] else None


def covering(entries, target):
    for entry in entries:
        pattern = given(entry, "pattern")
        if entry == target if type(entry) is str else type(pattern) is str and matches(pattern, target):
            return entry
    return None


def expanded(kind, entry, me, asker):
    """What an entry of a role stands for; None for one that code expands."""
    if type(entry) is str:
        return [written(kind, entry, me["home"])]
    if text_pattern(entry) is not None:
        return [{"pattern": text_pattern(entry)}]
    names = {"self": [me["name"]], "asker": [asker], "parent": [me["parent"]], "any-child": me["children"]}
    relation = at(entry, "rel")
    if type(relation) is not str or relation not in names:
        return None
    need(names[relation] is not None, "it does not name the children that a role reaches for")
    return [written(kind, f"@{name}", me["home"]) for name in names[relation] if name is not None]


def list_gate(world, me, surface, kind, target):
    line = [me, *world.lineage(me["name"])]
    entry = covering(items(surface, kind), target)
    if entry is None:
        return (False, kind)
    for bound in line:
        if bound["ceiling"] is None:
            continue
        entries = [
            written(kind, one, bound["home"]) if type(one) is str else {"pattern": text_pattern(one)}
            for one in items(bound["ceiling"], kind)
            if type(one) is str or text_pattern(one) is not None
        ]
        if covering(entries, target) is None:
            return (False, f"the ceiling of @{bound['name']} in {kind}")
    return (True, f"{kind}: {entry if type(entry) is str else canonical(entry)}")


class Question:
    """Who asks, for what, and of which target: a being or none, its space, and of a thing its owner."""

    def __init__(self, world, actor, verb, key, target, counting=None, from_outside=False):
        self.world, self.actor, self.verb, self.key = world, actor, verb, key
        self.being, self.space, self.owner = target
        self.asks, self.rests, self.tallies = [], None, []
        self.counting, self.from_outside = counting, from_outside
        self.own_ask = None  # what the operation itself asks, where its own rule decides

    def by(self, actor):
        return Question(self.world, actor, self.verb, self.key, (self.being, self.space, self.owner))

    def spaces(self):
        is_exempt = (self.verb == "do" and self.being is not None) or (
            self.key == "set-space" and self.actor["parent"] is None and not self.from_outside
        )
        is_own = self.owner is not ABSENT and self.key in OWNERS_OWN
        return [] if is_exempt or is_own else ancestry(self.space)

    def has(self, standing, place):
        world, actor = self.world, self.actor
        if type(standing) is dict:
            return self.is_conferred(place, lambda being: being["defaultRole"] == standing["role"])
        if standing == "anyone":
            return True
        if standing == "self":
            return self.being is not None and self.being["name"] == actor["name"]
        if standing == "parent":
            return self.being is not None and self.being["parent"] == actor["name"]
        if standing == "ancestor":
            return self.being is not None and world.is_ancestor(actor["name"], self.being["name"])
        if standing == "operator":
            return actor["parent"] is None
        if standing == "owner":
            owner = None if self.owner is ABSENT else self.owner
            if owner is None:
                owner = (world.space(self.space) or NOTHING)["owner"]
            return owner is not None and world.is_or_made(actor["name"], owner)
        if standing == "contributor":
            return actor["name"] in (world.space(self.space) or NOTHING)["contributors"]
        return self.is_conferred(place, lambda being: place in ancestry(being["home"]))

    def is_conferred(self, place, held):
        owner = (self.world.space(place) or NOTHING)["owner"]
        line = [self.actor, *self.world.lineage(self.actor["name"])]
        for i, being in enumerate(line):
            if not held(being):
                return False
            if being["parent"] is None:
                return True
            if i + 1 == len(line):
                return False
            maker = line[i + 1]
            if maker["parent"] is None or (owner is not None and self.world.is_or_made(maker["name"], owner)):
                return True
        return False

    def is_forbidden(self, standing, place):
        if type(standing) is str and standing not in ("owner", "contributor", "home"):
            return self.has(standing, place)
        makers = [one for one in self.world.lineage(self.actor["name"]) if one["parent"] is not None]
        for actor in [self.actor, *makers]:
            if type(standing) is dict:
                found = actor["defaultRole"] == standing["role"]
            elif standing == "home":
                found = place in ancestry(actor["home"])
            else:
                found = self.by(actor).has(standing, place)
            if found:
                return True
        return False


def is_standing(value):
    if type(value) is str:
        return value in STANDINGS
    return type(value) is dict and set(value) == {"role"} and type(value["role"]) is str and bool(ROLE.match(value["role"]))


NOBODY = {"requires": [], "forbid": [], "ask": None, "beyond": None, "counts": None, "outside": None}


def read_rule(value):
    """A malformed rule permits nobody."""
    if value is True:
        return NOBODY | {"requires": ["anyone"]}
    if type(value) is not dict or not value or not set(value) <= {"requires", "forbid", "ask", "counts", "outside"}:
        return NOBODY
    forbid, asks = value.get("forbid", []), value.get("ask")
    beyond = asks.get("beyond") if type(asks) is dict else None
    plain = {name: one for name, one in asks.items() if name != "beyond"} if type(asks) is dict else asks
    ask = read_ask(plain) if "ask" in value else None
    if type(forbid) is not list or not all(map(is_standing, forbid)) or (ask is None and "ask" in value):
        return NOBODY
    if "counts" in value and not are_counts(value["counts"]):
        return NOBODY
    if type(asks) is dict and "beyond" in asks and not are_counts(beyond):
        return NOBODY
    outside = read_outside(value["outside"]) if "outside" in value else None
    if outside is None and "outside" in value:
        return NOBODY
    rule = NOBODY | {"outside": outside, "requires": None, "forbid": forbid, "ask": ask, "beyond": beyond, "counts": value.get("counts")}
    if "requires" not in value:
        return rule
    if type(value["requires"]) is not list:
        return NOBODY
    return rule | {"requires": [one for one in value["requires"] if is_standing(one)]}


def read_outside(value):
    """None for one that is malformed."""
    if value == "forbid":
        return value
    ask = read_ask(value["ask"]) if type(value) is dict and set(value) == {"ask"} else None
    return None if ask is None else {"ask": ask}


def rules_of(world, path, verb, key, tried=False):
    """Of dry-run rules, each stands in the place of the rule of its name."""
    space = world.space(path) or NOTHING
    own, shadow = at(space["permissions"], verb), at(space["shadow"], verb) if tried else ABSENT
    shadow = shadow if type(shadow) is dict else {}
    rules = {**(own if type(own) is dict else {}), **shadow}
    names = [name for name in rules if name == key or (name.endswith("*") and key.startswith(name[:-1]))]
    for name in sorted(names, key=lambda name: (name != key, -len(name))):
        place = "shadow" if name in shadow else "permissions"
        yield (read_rule(rules[name]), path, name, f"{path} {place}.{verb}.{name}")


def rule_gate(question, fallback, tried=False):
    world, verb, key = question.world, question.verb, question.key
    rules = [rule for path in question.spaces() for rule in rules_of(world, path, verb, key, tried)]
    for rule, path, _, by in rules:
        if question.from_outside and rule["outside"] == "forbid":
            return (False, f"{by}.outside")
        if any(question.is_forbidden(one, path) for one in rule["forbid"]):
            return (False, by)
    for rule, path, _, by in rules:
        if rule["requires"] is not None:
            return asked(question, rules, fallback, (any(question.has(one, path) for one in rule["requires"]), by))
    allowed = any(question.has(one, question.space) for one in fallback)
    by = f"{verb} {key}: {' or '.join(map(str, fallback))}"
    return asked(question, rules, fallback, (allowed, by), question.own_ask)


def asked(question, rules, fallback, answer, own_ask=None):
    """The answer, with what rules count and ask about it. Nobody is asked before a look."""
    if not answer[0]:
        return answer
    for rule, path, name, by in rules:
        for i, count in enumerate(rule["counts"] or []):
            if not is_kept(question, path, name, count, is_tried(by, path)):
                return (False, f"{by} counts[{i}]")
    asks = []
    for rule, path, name, by in rules:
        is_below = rule["beyond"] is not None and all(is_kept(question, path, name, count, is_tried(by, path)) for count in rule["beyond"])
        if rule["ask"] is not None and not is_below:
            asks.append((rule["ask"], by, path))
        if question.from_outside and type(rule["outside"]) is dict:
            asks.append((rule["outside"]["ask"], f"{by}.outside", path))
    if own_ask is not None:
        asks.append((own_ask, f"{question.verb} {question.key}: ask", None))
    if question.counting is not None:
        around = [(rule, path) for path in question.spaces() for rule in all_rules(question.world, path)]
        question.tallies = tallies_of(question, [(rule, path, name) for rule, path, name, _ in rules], around)
    if not asks:
        return answer
    if question.verb == "see":
        return (False, asks[0][1])
    being = None if question.being is None else question.being["name"]
    owner = question.owner if type(question.owner) is str else None
    question.asks = asks
    question.rests = {
        "rules": [{"rule": shown_rule(rule), "by": by} for rule, _, _, by in rules],
        "fallback": fallback,
        "ask": own_ask,
        "permittedBy": answer[1],
        "of": {"verb": question.verb, "key": question.key, "being": being, "space": question.space, "owner": owner},
    }
    return (True, asks[0][1])


def is_tried(by, path):
    return by.startswith(f"{path} shadow.")


def check_shadow(question, fallback, answer, record):
    """What the record says of dry-run rules is what they give."""
    if question.counting is None:
        return
    was = "refused" if not answer[0] else "ask" if question.asks else "allowed"
    would, by = was, None
    if record.get("beside") is None and any((question.world.space(path) or NOTHING)["shadow"] for path in question.spaces()):
        trial = Question(
            question.world, question.actor, question.verb, question.key, (question.being, question.space, question.owner),
            question.counting, question.from_outside,
        )
        trial.own_ask = question.own_ask
        allowed, by = rule_gate(trial, fallback, True)
        would = "refused" if not allowed else "ask" if trial.asks else "allowed"
    own = {"verb": question.verb, "key": question.key, "on": question.counting[2]}
    due = None if was == would else {**own, "was": was, "would": would, "by": by}
    said = [one for one in items(record, "shadow") if all(at(one, name) == value for name, value in own.items())]
    is_before = not said and given(record, "outcome") == "failure" and answer[0]  # it may have failed before the gate was asked
    need(is_before or same(said[0] if said else None, due), "the dry-run rules would have said something else")


def tallies_tried(question):
    """The reels on which an act is counted for the dry-run rules."""
    world, verb, key = question.world, question.verb, question.key
    if question.counting is None:
        return []
    placed = [rule for path in question.spaces() for rule in rules_of(world, path, verb, key, True)]
    own = [(rule, path, name) for rule, path, name, by in placed if is_tried(by, path)]
    around = [(rule, path) for path in question.spaces() for rule in all_rules(world, path, "shadow")]
    found = tallies_of(question, own, around, True)
    reels = sorted({reel for reel, _ in found}, key=lambda reel: reel.encode("utf-16-be"))[:8]
    return [one for one in found if one[0] in reels]


def all_rules(world, path, quality="permissions"):
    """All rules of a space, whatever they are about."""
    permissions = (world.space(path) or NOTHING)[quality]
    for rules in permissions.values() if type(permissions) is dict else []:
        for rule in rules.values() if type(rules) is dict else []:
            yield read_rule(rule)


def shown_rule(rule):
    return {name: one for name, one in rule.items() if one is not None or name == "requires"}


def unknown(target):
    raise Broken(f"{target} was not there")
