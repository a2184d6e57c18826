"""What operations check of roles, flows and rules that are written: docs/formats.md, "What operations refuse"."""

import re

from ..approvals import read_ask
from ..counts import are_counts
from ..flow import flow_paths, held
from ..gates import OWNERS_OWN, is_standing, read_rule
from ..plain_json import ABSENT, at, canonical, given, same
from .names import is_plain, is_role_name, refuse_unless, require_content, require_role_name, size_of

FLOW_BYTES = 16 * 1024
FLOW_PATHS = 64
PROMPT_BYTES = 32 * 1024
TRIGGER_BYTES = 256
ENTRIES = 256
STEPS = 200
LISTS = ("canSee", "canDo", "canSummon", "canBe")
VIEWS = ("me", "place", "occupants", "things", "conversation", "last-act", "inbox", "threads")
CHOICES = {
    "views": ("default", "only"),
    "layout": ("as-told", "stable-first"),
    "requiredCognition": ("llm", "human", "scripted"),
    "defaultOrientation": ("forward", "half", "inward"),
    "respondMode": ("async", "none"),
    "onAnswers": ("each", "all"),
    "prose": ("see", "answers"),
}
PACKAGE = re.compile(r"(@[a-z0-9][\w.-]*/)?[a-z0-9][\w.-]*@\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?\Z", re.A)


def text_bytes(text):
    return len(text.encode("utf-8", "surrogatepass"))


def place_pattern(pattern):
    """(space, beings) of a pattern over the beings of a space; None for any other."""
    cut = pattern.rfind("/@")
    return None if cut < 0 or "*" in pattern[:cut] else (pattern[:cut] or "/", pattern[cut + 1 :])


def text_pattern(entry):
    """The pattern of an entry that matches by text; None for any other entry."""
    if type(entry) is not dict or type(at(entry, "pattern")) is not str or at(entry, "kind") is not ABSENT:
        return None
    return entry["pattern"] if place_pattern(entry["pattern"]) is None else None


def entry_key(entry):
    return f"={entry}" if type(entry) is str else canonical(entry)


def is_pattern(value):
    if value == "*":
        return True
    if type(value) is not str:
        return False
    literal = value[value.startswith("*") :]
    literal = literal[: len(literal) - literal.endswith("*")]
    return literal.strip() != "" and "*" not in literal


def is_entry(value):
    if type(value) is str:
        return value.strip() != "" and "*" not in value
    if type(value) is not dict:
        return False
    token = {key: one for key, one in value.items() if key != "kind"}
    if len(token) != 1 or next(iter(token)) not in ("rel", "pattern", "resolver"):
        return False
    [(form, name)] = token.items()
    if "kind" in value:
        return form == "pattern" and is_role_name(value["kind"]) and type(name) is str and name.strip() != ""
    return is_pattern(name) if form == "pattern" else is_role_name(name)


def require_list(value):
    refuse_unless(type(value) is list, "INVALID_INPUT")
    refuse_unless(len(value) <= ENTRIES, "PAYLOAD_TOO_LARGE")
    return value


def check_field(name, value):
    if name == "name":
        require_role_name(value)
    elif name in LISTS:
        refuse_unless(all(map(is_entry, require_list(value))), "INVALID_INPUT")
    elif name in ("see", "triggerOn"):
        refuse_unless(all(map(is_role_name, require_list(value))), "INVALID_INPUT")
        refuse_unless(name == "see" or size_of(value) <= TRIGGER_BYTES, "PAYLOAD_TOO_LARGE")
    elif name in CHOICES:
        refuse_unless(type(value) is str and value in CHOICES[name], "INVALID_INPUT")
    elif name == "description":
        refuse_unless(type(value) is str, "INVALID_INPUT")
    elif name == "forceToolCall":
        refuse_unless(type(value) is bool, "INVALID_INPUT")
    elif name == "selfContinue":
        refuse_unless(type(value) is bool or value == "until-answered", "INVALID_INPUT")
    elif name == "steps":
        refuse_unless(type(value) is int and 0 <= value <= STEPS, "INVALID_INPUT")
    elif type(value) is str:
        refuse_unless(text_bytes(value) <= PROMPT_BYTES, "PAYLOAD_TOO_LARGE")
    else:
        is_code = type(value) is dict and set(value) == {"function"} and type(value["function"]) is str
        refuse_unless(is_code and PACKAGE.match(value["function"]), "INVALID_INPUT")


# The order in which the fields of a role are read.
FIELDS = (
    *("name", "description", *LISTS, "see", "views", "layout", "requiredCognition", "selfContinue", "steps"),
    *("defaultOrientation", "forceToolCall", "triggerOn", "respondMode", "onAnswers", "prose", "prompt"),
)


def parse_role(value):
    """A role as it is written, with what was left out."""
    refuse_unless(type(value) is dict, "INVALID_INPUT")
    require_content(value)
    refuse_unless(set(value) <= set(FIELDS) and "name" in value, "INVALID_INPUT")
    spec = {name: [] for name in (*LISTS, "see")} | {"prompt": ""} | value
    for name in FIELDS:
        if name in spec:
            check_field(name, spec[name])
    return spec


def parse_ceiling(value):
    role = parse_role({**value, "name": "ceiling", "prompt": ""} if type(value) is dict else value)
    lists = {name: role[name] for name in LISTS}
    is_bound = all(type(one) is str or text_pattern(one) is not None for entries in lists.values() for one in entries)
    refuse_unless(is_bound, "INVALID_INPUT")
    return lists


def require_flow(value):
    is_flow = type(value) is list and all(held(clause, {}) is not None for clause in value) and is_plain(value)
    refuse_unless(is_flow and size_of(value) <= FLOW_BYTES, "INVALID_INPUT")
    refuse_unless(all(is_role_name(clause["role"]) for clause in value), "INVALID_INPUT")
    refuse_unless(len(flow_paths(value)) <= FLOW_PATHS, "INVALID_INPUT")
    return value


# Rules of spaces, as `set-space` takes them.

KEYS = {
    "see": re.compile(r"(/|@|matter:|thread:)"),
    "do": re.compile(r"[a-z][a-z0-9:-]*\Z"),
    "summon": re.compile(r"@"),
    "be": re.compile(r"[a-z][a-z0-9:-]*\Z"),
}


def is_rule(verb, rule):
    if type(rule) is bool:
        return True
    if type(rule) is not dict or not rule:
        return False
    return all(is_part(verb, name, value) for name, value in rule.items())


def is_part(verb, name, value):
    if name == "ask":
        return verb != "see" and is_placed_ask(verb, value)
    if name == "counts":
        return are_counts_for(verb, value)
    if name == "outside":
        if verb == "see":
            return False
        return value == "forbid" or (type(value) is dict and set(value) == {"ask"} and read_ask(value["ask"]) is not None)
    return name in ("requires", "forbid") and type(value) is list and value != [] and all(map(is_standing, value))


def is_placed_ask(verb, value):
    if type(value) is not dict or "beyond" not in value:
        return read_ask(value) is not None
    plain = {name: one for name, one in value.items() if name != "beyond"}
    return are_counts_for(verb, value["beyond"]) and read_ask(plain) is not None


def are_counts_for(verb, value):
    if verb == "see" or not are_counts(value):
        return False
    return verb != "summon" or not any("sum" in count or "each" in count for count in value)


def objects(value):
    return value if type(value) is dict else {}


def require_rules(before, after, of):
    """Rules that the act changes have to be well-formed. `after` is ABSENT where none are left."""
    if after is ABSENT:
        return
    refuse_unless(type(after) is dict, "INVALID_INPUT")
    for verb, rules in after.items():
        old = at(before, verb)
        if old is not ABSENT and same(old, rules):
            continue
        refuse_unless(verb in KEYS and not (verb == "see" and of == "shadow") and type(rules) is dict, "INVALID_INPUT")
        for key, rule in rules.items():
            stood = at(old, key)
            if stood is not ABSENT and same(stood, rule):
                continue
            begins = key[:-1] if key.endswith("*") else key
            refuse_unless((key == "*" or KEYS[verb].match(begins)) and is_rule(verb, rule), "INVALID_INPUT")


def changed_rules(before, after):
    for verb, rules in objects(after).items():
        for key, rule in objects(rules).items():
            stood = at(before, verb, key)
            if stood is ABSENT or not same(stood, rule):
                yield verb, key


def require_covered(before, after, space, targets_of):
    """A rule for operations that no rule of this space covers is refused. `targets_of` has all operations of `do` by name."""
    for verb, key in changed_rules(before, after):
        if verb != "do":
            continue
        named = [name for name in targets_of if name == key or (key.endswith("*") and name.startswith(key[:-1]))]
        refuse_unless(not named or any(is_covered(name, targets_of[name], space) for name in named), "INVALID_INPUT")


def is_covered(name, targets, space):
    def covers(kind):
        if kind == "matter":
            return name not in OWNERS_OWN
        return kind == "space" or (kind in ("reality", "thread") and space == "/")

    return any(map(covers, targets))


def asked_stances(rules):
    for of_verb in objects(rules).values():
        for rule in objects(of_verb).values():
            read = read_rule(rule)
            for ask in (read["ask"], given(read["outside"], "ask") if type(read["outside"]) is dict else None):
                if ask is not None:
                    yield from (one for one in ask["who"] if one.startswith("@"))
