"""Lists, reach and sight: what a being may reach for, and see. docs/formats.md, "Sight and reach"."""

from ..gates import ABSENT, Question, covering, list_gate, matches, rule_gate
from ..plain_json import at, canonical, given, items
from .names import Refused, parse_address, written
from ..flow import flow_roles
from .texts import LISTS, VIEWS, entry_key, place_pattern, text_pattern
from .world import OF_CODE, NotProven

PRESENT_MAX = 200
CONFIGURING = (
    *("move", "set-role", "delete-role", "set-roleflow", "set-being", "set-world-signal"),
    *("grant-namespace", "revoke-namespace", "approve", "deny", "vouch"),
)


class Dropped(Exception):
    """An entry that expands to nothing here."""


# What a call is done to: (kind, row), with the kind `being`, `space` or `matter`.


def name_of(target):
    kind, row = target
    if kind == "matter":
        return f"matter:{row['id']}"
    return f"@{row['name']}" if kind == "being" else row["path"]


def placed(world, target):
    """What the rule gate is told of a target: the being or none, its space, and of a thing its owner."""
    kind, row = target
    if kind == "being":
        return (world.being(row["name"]), row["space"], ABSENT)
    if kind == "space":
        return (None, row["path"], ABSENT)
    place = row["place"]
    holder = world.being(place[1:]) if place is not None and place.startswith("@") else None
    return (None, holder["space"] if holder is not None else place or "/", row["owner"])


def asks_rules(world, me, target):
    """The answer of the rule gate about a look."""
    question = Question(world, world.being(me["name"]), "see", name_of(target), placed(world, target))
    return rule_gate(question, ["anyone"])


def is_open(world, me, space):
    return asks_rules(world, me, ("space", space))[0]


def reads_place(world, me):
    """Whether a flow may read the place of its being: its home, any place if a maker set the flow, else what it reaches."""
    space = world.space_row(me["space"])
    if space is None or not is_open(world, me, space):
        return False
    by = me.get("flowBy", me["name"])
    if me["space"] == me["home"] or (by != me["name"] and world.is_ancestor(by, me["name"])):
        return True
    held = reach_of(world, me)["canSee"]
    return any(covers_entry("canSee", held, one, me["home"]) for one in (me["space"], {"rel": "here"}))


class Seer:
    """Who looks, by which lists. `reach` gives all that it may ever see, for what it decides beyond its moment."""

    def __init__(self, world, me, surface, reach=None):
        self.world, self.me, self.surface, self.reach = world, me, surface, reach

    def sees(self, target):
        """(allowed, the texts of both gates)."""
        name = name_of(target)
        if name == f"@{self.me['name']}":
            return True, ["see: self", "see: self"]
        is_listed, by = list_gate(self.world, self.world.being(self.me["name"]), self.surface, "canSee", name)
        if not is_listed and self.reach is not None and covers_entry("canSee", self.reach()["canSee"], name, self.me["home"]):
            is_listed, by = True, f"reach: {name}"
        if not is_listed:
            return False, [by]
        allowed, rule = asks_rules(self.world, self.me, target)
        return allowed, [by, rule] if allowed else [rule]

    def sees_space(self, path):
        space = self.world.space_row(path)
        return space is not None and self.sees(("space", space))[0]


def covers_entry(kind, held, entry, home):
    """Whether a list covers an entry: by the same entry, or by a pattern over its written form."""
    is_of_home = type(entry) is dict and str(at(entry, "pattern")).startswith("~/") and "kind" not in entry
    for mine in held:
        if text_pattern(mine) == "*":
            return True
        if is_of_home:
            return False
        if entry_key(mine) == entry_key(entry):
            return True
        if type(entry) is not str or entry == "~":
            continue
        target = written(kind, entry, home)
        if type(mine) is str:
            if mine != "~" and written(kind, mine, home) == target:
                return True
        elif text_pattern(mine) is not None and matches(text_pattern(mine), target):
            return True
    return False


def roles_named(row):
    names = flow_roles(given(row["qualities"], "roleFlow"))
    return sorted(names | ({row["defaultRole"]} if row["defaultRole"] is not None else set()))


def reach_of(world, row, changed=None):
    """The union of all roles that a being may wear, bounded by its ceilings. `changed` is (name, spec) of a role as an act leaves it."""
    lists = {name: [] for name in (*LISTS, "see")}
    for name in roles_named(row):
        role = world.role_row(name)
        spec = None if role is None else world.spec(role["digest"])
        if changed is not None and changed[0] == name:
            spec = changed[1]
        for kind in lists if spec is not None else []:
            lists[kind] += spec[kind]
    for bound in [row, *world.makers(row["name"])]:
        if bound["ceiling"] is not None:
            lists |= {kind: cut(kind, lists[kind], bound["ceiling"][kind], bound["home"]) for kind in LISTS}
    return lists


def cut(kind, lists, ceiling, home):
    kept = [one for one in lists if covers_entry(kind, ceiling, one, home)]
    return kept + [one for one in ceiling if covers_entry(kind, lists, one, home)]


def reach_with(world, row, lender):
    """A being's own reach with that of whoever drives it and lends it."""
    own = reach_of(world, row)
    lending = None if lender is None else world.being_row(lender)
    if lending is None:
        return own
    lent = reach_of(world, lending)
    both = {"see": own["see"] + lent["see"]}
    for kind in LISTS:
        both[kind] = own[kind] + [
            written(kind, one, lending["home"]) if type(one) is str and one != "~" else one for one in lent[kind]
        ]
    return both


def is_within(spec, held, home):
    """Whether a role holds nothing beyond a reach."""
    if not all(covers_entry(kind, held[kind], one, home) for kind in LISTS for one in spec[kind]):
        return False
    sees_all = any(text_pattern(one) == "*" for one in held["canSee"])
    return sees_all or all(view in VIEWS or view in held["see"] for view in spec["see"])


def require_assignable(world, author, names, reach):
    for name in names:
        role = world.role_row(name)
        if role is None:
            raise Refused("ROLE_UNAVAILABLE")
        if not is_within(world.spec(role["digest"]), reach, author["home"]):
            raise Refused("FORBIDDEN")


# Subscriptions


def subscriptions_of(row):
    kept = at(row["qualities"], "subscription")
    if given(row, "cognition", "kind") == "human" or type(kept) is not dict:
        return
    for name, value in kept.items():
        is_whole = type(value) is dict and type(at(value, "scope")) is str and type(at(value, "field")) is str
        if is_whole and at(value, "priority") in ("human", "interactive", "background"):
            yield name, value


def covers_prefix(entries, prefix):
    for entry in entries:
        pattern = text_pattern(entry)
        if pattern == "*":
            return True
        is_start = pattern is not None and len(pattern) > 1 and pattern.endswith("*") and "*" not in pattern[:-1]
        if is_start and prefix.startswith(pattern[:-1]):
            return True
    return False


def watches(world, row, scope, below, can_see):
    """(spaces, beings): whether a being may hear of changes in a scope."""
    beings = covers_prefix(can_see, "@")
    if scope == "everywhere":
        spaces = covers_prefix(can_see, "/")
    else:
        spaces = covers_entry("canSee", can_see, scope, row["home"]) or (scope == row["home"] and "~" in can_see)
        spaces = spaces and (not below or covers_prefix(can_see, "/" if scope == "/" else f"{scope}/"))
    space = world.space_row("/" if scope == "everywhere" else scope)
    if space is None or is_open(world, row, space):
        return spaces, beings
    return False, False


# The lists of a moment


def surface_of(world, me, asker, specs, is_inward, known):
    """(surface, whether an entry was left out): the lists of the roles, expanded for one moment."""
    surface, is_dropped = {}, False
    for kind in LISTS:
        entries, seen = [], set()
        for entry in unique(one for spec in specs for one in items(spec, kind)):
            if is_inward and not needs_no_world(entry):
                is_dropped = True
                continue
            try:
                found = expanded(world, me, asker, kind, entry, is_inward)
            except Dropped:
                is_dropped = True
                continue
            entries += [one for one in found if entry_key(one) not in seen and not seen.add(entry_key(one))]
        surface[kind] = entries
    return surface, is_dropped


def unique(entries):
    return list({entry_key(entry): entry for entry in entries}.values())


def needs_no_world(entry):
    return type(entry) is str or text_pattern(entry) is not None or at(entry, "rel") == "asker"


def expanded(world, me, asker, kind, entry, is_inward):
    if type(entry) is str:
        return [written(kind, entry, me["home"])]
    if text_pattern(entry) is not None:
        return [{"pattern": text_pattern(entry)}]
    return [written(kind, name, me["home"]) for name in named_by(world, me, asker, entry, is_inward)]


def named_by(world, me, asker, token, is_inward):
    if "rel" in token:
        return related(world, me, asker, token["rel"])
    if "resolver" in token:
        return configured(world, me, token["resolver"])
    if "kind" in token:
        raise Dropped
    place = place_pattern(token["pattern"]) if type(at(token, "pattern")) is str else None
    if place is None:
        raise Dropped
    space, beings = place
    try:
        of, path = parse_address(space)
    except Refused:
        raise Dropped from None
    if of not in ("home", "space"):
        raise Dropped
    path = me["home"] if of == "home" else path
    row = world.space_row(path)
    if row is None or is_inward or not is_open(world, me, row):
        raise Dropped
    return [f"@{name}" for name in world.occupants(path) if matches(beings, f"@{name}")]


def related(world, me, asker, relation):
    if relation == "self":
        return [f"@{me['name']}"]
    if relation in ("asker", "parent"):
        name = asker if relation == "asker" else me["parent"]
        return [] if name is None else [f"@{name}"]
    if relation == "here":
        return [me["space"]]
    if relation == "present":
        return [f"@{name}" for name in world.occupants(me["space"], PRESENT_MAX)]
    if relation == "any-child":
        return [f"@{name}" for name in world.children(me["name"])]
    if relation == "predecessor":
        return predecessor(world, me)
    raise Dropped


def predecessor(world, me):
    """The last living child of its maker before it that has the same default role."""
    if me["parent"] is None:
        return []
    order = lambda row: (row["bornAt"], row["name"])
    rows = [row for row in map(world.being_row, world.children(me["parent"])) if row is not None and "ended" not in row]
    before = [row for row in rows if row["defaultRole"] == me["defaultRole"] and order(row) < order(me)]
    return [f"@{max(before, key=order)['name']}"] if before else []


def configured(world, me, resolver):
    """What a being has while a person decides for it with rights of its own."""
    names = {"configuring": CONFIGURING, "configurators": ["@role-manager"], "walked-to": [me["space"]]}
    if resolver == "company":
        names["company"] = related(world, me, None, "parent") + related(world, me, None, "present")
    if resolver not in names:
        raise Dropped
    lease = me.get("inhabited") or {}
    is_person = given(me, "cognition", "kind") == "human" or lease.get("by") is not None
    return names[resolver] if is_person and lease.get("own") is not True else []


def is_covered_by(entries, target):
    return covering(entries, target) is not None
