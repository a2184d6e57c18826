"""What a flow may read of a reel, at each of its facts."""

from bisect import bisect_right

from .plain_json import at, given, items


def set_path(tree, path, value, merge):
    """Sets one path in a tree of qualities: null unsets, objects are merged where `merge` is true."""
    if type(tree) is not dict:
        return {}
    if not path:
        return tree
    key, rest = path[0], path[1:]
    old = tree.get(key)
    if rest:
        return {**tree, key: set_path(old if type(old) is dict else {}, rest, value, merge)}
    if value is None:
        return {name: one for name, one in tree.items() if name != key}
    if not merge or type(value) is not dict or type(old) is not dict:
        return {**tree, key: value}
    merged = old
    for inner, one in value.items():
        merged = set_path(merged, [inner], one, False)
    return {**tree, key: merged}


def keys_of(path):
    return [str(key) for key in path] if type(path) is list else []


def qualities_of(said):
    found = at(said, "qualities")
    return found if type(found) is dict else {}


def born(_, said):
    state = {key: given(said, key) for key in ("parent", "home", "defaultRole", "cognition")}
    by = {"flowBy": state["parent"] or given(said, "name")} if "roleFlow" in qualities_of(said) else {}
    return {**state, **by, "qualities": qualities_of(said), "space": state["home"], "driver": None}


def quality(state, said):
    path, value = keys_of(given(said, "path")), given(said, "value")
    return {**state, "qualities": set_path(state.get("qualities", {}), path, value, at(said, "merge") is not False)}


def published(state, said):
    values = set_path(state.get("values", {}), keys_of(given(said, "key")), given(said, "value"), False)
    return {**state, "values": values}


def role_set(state, said):
    role = {"digest": given(said, "digest"), "requiredCognition": given(said, "spec", "requiredCognition")}
    if type(at(said, "spec", "triggerOn")) is list:
        role["triggerOn"] = items(said, "spec", "triggerOn")
    return {**state, str(given(said, "name")): role}


CHANGES = {
    "being:born": born,
    "being:moved": lambda state, said: {**state, "space": given(said, "to")},
    "being:role-set": lambda state, said: {**state, "defaultRole": given(said, "role")},
    "being:inhabited": lambda state, said: {**state, "driver": given(said, "by")},
    "being:released": lambda state, _: {**state, "driver": None},
    "space:created": lambda _, said: {"qualities": qualities_of(said)},
    "quality:set": quality,
    "signal:published": published,
    "being:budgeted": lambda state, _: state,
    "matter:created": lambda _, said: {"space": given(said, "place")},
    "matter:moved": lambda state, said: {**state, "space": given(said, "to")},
    "role:set": role_set,
    "role:deleted": lambda state, said: {key: one for key, one in state.items() if key != given(said, "name")},
}


def with_passkey(state, reel, header, said):
    """A being has the passkeys that it set itself. Others may only take them away."""
    path, value = keys_of(given(said, "path")), given(said, "value")
    if path[:1] != ["passkeys"] or (value is not None and reel != f"being:{given(header, 'actor')}"):
        return state
    return {**state, "passkeys": set_path(state.get("passkeys", {}), path[1:], value, at(said, "merge") is not False)}


def with_setter(state, reel, header, said):
    """Who set the flow of a being. What was done for somebody was done by that one."""
    if keys_of(given(said, "path"))[:1] != ["roleFlow"] or not reel.startswith("being:"):
        return state
    by = at(said, "onBehalfOf")
    return {**state, "flowBy": by if type(by) is str else given(header, "actor")}


class States:
    """The states of all reels. A state is None behind a fact that counts and was erased."""

    def __init__(self):
        self.steps = {}

    def take(self, reel, seq, header, payload):
        kind = given(header, "kind")
        if kind not in CHANGES:
            return
        seqs, states = self.steps.setdefault(reel, ([], []))
        before = states[-1] if states else {}
        seqs.append(seq)
        if before is None or type(payload) is not dict:
            states.append(None)
            return
        after = CHANGES[kind](before, payload)
        if kind == "quality:set":
            after = with_setter(with_passkey(after, reel, header, payload), reel, header, payload)
        states.append(after)

    def at(self, reel, seq):
        seqs, states = self.steps.get(reel, ([], []))
        place = bisect_right(seqs, seq)
        return {} if place == 0 else states[place - 1]
