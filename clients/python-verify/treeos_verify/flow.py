"""Flows: which roles the clauses of a program give in a context."""

import re

from .plain_json import ABSENT, at, given, items

ROOTS = ("verb", "wake", "caller", "space", "inHomeSpace", "time", "me", "moment", "world")
CLAUSE = {"when", "role", "stack"}
ROLE_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}(:[a-z][a-z0-9-]{0,63})?\Z")
LONG_BYTES = 256
DEPTH_MAX = 32
NODES_MAX = 512
OPAQUE = object()
ORDERS = {
    "gt": lambda a, b: a > b,
    "gte": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "lte": lambda a, b: a <= b,
}


class Malformed(Exception):
    """A clause that has it anywhere never holds."""


def check(condition):
    if not condition:
        raise Malformed


def is_number(value):
    return type(value) in (int, float)


def is_scalar(value):
    return value is None or type(value) in (bool, str, int, float)


def is_long(text):
    return len(text.encode("utf-8", "surrogatepass")) > LONG_BYTES


def is_opaque(value):
    return is_long(value) if type(value) is str else type(value) in (dict, list)


def equal(a, b):
    """Strictly: true is not 1."""
    if is_number(a) and is_number(b):
        return a == b
    return type(a) is type(b) and a == b


class When:
    """The conditions of one clause."""

    def __init__(self, context):
        self.context = context
        self.nodes = 0

    def count(self):
        self.nodes += 1
        check(self.nodes <= NODES_MAX)

    def holds(self, when, depth=1):
        """Every part is read, so that a malformed one is found wherever it stands."""
        check(type(when) is dict and depth <= DEPTH_MAX)
        if when == {}:
            self.count()
        results = []
        for key, value in when.items():
            self.count()
            if key == "not":
                results.append(not self.holds(value, depth + 1))
            elif key in ("and", "or"):
                check(type(value) is list)
                parts = [self.holds(part, depth + 1) for part in value]
                results.append(all(parts) if key == "and" else any(parts))
            else:
                results.append(self.meets(key, value))
        return all(results)

    def meets(self, path, condition):
        keys = path.split(".")
        check(keys[0] in ROOTS and "" not in keys)
        actual = at(self.context, *keys)
        if is_opaque(actual):
            actual = OPAQUE
        if type(condition) is list:
            condition = {"in": condition}
        elif type(condition) is not dict:
            condition = {"eq": condition}
        tests = [(name, operand, compare(name, operand, actual)) for name, operand in condition.items()]
        if path == "caller.role" and at(self.context, "caller", "cognition") == "human":
            return all(name in ("eq", "in") if names_human(operand) else holds for name, operand, holds in tests)
        return all(holds for _, _, holds in tests)


def names_human(operand):
    """Every person wears this role beside its own."""
    return operand == "human" or type(operand) is list and "human" in operand


def compare(operator, operand, actual):
    if operator in ("eq", "ne"):
        check(is_scalar(operand))
        return equal(actual, operand) == (operator == "eq")
    if operator in ("in", "notIn"):
        check(type(operand) is list and all(map(is_scalar, operand)))
        return any(equal(actual, one) for one in operand) == (operator == "in")
    if operator == "present":
        check(type(operand) is bool)
        return (actual is not ABSENT and actual is not None) == operand
    check(operator in ORDERS and is_number(operand))
    return is_number(actual) and ORDERS[operator](actual, operand)


def held(clause, context):
    """Whether a clause holds. None for one that is malformed: it never holds, and names no role."""
    try:
        check(type(clause) is dict and set(clause) <= CLAUSE)
        check(type(clause.get("role")) is str and ROLE_NAME.match(clause["role"]))
        check(type(clause.get("stack", False)) is bool)
        return When(context).holds(clause["when"]) if "when" in clause else True
    except Malformed:
        return None


def roles_for(program, context, cognition, asked):
    """The primary role and the stacked ones, by name. None at all where the moment has no stack."""

    def is_wearable(role):
        needs = at(program, "roles", role)
        required = given(needs, "requiredCognition")
        return needs is not ABSENT and (required is None or equal(required, cognition))

    clauses = [(clause, held(clause, context)) for clause in items(program, "flow")]
    met = [clause for clause, holds in clauses if holds and is_wearable(clause["role"])]
    plain = [clause["role"] for clause in met if not clause.get("stack", False)]
    stacked = [clause["role"] for clause in met if clause.get("stack", False)]
    default = given(program, "defaultRole")
    if asked is not None:
        named = [default, *[clause["role"] for clause, holds in clauses if holds is not None]]
        return [asked, *dict.fromkeys(stacked)] if asked in named and is_wearable(asked) else []
    primary = plain[0] if plain else default
    return [primary, *dict.fromkeys(stacked)] if at(program, "roles", str(primary)) is not ABSENT else []


def flow_roles(flow):
    """The roles that the well-formed clauses of a flow name."""
    return {clause["role"] for clause in well_formed(flow)}


def flow_paths(flow):
    """The paths of contexts that the well-formed clauses of a flow read."""
    return {path for clause in well_formed(flow) for path in when_paths(clause.get("when", {}))}


def well_formed(flow):
    return [clause for clause in (flow if type(flow) is list else []) if held(clause, {}) is not None]


def when_paths(when):
    for key, value in when.items():
        if key == "not":
            yield from when_paths(value)
        elif key in ("and", "or"):
            for part in value:
                yield from when_paths(part)
        else:
            yield key
            if key == "caller.role" and any(map(names_human, value.values() if type(value) is dict else [value])):
                yield "caller.cognition"


def slice_of(context, paths):
    """What paths read of a context: opaque values are empty objects, and what is not there is left out."""
    root = {}
    for path in paths:
        keys = path.split(".")
        value = at(context, *keys)
        if value is ABSENT:
            continue
        branch = root
        for key in keys[:-1]:
            branch = branch.setdefault(key, {})
        if type(value) in (dict, list):
            branch.setdefault(keys[-1], {})
        else:
            branch[keys[-1]] = {} if is_opaque(value) else value
    return root
