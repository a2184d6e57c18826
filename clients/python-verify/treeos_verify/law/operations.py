"""What each operation of TreeOS refuses, and the facts that it writes: docs/formats.md, "What operations refuse"."""

import re

from .. import operation_facts as facts_of
from ..flow import flow_paths
from ..gates import Question, rule_gate
from ..hashes import is_hash, value_hash
from ..operation_facts import LIMITS, STANDARD_LIMITS, there
from ..plain_json import ABSENT, at, given, same
from ..stack import ancestry
from ..states import set_path
from .arguments import FORMS, OF_BEING, SCHEDULE, SUBSCRIPTION, field_of, read_arguments
from .names import Refused, is_key, parent_path, parse_keys, parse_space, parse_stance, refuse_unless, require_content, size_of
from .rows import RowFact, row_after
from .sight import is_within, name_of, reach_of, require_assignable, roles_named, subscriptions_of, watches
from .texts import (
    asked_stances, entry_key, parse_ceiling, parse_role, require_covered, require_flow, require_rules,
)

SUBSTRATE_TARGETS = {
    **dict.fromkeys(("create-space", "set-space", "set-size", "add-contributor", "remove-contributor", "create-matter", "move"), ["space"]),
    **dict.fromkeys(("set-matter", "write-matter", "end-matter", "take", "put"), ["matter"]),
    **dict.fromkeys(("set-being", "set-roleflow", "set-default-role", "pause-being", "resume-being"), ["being"]),
    **dict.fromkeys(("end-being", "unpark-being"), ["being"]),
    **dict.fromkeys(("set-schedule", "delete-schedule", "subscribe", "unsubscribe", "mediate", "approve", "deny", "keep-file"), ["being"]),
    **dict.fromkeys(("set-role", "delete-role", "set-world-signal", "grant-namespace", "revoke-namespace"), ["reality"]),
    "accept-difference": ["being"],
    "set-budget": ["being", "reality"],
    "cut-thread": ["thread"],
    **dict.fromkeys(("erase", "set-hold", "lift-hold"), ["being", "space", "matter"]),
    "vouch": ["being", "space", "matter"],
    **dict.fromkeys(("birth", "connect", "release"), ["being"]),
}
QUALITY_BYTES = 64 * 1024
PROGRAM_BYTES = 16 * 1024
PINNED_BYTES = 130
KEPT_MAX = 16
ENDED_MAX = 32
MEMBERS_MAX = 256
THINGS_MAX = 500
LINEAGE_MAX = 63
DELEGATES = ("birther", "role-manager")
TREEOS = "seed"
# Who writes a namespace of qualities by which TreeOS itself lives.
WRITERS = {
    "roleFlow": ("set-roleflow",),
    "schedule": ("set-schedule", "delete-schedule"),
    "subscription": ("subscribe", "unsubscribe", "set-roleflow", "set-default-role", "set-role", "delete-role"),
    "llm": ("set-being", "set-roleflow"),
    "wake": ("set-being",),
    "a2a": ("set-being",),
    "chat": ("set-being",),
    "passkeys": ("set-being",),
    "permissions": ("set-space",),
    "shadow": ("set-space", "set-being"),
}
ENDERS = ("set-space", "remove-contributor")
OWN_NAMES = (
    "approval being space matter thread role quality signal place speech world registry moments seed live permissions schedule "
    "subscription wake model tally shadow"
).split()
STANDARD_BUDGETS = {
    "llm": {"momentsPerMinute": 30, "births": 32, "tokens": 1_000_000, "tokensPerPerson": 20_000_000, "per": "day", "revision": 0},
    "scripted": {"momentsPerMinute": 600, "births": 32, "per": "day", "revision": 0},
    "human": {"per": "day", "revision": 0},
}


class Work:
    """One call of an operation that both gates allow: who does it, to what, with which arguments."""

    def __init__(self, world, actor, target, args, more):
        self.world, self.actor, self.target, self.args, self.more = world, actor, target, args, more
        self.driver, self.lender = more["driver"], more["lender"]
        self.cognition, self.names = more["cognition"], more["names"]
        self.me = actor["name"]

    @property
    def row(self):
        return self.target[1]

    def reach(self):
        return self.more["reach"]()

    def sees(self, path):
        return self.more["sees"](path)

    def arg(self, name, default=None):
        return self.args.get(name, default)

    def is_own_act(self):
        return self.cognition == "human" and self.driver is None and self.more["is_act"]

    def is_asked_from_outside(self):
        return self.more["is_wake_outside"]


def accept_difference(work):
    """That the record of a moment has another stack than its workflow gave."""
    permit(work.is_own_act() and not work.is_asked_from_outside())
    moment, name = work.args["moment"], work.row["name"]
    digests = {"recorded": work.arg("recorded"), "given": work.arg("given")}
    is_same = digests["recorded"] is not None and digests["recorded"] == digests["given"]
    refuse_unless(moment.startswith(f"{name}/") and not is_same, "INVALID_INPUT")
    return facts_of.difference_accepted(f"being:{name}", moment, **digests)


def reel_of(target):
    kind, row = target
    return {"being": lambda: f"being:{row['name']}", "space": lambda: f"space:{row['path']}", "matter": lambda: f"matter:{row['id']}"}[kind]()


def conflict(is_one):
    refuse_unless(not is_one, "RESOURCE_CONFLICT")


def permit(is_permitted):
    refuse_unless(is_permitted, "FORBIDDEN")


def known(row, code):
    refuse_unless(row is not None, code)
    return row


def alive(row):
    refuse_unless("ended" not in row, "BEING_ENDED")
    return row


def type_of(work, known_types, default):
    kind = work.arg("type", default)
    refuse_unless(kind in known_types or is_key(kind), "INVALID_TYPE" if ":" in kind else "INVALID_INPUT")
    return kind


def coord_in(work, space):
    coord = work.arg("coord")
    if coord is None:
        return {}
    size = given(space, "size")
    refuse_unless(size is not None and all(coord[axis] < size[axis] for axis in "xyz"), "INVALID_INPUT")
    return {"coord": coord}


def create_space(work):
    kind = type_of(work, work.names["spaceTypes"], "room")
    path = parse_space(work.args["path"])
    parent = parent_path(path)
    conflict(parent is None)
    refuse_unless(work.row["path"] == parent, "INVALID_INPUT")
    conflict(work.world.space_row(path) is not None)
    return facts_of.space_created(path, kind, work.me, there(work.args, "size") | coord_in(work, work.row))


def quality_change(work):
    path = field_of(work.args["field"])
    change = {"path": path, "value": work.args["value"], "merge": work.arg("merge", True)}
    require_small(set_path(work.row["qualities"], path, change["value"], change["merge"]))
    return change


def require_small(tree):
    refuse_unless(size_of(tree) <= QUALITY_BYTES, "PAYLOAD_TOO_LARGE")


def set_space(work):
    change = quality_change(work)
    path, space, before = change["path"], work.row["path"], work.row["qualities"]
    refuse_unless(space != "/" or path[0] != "budget", "INVALID_INPUT")
    if path[0] in ("permissions", "shadow"):
        was = at(before, path[0])
        after = at(set_path(before, path, change["value"], change["merge"]), path[0])
        require_rules(was, after, path[0])
        require_covered(was, after, space, work.more["targets"])
        old = set(asked_stances(was))
        for stance in asked_stances(after):
            if stance not in old:
                known(work.world.being_row(stance[1:]), "BEING_NOT_FOUND")
    fact = facts_of.quality_set(f"space:{space}", **change)
    is_of_sight = path[0] == "permissions" and (path[1:] + ["see"])[0] == "see"
    return [fact, *(ended_by_rules(work, fact) if is_of_sight else [])]


def after_fact(row, fact):
    return row_after(row, RowFact(fact[0], {"kind": fact[1], "at": 0, "actor": ""}, fact[2]))


def ended_by_rules(work, fact):
    """Ends the subscriptions of all beings which the rules of a space keep from it, or from a space inside it."""
    path = work.row["path"]
    then = work.world.as_if(f"space:{path}", after_fact(work.row, fact))
    ended = []
    for being in work.world.every_being():
        scopes = [value["scope"] for _, value in subscriptions_of(being)]
        if "ended" not in being and any(path in ancestry("/" if scope == "everywhere" else scope) for scope in scopes):
            ended += ended_subscriptions(then, being, reach_of(then, being)["canSee"])
    return ended[:ENDED_MAX]


def ended_subscriptions(world, being, can_see):
    ended = []
    for name, value in subscriptions_of(being):
        if value["field"].startswith("world."):
            continue
        spaces, beings = watches(world, being, value["scope"], at(value, "below") is True, can_see)
        if not spaces or (at(value, "beings") is True and not beings):
            ended.append(facts_of.quality_set(f"being:{being['name']}", ["subscription", name], None))
    return ended


def set_size(work):
    path, size = work.row["path"], work.args["size"]
    world = work.world
    placed = [world.being_row(name) for name in world.occupants(path)]
    placed += [world.thing_row(name) for name in world.things(path)]
    placed += [world.space_row(name) for name in world.inner_spaces(path)]
    coords = [row["coord"] for row in placed if row is not None and "coord" in row]
    conflict(any(size is None or any(coord[axis] >= size[axis] for axis in "xyz") for coord in coords))
    return facts_of.space_resized(f"space:{path}", size)


def add_contributor(work):
    name = parse_stance(work.args["being"])
    members = work.row.get("contributors", [])
    alive(known(work.world.being_row(name), "BEING_NOT_FOUND"))
    conflict(name in members)
    refuse_unless(len(members) < MEMBERS_MAX, "RATE_LIMITED")
    return facts_of.contributor_changed(f"space:{work.row['path']}", "added", name)


def remove_contributor(work):
    name = parse_stance(work.args["being"])
    conflict(name not in work.row.get("contributors", []))
    [fact] = facts_of.contributor_changed(f"space:{work.row['path']}", "removed", name)
    return [fact, *ended_by_rules(work, fact)]


def require_room(work, place):
    refuse_unless(len(work.world.things(place)) < THINGS_MAX, "RATE_LIMITED")


def create_matter(work):
    thing = work.args["id"]
    kind = type_of(work, work.names["matterTypes"], "thing")
    conflict(work.world.row(f"matter:{thing}") is not None)
    content, place = require_content(work.arg("content")), work.row["path"]
    require_room(work, place)
    return facts_of.matter_created(thing, kind, work.me, place, content, coord_in(work, work.row))


def keep_file(work):
    thing = work.args["id"]
    conflict(work.world.row(f"matter:{thing}") is not None)
    require_room(work, f"@{work.me}")
    return facts_of.file_kept(thing, work.me, work.args)


def set_matter(work):
    return [facts_of.quality_set(f"matter:{work.row['id']}", **quality_change(work))]


def write_matter(work):
    return facts_of.matter_written(f"matter:{work.row['id']}", require_content(work.arg("content")))


def take(work):
    thing, place = work.row["id"], work.row["place"]
    holder = work.world.being_row(place[1:]) if place.startswith("@") else None
    lies = holder["space"] if holder is not None and "ended" in holder else place
    conflict(lies != work.actor["space"])
    require_room(work, f"@{work.me}")
    return facts_of.matter_moved(thing, place, f"@{work.me}", {})


def put(work):
    here = work.actor["space"]
    permit(work.row["place"] == f"@{work.me}")
    require_room(work, here)
    return facts_of.matter_moved(work.row["id"], work.row["place"], here, coord_in(work, work.world.space_row(here)))


def end_matter(work):
    return facts_of.matter_ended(work.row["id"], work.row["place"])


# Beings


def set_being(work):
    being, change = work.row, quality_change(work)
    path, value = change["path"], change["value"]
    if path[0] == "shadow":
        refuse_unless(len(path) == 1, "INVALID_INPUT")
        if value is not None:
            flow = require_flow(value)
            require_sight_of_place(work, being["space"], flow)
            require_small_program(being["defaultRole"], {**being["qualities"], "roleFlow": flow})
    if path[0] == "llm":
        refuse_unless(path == ["llm", "connection"] and (value is None or is_key(value)), "INVALID_INPUT")
        permit(not (work.me == being["name"] and work.lender is None and being["cognition"]["kind"] != "human"))
        require_own_connection(work, value)
    if path[0] == "passkeys":
        require_passkey(work, path, value)
    permit(not opens(path, value) or (work.is_own_act() and not work.is_asked_from_outside()))
    refuse_unless(path[0] not in ("schedule", "subscription"), "INVALID_INPUT")
    return [facts_of.quality_set(f"being:{being['name']}", **change)]


def opens(path, value):
    """Whether a change of a quality opens a way to a being from outside."""
    if path[0] == "wake":
        return "workflows" in (path[1:2] or value if path[1:] or type(value) is dict else ())
    return path[0] in ("a2a", "chat")


def require_own_connection(work, name):
    own = given(work.actor["qualities"], "llm", "connection")
    permit(name is None or work.cognition == "human" or name == own)


BYTES_32 = re.compile(r"[A-Za-z0-9_-]{43}\Z")


def require_passkey(work, path, value):
    refuse_unless(len(path) == 2, "INVALID_INPUT")
    if value is None:
        return
    permit(work.me == work.row["name"] and work.row["cognition"]["kind"] == "human")
    site, jwk = at(value, "site"), at(value, "publicKey")
    is_site = type(site) is str and 0 < len(site) <= 253
    is_form = type(value) is dict and set(value) == {"site", "publicKey"} and type(jwk) is dict
    refuse_unless(is_form and is_site and set(jwk) <= {"kty", "crv", "x", "y"}, "INVALID_INPUT")
    is_bytes = lambda name: type(jwk.get(name)) is str and BYTES_32.match(jwk[name]) is not None
    kind = (jwk.get("kty"), jwk.get("crv"))
    is_key_of = (kind == ("EC", "P-256") and is_bytes("y")) or (kind == ("OKP", "Ed25519") and jwk.get("y") is None)
    refuse_unless(is_bytes("x") and is_key_of, "INVALID_INPUT")


def require_sight_of_place(work, space, flow):
    reads = any(path == "space.quality" or path.startswith("space.quality.") for path in flow_paths(flow))
    permit(not reads or work.sees(space))


def require_small_program(default, qualities):
    names = roles_named({"defaultRole": default, "qualities": qualities})
    flow = given(qualities, "roleFlow")
    size = size_of([] if flow is None else flow) + sum(len(name) + PINNED_BYTES for name in names)
    refuse_unless(size <= PROGRAM_BYTES, "PAYLOAD_TOO_LARGE")


def set_roleflow(work):
    being, flow = work.row, require_flow(work.args["flow"])
    require_sight_of_place(work, being["space"], flow)
    qualities = {**being["qualities"], "roleFlow": flow}
    require_small_program(being["defaultRole"], qualities)
    named = roles_named({"defaultRole": None, "qualities": qualities})
    require_assignable(work.world, work.actor, named, work.reach())
    after = {**being, "qualities": qualities}
    ended = ended_subscriptions(work.world, after, reach_of(work.world, after)["canSee"])
    return [facts_of.quality_set(f"being:{being['name']}", ["roleFlow"], flow), *ended]


def set_default_role(work):
    being, role = work.row, work.args["role"]
    permit(not is_of_every_reality(being))
    conflict(role == being["defaultRole"])
    require_small_program(role, being["qualities"])
    require_assignable(work.world, work.actor, [role], work.reach())
    after = {**being, "defaultRole": role}
    ended = ended_subscriptions(work.world, after, reach_of(work.world, after)["canSee"])
    return [facts_of.role_given(f"being:{being['name']}", role), *ended]


def move(work):
    me, to = work.actor, work.row["path"]
    more = coord_in(work, work.row)
    if to == me["space"]:
        conflict("coord" not in more or same(more["coord"], me.get("coord")))
    else:
        permit(to == me["home"] or work.sees(to))
    return facts_of.being_moved(work.me, me["space"], to, more)


def is_of_every_reality(row):
    return row["parent"] is None or row["name"] in DELEGATES


def pause_being(work):
    permit(not is_of_every_reality(work.row))
    refuse_unless(work.row["cognition"]["kind"] != "human", "INVALID_TYPE")
    conflict("paused" in work.row)
    return facts_of.happened(reel_of(work.target), "being:paused")


def resume_being(work):
    conflict("paused" not in work.row)
    return facts_of.happened(reel_of(work.target), "being:resumed")


def lease_of(row):
    lease = row.get("inhabited") or {}
    return lease.get("by"), lease.get("epoch", 0)


def released(row):
    by, epoch = lease_of(row)
    return facts_of.being_released(row["name"], by, epoch)


def end_being(work):
    being = work.row
    permit(not is_of_every_reality(being))
    ends = [] if lease_of(being)[0] is None else [released(being)]
    return [*ends, *facts_of.being_ended(being["name"], being["space"])]


def keep(work, kind, name, value):
    being = work.row
    kept = given(being["qualities"], kind)
    kept = kept if type(kept) is dict else {}
    refuse_unless(name in kept or len(kept) < KEPT_MAX, "RATE_LIMITED")
    require_small(set_path(being["qualities"], [kind, name], value, False))
    return [facts_of.quality_set(f"being:{being['name']}", [kind, name], value)]


def with_preset(work, presets, forms):
    """The arguments of a preset, overridden by those that are given."""
    own = {name: one for name, one in work.more["args"].items() if name != "preset"}
    if "preset" in work.more["args"]:
        preset = work.more["args"]["preset"]
        refuse_unless(type(preset) is str and preset in presets, "INVALID_INPUT")
        own = {**presets[preset], **own}
    return read_arguments(own, forms)


def require_wakeable(work):
    refuse_unless(work.row["cognition"]["kind"] != "human", "INVALID_TYPE")


def set_schedule(work):
    args = with_preset(work, work.names["schedules"], SCHEDULE)
    require_wakeable(work)
    has = lambda name: args.get(name) is not None
    refuse_unless(has("at") != has("everySeconds"), "INVALID_INPUT")
    refuse_unless(has("at") or not (has("days") or has("zone")), "INVALID_INPUT")
    return keep(work, "schedule", args["name"], facts_of.schedule_of(args))


def subscribe(work):
    args = with_preset(work, work.names["hooks"], SUBSCRIPTION)
    require_wakeable(work)
    field = parse_keys(args["field"])
    below, scope = args.get("below", False), args["scope"]
    if scope != "everywhere":
        scope = parse_space(scope)
        known(work.world.space_row(scope), "SPACE_NOT_FOUND")
    if field[0] == "world":
        refuse_unless(scope == "everywhere" and len(field) > 1, "INVALID_INPUT")
        beings = False
    else:
        spaces, beings = watches(work.world, work.row, scope, below, reach_of(work.world, work.row)["canSee"])
        permit(spaces)
    return keep(work, "subscription", args["name"], facts_of.subscription_of(args, scope, beings))


def remove(kind):
    def decide(work):
        name, kept = work.args["name"], given(work.row["qualities"], kind)
        refuse_unless(type(kept) is dict and name in kept, "INVALID_INPUT")
        return [facts_of.quality_set(reel_of(work.target), [kind, name], None)]

    return decide


# Roles


def users_of(world, name):
    return [row for row in world.every_being() if "ended" not in row and name in roles_named(row)]


def require_standing_over_wearers(work, name):
    hands = [one for one in (work.actor, work.lender) if one is not None]
    if any(one["parent"] is None for one in hands):
        return
    for user in users_of(work.world, name):
        line = [user["name"], *(one["name"] for one in work.world.lineage(user["name"]))]
        permit(any(hand["name"] in line for hand in hands))


def ended_by_role(work, old, spec):
    before = work.world.spec(old["digest"])["canSee"]
    kept = {entry_key(one) for one in (spec["canSee"] if spec is not None else [])}
    if all(entry_key(one) in kept for one in before):
        return []
    ended = []
    for being in users_of(work.world, old["name"]):
        if any(True for _ in subscriptions_of(being)):
            can_see = reach_of(work.world, being, (old["name"], spec))["canSee"]
            ended += ended_subscriptions(work.world, being, can_see)
    return ended[:ENDED_MAX]


def is_author(work, old):
    return old["author"] == work.me or work.world.is_ancestor(work.me, old["author"])


def fully_named(spec, loaded):
    """The role with the full names of its operations, where one extension alone has them."""

    def full(entry, names):
        if type(entry) is not str or entry in names or ":" in entry:
            return entry
        meant = [name for name in names if name.endswith(f":{entry}")]
        refuse_unless(len(meant) < 2, "INVALID_INPUT")
        return meant[0] if meant else entry

    return spec | {key: [full(entry, names) for entry in spec[key]] for key, names in loaded.items()}


def set_role(work):
    spec = fully_named(parse_role(work.args["role"]), work.more["loaded"])
    refuse_unless(type(spec["prompt"]) is str, "INVALID_INPUT")
    old = work.world.row(f"role:{spec['name']}")
    conflict(old is not None and old["origin"] != "live")
    refuse_unless(":" not in spec["name"], "INVALID_INPUT")
    if old is not None:
        permit(is_author(work, old))
        require_standing_over_wearers(work, spec["name"])
    permit(is_within(spec, work.reach(), work.actor["home"]))
    ended = [] if old is None else ended_by_role(work, old, spec)
    return [facts_of.role_set(spec, there(work.args, "trial")), *ended]


def delete_role(work):
    name = work.args["name"]
    old = known(work.world.role_row(name), "ROLE_UNAVAILABLE")
    permit(old["origin"] == "live" and is_author(work, old))
    require_standing_over_wearers(work, name)
    conflict(work.arg("force", False) is False and users_of(work.world, name) != [])
    return [facts_of.role_deleted(name), *ended_by_role(work, old, None)]


# Budgets


BOUNDED_BY_STANDARD = ("momentsPerMinute", "births", "tokens", "money")
PERIODICAL = ("tokens", "money")


def standard_budget(world, cognition):
    root = world.space_row("/")
    said = given(root and root["qualities"], "budget", cognition)
    return said if type(said) is dict else STANDARD_BUDGETS[cognition]


def set_budget(work):
    if work.target[0] == "space":
        permit(work.actor["parent"] is None)
        refuse_unless(set(work.more["args"]) <= {*STANDARD_LIMITS, "per", "for"}, "INVALID_INPUT")
        cognition = work.arg("for", "llm")
        value = facts_of.standard_budget_of(work.args, standard_budget(work.world, cognition)["revision"] + 1)
        return [facts_of.quality_set("space:/", ["budget", cognition], value)]
    being = work.row
    permit(being["name"] != work.me)
    refuse_unless(set(work.more["args"]) <= set(OF_BEING), "INVALID_INPUT")
    budget = facts_of.budget_of(work.args)
    for elder in [work.actor, *work.world.makers(work.me)]:
        require_within_own(elder.get("budget"), budget)
    require_within_standard(work, being, budget)
    return [facts_of.being_budgeted(f"being:{being['name']}", budget)]


def require_within_own(own, budget):
    for limit in LIMITS if own is not None else []:
        if limit not in own or limit not in budget or budget[limit] <= own[limit]:
            continue
        permit(limit in PERIODICAL and given(own, "per") == "day" and budget["per"] == "total")


def require_within_standard(work, being, budget):
    hand = work.actor if work.lender is None else work.lender
    if hand["cognition"]["kind"] == "human" or "budget" in hand:
        return
    standard = standard_budget(work.world, being["cognition"]["kind"])
    for limit in BOUNDED_BY_STANDARD:
        if limit not in standard:
            continue
        lasts = limit not in PERIODICAL or given(standard, "per") == "day" or budget["per"] == "total"
        permit(limit in budget and budget[limit] <= standard[limit] and lasts)


def unpark_being(work):
    being, is_released = work.row, work.arg("release", False)
    permit(being["name"] != work.me)
    conflict("parked" not in being and not is_released)
    reel = f"being:{being['name']}"
    facts = [facts_of.being_unparked(reel, is_released)]
    if is_released and "budget" in being:
        budget = {name: one for name, one in being["budget"].items() if name != "revision"}
        facts.append(facts_of.being_budgeted(reel, budget))
    return facts


# Signals


class Ownership:
    """A namespace of signals, as it stands when somebody wants to publish in it."""

    def __init__(self, work):
        self.name = work.args["namespace"]
        self.row = work.world.row(f"world:{self.name}")
        self.is_reserved = self.name in work.names["namespaces"]
        self.owner = "operator" if self.is_reserved else given(self.row, "owner")
        self.publishers = [] if self.row is None else self.row.get("publishers", [])
        self.work = work

    def may(self, holds):
        hands = [one for one in (self.work.actor, self.work.lender) if one is not None]
        return self.owner is None or any(holds(one) or self.owns(one) for one in hands)

    def owns(self, being):
        if being["parent"] is None or self.owner == being["name"]:
            return True
        return self.owner is not None and self.work.world.is_ancestor(being["name"], self.owner)

    def facts(self, kind, said):
        is_first = self.row is None and self.is_reserved and self.work.actor["parent"] is not None
        return facts_of.of_signals(kind, self.name, said, {"owner": "operator"} if is_first else {})


def set_world_signal(work):
    owned = Ownership(work)
    permit(owned.may(lambda being: being["name"] in owned.publishers))
    key, value = parse_keys(work.args["key"]), work.args["value"]
    require_small(set_path({} if owned.row is None else owned.row["values"], key, value, False))
    return owned.facts("published", {"key": key, "value": value})


def grant_namespace(work):
    owned, name = granting(work)
    alive(known(work.world.being_row(name), "BEING_NOT_FOUND"))
    conflict(owned.owner == name or (owned.owner is None and work.me == name) or name in owned.publishers)
    refuse_unless(len(owned.publishers) < MEMBERS_MAX, "RATE_LIMITED")
    return owned.facts("granted", {"being": name})


def revoke_namespace(work):
    owned, name = granting(work)
    conflict(name not in owned.publishers)
    return owned.facts("revoked", {"being": name})


def granting(work):
    owned, name = Ownership(work), parse_stance(work.args["being"])
    permit(owned.may(lambda _: False))
    return owned, name


# What persons do


def erase(work):
    permit(work.is_own_act() and not work.is_asked_from_outside() and work.me == "operator")
    why, fact, moment = work.args["why"], work.arg("fact"), work.arg("moment")
    refuse_unless((fact is None) != (moment is None), "INVALID_INPUT")
    if fact is not None:
        refuse_unless(is_hash(fact["hash"]) and is_reel_of(work.target, fact["reel"]), "INVALID_INPUT")
        require_no_hold(work)
        return facts_of.fact_erased(fact, why)
    is_of_being = work.target[0] == "being" and moment.split("/")[0] == work.row["name"]
    refuse_unless(is_of_being, "INVALID_INPUT")
    require_no_hold(work)
    return facts_of.moment_erased(f"being:{work.row['name']}", moment, why)


def require_no_hold(work):
    conflict(any((row or {}).get("holds") for row in (work.world.space_row("/"), work.row)))


def change_hold(kind):
    def decide(work):
        permit(work.is_own_act() and not work.is_asked_from_outside() and work.me == "operator")
        conflict((work.args["name"] in work.row.get("holds", {})) is (kind == "set"))
        return facts_of.hold_changed(reel_of(work.target), kind, work.args["name"], work.args["why"])

    return decide


def is_reel_of(target, reel):
    if reel == reel_of(target):
        return True
    return target[0] == "space" and target[1]["path"] == "/" and not reel.startswith(("being:", "space:", "matter:"))


def waiting_call(work):
    """What waits for the yes of the actor."""
    permit(work.is_own_act() and not work.is_asked_from_outside())
    parts = work.args["id"].split("/")
    refuse_unless(len(parts) <= 4, "CORRELATION_NOT_FOUND")
    padded = parts + ["undefined"] * (3 - len(parts))
    row = known(work.world.row(f"approval:{'/'.join(padded[:3])}"), "CORRELATION_NOT_FOUND")
    permit(any(work.me in rule["who"] for rule in row["rules"]))
    conflict(row["state"] != "open" or work.more["opened"] >= row["expiresAt"])
    conflict(str(row["revision"]) != (parts[3] if len(parts) > 3 else "1"))
    conflict(any(one["by"] == work.me for one in row["given"]))
    return row


def approve(work):
    row = waiting_call(work)
    call = row["call"]
    if "args" in work.args:
        refuse_unless(call["verb"] in ("do", "be"), "INVALID_INPUT")
        call = {**call, "args": work.args["args"]}
        require_fitting(call)
    return facts_of.approval_given(f"approval:{row['id']}", call, value_hash(call))


def require_fitting(call):
    """Of another operation than TreeOS's own, code checks the arguments."""
    name = call["operation"]
    is_own = (name in ("birth", "connect", "release")) == (call["verb"] == "be")
    if is_own and name in FORMS:
        try:
            read_arguments(call["args"], FORMS[name])
        except Refused as refused:
            is_fault = refused.code in ("INVALID_INPUT", "ADDRESS_PARSE_ERROR", "PAYLOAD_TOO_LARGE")
            raise Refused(refused.code if is_fault else "INTERNAL") from None


def deny(work):
    row = waiting_call(work)
    return facts_of.approval_denied(f"approval:{row['id']}", there(work.args, "why"))


def vouch(work):
    permit(work.is_own_act() and not work.is_asked_from_outside())
    refuse_unless(work.more["named"] == name_of(work.target), "INVALID_INPUT")
    role, namespace = work.arg("role"), work.arg("namespace")
    if role is None and namespace is None:
        row = work.row
    else:
        is_root = work.target[0] == "space" and work.row["path"] == "/"
        refuse_unless(is_root and (role is None or namespace is None), "INVALID_INPUT")
        permit(work.actor["parent"] is None)
        row = work.world.row(f"world:{namespace}" if role is None else f"role:{role}")
    conflict(row is None or "outside" not in row or value_hash(row) != work.args["seen"])
    return facts_of.vouched(reel_of(work.target), role, namespace)


# Births and leases


def birth(work):
    args, world = work.args, work.world
    name, kind, script = args["name"], args["cognition"], args.get("script")
    is_script = script is not None and script in work.names["scripts"]
    refuse_unless(is_script if kind == "scripted" else script is None, "INVALID_INPUT")
    connection = args.get("connection")
    refuse_unless(connection is None or kind == "llm", "INVALID_INPUT")
    require_own_connection(work, connection)
    flow = args.get("roleFlow")
    default = args["role"] if "role" in args else role_at_birth(work)
    home = parse_space(args["home"]) if "home" in args else work.actor["home"]
    qualities = {} if flow is None else {"roleFlow": flow}
    qualities |= {"llm": {"connection": connection}} if connection is not None else {}
    conflict(world.being_row(name) is not None)
    require_home(work, home)
    if flow is not None:
        require_sight_of_place(work, home, flow)
    require_births(work)
    require_small_program(default, qualities)
    named = roles_named({"defaultRole": default, "qualities": qualities})
    require_assignable(world, work.actor, named, work.reach())
    ceiling = None if "ceiling" not in args else parse_ceiling(args["ceiling"])
    return facts_of.being_born(name, work.me, {"kind": kind, "script": script}, default, home, qualities, ceiling)


def role_at_birth(work):
    reach = work.reach()
    citizen = work.world.role_row("citizen") if work.cognition == "human" else None
    is_citizen = citizen is not None and is_within(work.world.spec(citizen["digest"]), reach, work.actor["home"])
    return "citizen" if is_citizen else "resident"


def require_home(work, home):
    known(work.world.space_row(home), "SPACE_NOT_FOUND")
    permit(home == work.actor["home"] or work.sees(home))
    me = work.world.being(work.me)
    question = Question(work.world, me, "do", "move", (None, home, ABSENT), None, work.more["from_outside"])
    allowed, by = rule_gate(question, ["anyone"])
    if not allowed or question.asks:
        raise Refused("FORBIDDEN", [by])


def require_births(work):
    """How many children a being may make, by its budget and those of its makers, or by the standard one of its line."""
    world, makers = work.world, work.world.makers(work.me)
    line = [work.actor, *makers]
    bounds = [row["budget"]["births"] for row in line if "births" in (row.get("budget") or {})]
    refuse_unless(not bounds or len(world.children(work.me)) < min(bounds), "RATE_LIMITED")
    offspring = set()
    for row in line:
        kind = row["cognition"]["kind"]
        if kind == "human":
            break
        births = standard_budget(world, kind).get("births")
        if "budget" in row or births is None:
            continue
        add_offspring(world, row["name"], offspring, births)
        refuse_unless(len(offspring) < births, "RATE_LIMITED")
    permit(len(makers) < LINEAGE_MAX)


def add_offspring(world, name, offspring, count):
    parents = [name]
    for parent in parents:
        if len(offspring) >= count:
            return
        added = [child for child in world.children(parent) if child not in offspring]
        offspring.update(added)
        parents += added


def connect(work):
    name = parse_stance(work.args["being"])
    child = alive(known(work.world.being_row(name), "BEING_NOT_FOUND"))
    permit(work.cognition == "human" and work.world.is_ancestor(work.me, name))
    by, epoch = lease_of(child)
    conflict(by is not None)
    under = None if work.driver is None else given(work.actor.get("inhabited"), "epoch")
    return facts_of.being_inhabited(name, work.me, epoch + 1, under, work.arg("own", False))


def release(work):
    child = work.actor
    if "being" in work.args:
        child = known(work.world.being_row(parse_stance(work.args["being"])), "BEING_NOT_FOUND")
    by, _ = lease_of(child)
    conflict(by is None)
    permit(work.me in (child["name"], by) or work.world.is_ancestor(work.me, by))
    return [released(child)]


DECIDE = {
    "create-space": create_space,
    "set-space": set_space,
    "set-size": set_size,
    "add-contributor": add_contributor,
    "remove-contributor": remove_contributor,
    "create-matter": create_matter,
    "keep-file": keep_file,
    "set-matter": set_matter,
    "write-matter": write_matter,
    "take": take,
    "put": put,
    "end-matter": end_matter,
    "set-being": set_being,
    "set-roleflow": set_roleflow,
    "move": move,
    "set-default-role": set_default_role,
    "pause-being": pause_being,
    "resume-being": resume_being,
    "end-being": end_being,
    "set-schedule": set_schedule,
    "delete-schedule": remove("schedule"),
    "subscribe": subscribe,
    "unsubscribe": remove("subscription"),
    "set-role": set_role,
    "delete-role": delete_role,
    "set-budget": set_budget,
    "unpark-being": unpark_being,
    "accept-difference": accept_difference,
    "set-world-signal": set_world_signal,
    "grant-namespace": grant_namespace,
    "revoke-namespace": revoke_namespace,
    "erase": erase,
    "set-hold": change_hold("set"),
    "lift-hold": change_hold("lifted"),
    "approve": approve,
    "deny": deny,
    "vouch": vouch,
    "birth": birth,
    "connect": connect,
    "release": release,
}


def decide(name, work):
    """The facts of an operation of TreeOS, or Refused."""
    work.args = read_arguments(work.more["args"], FORMS[name])
    facts = DECIDE[name](work)
    require_own_qualities(name, facts, work)
    return facts


def require_own_qualities(name, facts, work):
    hands = [one for one in (work.actor, work.lender) if one is not None]
    is_of_operator = any(one["parent"] is None for one in hands)
    for reel, kind, said in facts:
        if kind != "quality:set":
            continue
        namespace = str(said["path"][0])
        is_end = namespace == "subscription" and reel.startswith("being:") and said["value"] is None
        if is_end and name in ENDERS:
            continue
        if namespace in WRITERS:
            permit(name in WRITERS[namespace])
        elif namespace != TREEOS and namespace in work.names["namespaces"]:
            permit(namespace not in OWN_NAMES and is_of_operator)
