"""The facts that the operations of TreeOS write: docs/formats.md, "What operations refuse". Each is (reel, kind, fields).

The law knows all that they say. Of a decision alone less follows: a reel, a place or a value that is not known is None, and `anything` or
another test stands in its field.
"""

from .hashes import value_hash
from .plain_json import ABSENT, at

LISTS = ("canSee", "canDo", "canSummon", "canBe")
LIMITS = ("momentsPerMinute", "selfContinues", "hops", "births", "tokens", "money")
STANDARD_LIMITS = ("momentsPerMinute", "births", "tokens", "tokensPerPerson", "money")


def anything(_):
    return True


def or_any(value):
    return anything if value is None else value


def reel_of(name):
    """The reel of a stance, a path, or another address."""
    if name is None:
        return None
    if name.startswith("@"):
        return f"being:{name[1:]}"
    return f"space:{name}" if name.startswith("/") else name


def there(args, *names):
    """Those that are there and not null."""
    return {name: args[name] for name in names if args.get(name) is not None}


def lists_of(value):
    return {name: [] if at(value, name) is ABSENT else value[name] for name in LISTS}


# Spaces and things. `extent` has a size and a coord, or neither.


def quality_set(reel, path, value, merge=False):
    return (reel, "quality:set", {"path": path, "value": value, "merge": merge})


def space_created(path, kind, owner, extent):
    parent = path[: path.rindex("/")] or "/"
    fields = {"path": path, "type": kind, "owner": owner, "qualities": {}} | extent
    return [(f"space:{path}", "space:created", fields), (f"space:{parent}", "space:opened", {"path": path})]


def space_resized(reel, size):
    return [(reel, "space:resized", {"size": size})]


def contributor_changed(reel, how, name):
    return [(reel, f"space:contributor-{how}", {"being": name})]


def passed(how, place, thing):
    return (reel_of(place), f"place:{how}", {"matter": thing})


def matter_created(thing, kind, owner, place, content, extent):
    fields = {"id": thing, "type": kind, "owner": owner, "place": or_any(place), "content": content, "qualities": {}}
    return [(f"matter:{thing}", "matter:created", fields | extent), passed("received", place, thing)]


def matter_written(reel, content):
    return [(reel, "matter:written", {"content": content})]


def file_kept(thing, owner, parts):
    file = {name: parts.get(name) for name in ("digest", "mediaType", "bytes", "name")}
    made = matter_created(thing, "file", owner, f"@{owner}", None, {})
    return [*made, *matter_written(f"matter:{thing}", {"file": file})]


def matter_ended(thing, place):
    return [(f"matter:{thing}", "matter:ended", {}), passed("gave", place, thing)]


def matter_moved(thing, start, end, extent):
    moved = (f"matter:{thing}", "matter:moved", {"from": or_any(start), "to": or_any(end)} | extent)
    return [moved, passed("gave", start, thing), passed("received", end, thing)]


# Beings


def being_moved(name, start, end, extent):
    moved = (f"being:{name}", "being:moved", {"from": or_any(start), "to": or_any(end)} | extent)
    if start == end:
        return [moved]
    left = (reel_of(start), "space:left", {"being": name, "to": or_any(end)})
    return [moved, left, (reel_of(end), "space:entered", {"being": name, "from": or_any(start)})]


def role_given(reel, role):
    return (reel, "being:role-set", {"role": role})


def happened(reel, kind):
    return [(reel, kind, {})]


def being_released(name, by, epoch):
    return (f"being:{name}", "being:released", {"by": by, "epoch": epoch, "why": "released"})


def being_inhabited(name, by, epoch, under, is_own):
    own = {"own": True} if is_own else {}
    return [(f"being:{name}", "being:inhabited", {"by": by, "epoch": epoch, "under": under} | own)]


def being_ended(name, place):
    left = (reel_of(place), "space:left", {"being": name, "to": None})
    return [(f"being:{name}", "being:ended", {}), left]


def being_budgeted(reel, budget):
    return (reel, "being:budgeted", {"budget": budget})


def being_unparked(reel, is_released):
    return (reel, "being:unparked", {"release": True} if is_released else {})


def budget_of(args):
    return there(args, *LIMITS) | {"per": args.get("per", "total")}


def standard_budget_of(args, revision):
    return there(args, *STANDARD_LIMITS) | {"per": args.get("per", "day"), "revision": revision}


def schedule_of(args):
    content = {"content": args["content"]} if "content" in args else {}
    at = args.get("at")
    due = {"everySeconds": args.get("everySeconds")} if at is None else {"at": at if type(at) is list else [at]}
    kept = {name: args[name] for name in ("days", "zone", "missed") if args.get(name) is not None}
    return due | {"priority": args.get("priority", "background")} | kept | content


def subscription_of(args, scope, beings):
    value = {"scope": scope, "below": args.get("below", False), "field": args.get("field")}
    value |= {"priority": args.get("priority", "background"), "coalesceSeconds": args.get("coalesceSeconds", 0)}
    equals = args.get("equals")
    value |= {"equals": equals if type(equals) is list else [equals]} if "equals" in args else {}
    return value | {"beings": beings}


def difference_accepted(reel, moment, recorded, given):
    return [(reel, "being:difference-accepted", {"moment": moment, "recorded": recorded, "given": given})]


def being_born(name, parent, cognition, default, home, qualities, ceiling):
    fields = {"name": name, "parent": parent, "cognition": cognition, "defaultRole": default, "home": or_any(home)}
    return [
        (f"being:{name}", "being:born", fields | {"qualities": qualities, "ceiling": ceiling}),
        (f"being:{parent}", "being:bore", {"being": name}),
        (reel_of(home), "space:entered", {"being": name, "from": None}),
    ]


# Roles, signals, and what persons say


def role_set(spec, trial):
    said = {"name": spec["name"], "digest": value_hash(spec), "origin": "live", "spec": spec}
    return ("registry", "role:set", said | trial)


def role_deleted(name):
    return ("registry", "role:deleted", {"name": name})


def of_signals(kind, namespace, said, owner):
    """`owner` has that field, or nothing."""
    return [(f"world:{namespace}", f"signal:{kind}", {"namespace": namespace} | said | owner)]


def vouched(reel, role, namespace):
    if role is not None:
        return [("registry", "origin:vouched", {"name": role})]
    return [(reel if namespace is None else f"world:{namespace}", "origin:vouched", {})]


def fact_erased(fact, why):
    return [(fact["reel"], "fact:erased", {"seq": fact["seq"], "hash": fact["hash"], "why": why})]


def moment_erased(reel, moment, why):
    return [(reel, "moment:erased", {"moment": moment, "why": why})]


def hold_changed(reel, kind, name, why):
    return [(reel, f"hold:{kind}", {"name": name, "why": why})]


def approval_given(reel, call, digest):
    return [(reel, "approval:given", {"call": call, "digest": digest})]


def approval_denied(reel, why):
    return [(reel, "approval:denied", why)]
