"""What the operations of TreeOS take: docs/formats.md, "Arguments"."""

import re

from ..hashes import is_hash
from .names import (
    Refused, is_key, is_whole, parse_keys, parse_space, parse_stance, refuse_unless, require_being_name, require_role_name,
)
from .texts import parse_ceiling, parse_role, require_flow
from .zones import ZONE_NAMES

SIZE_MAX = 65_536
AMOUNT_MAX = 1_000_000_000
TOKENS_MAX = 1_000_000 * AMOUNT_MAX
YEAR = 365 * 86_400
COMPARABLE_BYTES = 256
HASHED_FIELDS = {"reel", "seq", "hash"}


class Form:
    """Whether a value is taken, and how it is parsed before."""

    def __init__(self, fits, parse=None, is_needed=False, takes_null=False):
        self.fits, self.parse, self.is_needed, self.takes_null = fits, parse, is_needed, takes_null


def needed(fits, parse=None, takes_null=False):
    return Form(fits, parse, True, takes_null)


def optional(fits, parse=None, takes_null=False):
    return Form(fits, parse, False, takes_null)


def is_text(value):
    return type(value) is str and value != ""


def of_text(parse):
    return lambda value: parse(value) if is_text(value) else None


def is_any(_):
    return True


def is_flag(value):
    return type(value) is bool


def is_object(value):
    return type(value) is dict


def one_of(*words):
    return lambda value: type(value) is str and value in words


def whole(least, most):
    return lambda value: is_whole(value, least, most)


def is_word(value):
    return is_text(value) and is_key(value)


def is_type(value):
    return is_text(value) and (is_key(value) or ":" in value)


def triple(least):
    def fits(value):
        return type(value) is dict and set(value) == {"x", "y", "z"} and all(is_whole(n, least, SIZE_MAX) for n in value.values())

    return fits


def is_money(value):
    if type(value) not in (int, float) or not 0 <= value <= AMOUNT_MAX:
        return False
    return int(value * 1_000_000 + 0.5) / 1_000_000 == value


def is_scalar(value):
    return value is None or type(value) in (bool, int, float, str)


def is_comparable(value):
    if type(value) is not str:
        return is_scalar(value)
    return len(value.encode("utf-8", "surrogatepass")) <= COMPARABLE_BYTES and "\0" not in value


def is_equals(value):
    if type(value) is list:
        return 1 <= len(value) <= 16 and all(is_scalar(one) and is_comparable(one) for one in value)
    return is_scalar(value) and is_comparable(value)


def is_times(value):
    times = value if type(value) is list else [value]
    is_time = lambda one: type(one) is str and re.match(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]\Z", one) is not None
    return 1 <= len(times) <= 24 and all(map(is_time, times))


def are_days(value):
    return type(value) is list and 1 <= len(value) <= 7 and all(map(one_of("mon", "tue", "wed", "thu", "fri", "sat", "sun"), value))


def is_zone(value):
    return type(value) is str and value in ZONE_NAMES


def is_fact_ref(value):
    if type(value) is not dict or set(value) != HASHED_FIELDS:
        return False
    return is_text(value["reel"]) and is_text(value["hash"]) and is_whole(value["seq"])


def is_reason(most, is_stored=False):
    def fits(value):
        return is_text(value) and len(value.encode("utf-16-le")) // 2 <= most and not (is_stored and "\0" in value)

    return fits


def is_moment(value):
    return is_text(value) and re.match(r"[^/]+/[1-9][0-9]*/[1-9][0-9]*\Z", value) is not None


def are_figures(value):
    if type(value) is not dict or len(value) > 16:
        return False
    is_figure = lambda name, one: re.match(r"[a-zA-Z0-9]{1,24}\Z", name) and (one is None or type(one) in (int, float))
    return all(is_figure(name, one) for name, one in value.items())


def matching(pattern):
    return lambda value: type(value) is str and re.match(pattern, value) is not None


MEDIA_WORD = r"[a-z0-9][a-z0-9!#$&^_.+-]{0,62}"
FILE_BYTES_MAX = 32 * 1024 * 1024


def scope_of(text):
    return text if text == "everywhere" else parse_space(text)


def field_of(text):
    return parse_keys(text[len("qualities.") :] if text.startswith("qualities.") else text)


def ceiling_of(value):
    return parse_ceiling(value) if type(value) is dict else None


def connection_of(value):
    refuse_unless(is_key(value), "INVALID_INPUT")


STANCE = needed(is_text, of_text(parse_stance))
FLOW = lambda value: type(value) is list and all(map(is_object, value))
QUALITY = {"field": needed(is_text, of_text(field_of)), "value": needed(is_any, takes_null=True), "merge": optional(is_flag)}
NAMESPACE = needed(is_word, of_text(parse_keys))
CEILING = optional(is_object, ceiling_of)
CONNECTION = optional(is_text, connection_of)
PRIORITY = optional(one_of("human", "interactive", "background"))
COORD = optional(triple(0))
OF_BEING = {
    "momentsPerMinute": optional(whole(1, AMOUNT_MAX)),
    "selfContinues": optional(whole(0, 200)),
    "hops": optional(whole(0, 16)),
    "births": optional(whole(0, AMOUNT_MAX)),
    "tokens": optional(whole(0, TOKENS_MAX)),
    "money": optional(is_money),
    "per": optional(one_of("day", "total")),
}
SCHEDULE = {
    "name": needed(is_word),
    "everySeconds": optional(whole(1, YEAR)),
    "at": optional(is_times),
    "days": optional(are_days),
    "zone": optional(is_zone),
    "missed": optional(one_of("once", "skip")),
    "content": optional(is_any, takes_null=True),
    "priority": PRIORITY,
}
SUBSCRIPTION = {
    "name": needed(is_word),
    "scope": needed(is_text, of_text(scope_of)),
    "below": optional(is_flag),
    "field": needed(is_text, of_text(parse_keys)),
    "equals": optional(is_equals, takes_null=True),
    "priority": PRIORITY,
    "coalesceSeconds": optional(whole(0, 3600)),
}


def or_by_preset(forms):
    """A preset gives what is left out, so nothing is needed before it is looked up."""
    left = {name: optional(form.fits, form.parse, form.takes_null) for name, form in forms.items() if name != "name"}
    return {"name": optional(is_word), "preset": optional(is_text), **left}


FORMS = {
    "create-space": {
        "path": needed(is_text, of_text(parse_space)),
        "type": optional(is_type),
        "size": optional(triple(1)),
        "coord": COORD,
    },
    "set-space": QUALITY,
    "set-being": QUALITY,
    "set-matter": QUALITY,
    "set-size": {"size": needed(lambda value: value is None or triple(1)(value), takes_null=True)},
    "add-contributor": {"being": STANCE},
    "remove-contributor": {"being": STANCE},
    "create-matter": {
        "id": needed(is_word),
        "type": optional(is_type),
        "content": optional(is_any, takes_null=True),
        "coord": COORD,
    },
    "keep-file": {
        "id": needed(matching(r"file-[0-9a-f]{32}\Z")),
        "digest": needed(matching(r"[0-9a-f]{64}\Z")),
        "mediaType": needed(matching(rf"{MEDIA_WORD}/{MEDIA_WORD}\Z")),
        "bytes": needed(whole(1, FILE_BYTES_MAX)),
        "name": needed(matching(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff/\\]{1,255}\Z")),
    },
    "write-matter": {"content": optional(is_any, takes_null=True)},
    "take": {},
    "put": {"coord": COORD},
    "end-matter": {},
    "set-roleflow": {"flow": needed(FLOW, require_flow)},
    "set-default-role": {"role": needed(is_text, require_role_name)},
    "move": {"coord": COORD},
    "pause-being": {},
    "resume-being": {},
    "end-being": {},
    "set-schedule": or_by_preset(SCHEDULE),
    "delete-schedule": {"name": needed(is_text)},
    "subscribe": or_by_preset(SUBSCRIPTION),
    "unsubscribe": {"name": needed(is_text)},
    "set-role": {"role": needed(is_object, parse_role), "trial": optional(are_figures)},
    "delete-role": {"name": needed(is_text, require_role_name), "force": optional(is_flag)},
    "mediate": {},
    "set-budget": {
        **OF_BEING,
        "tokensPerPerson": optional(whole(0, TOKENS_MAX)),
        "for": optional(one_of("llm", "scripted")),
    },
    "unpark-being": {"release": optional(is_flag)},
    "accept-difference": {"moment": needed(is_moment), "recorded": optional(is_hash), "given": optional(is_hash)},
    "set-world-signal": {
        "namespace": NAMESPACE,
        "key": needed(is_text, of_text(parse_keys)),
        "value": needed(is_any, takes_null=True),
    },
    "grant-namespace": {"namespace": NAMESPACE, "being": STANCE},
    "revoke-namespace": {"namespace": NAMESPACE, "being": STANCE},
    "cut-thread": {},
    "erase": {"fact": optional(is_fact_ref), "moment": optional(is_moment), "why": needed(is_reason(500, True))},
    **dict.fromkeys(("set-hold", "lift-hold"), {"name": needed(is_key), "why": needed(is_reason(500, True))}),
    "approve": {"id": needed(is_text), "args": optional(is_object)},
    "deny": {"id": needed(is_text), "why": optional(is_reason(1000))},
    "vouch": {
        "seen": needed(is_text),
        "role": optional(is_text, of_text(require_role_name)),
        "namespace": optional(is_text),
    },
    "birth": {
        "name": needed(is_text, require_being_name),
        "cognition": needed(one_of("llm", "human", "scripted")),
        "script": optional(is_text),
        "role": optional(is_text, of_text(require_role_name)),
        "roleFlow": optional(FLOW, require_flow),
        "home": optional(is_text, of_text(parse_space)),
        "ceiling": CEILING,
        "connection": CONNECTION,
    },
    "connect": {"being": STANCE, "own": optional(is_flag)},
    "release": {"being": optional(is_text, of_text(parse_stance))},
}


def read_arguments(args, forms):
    """The arguments that are given, by name. Null counts as left out where it is not needed and not taken."""
    refuse_unless(all(name in forms for name in args), "INVALID_INPUT")
    read = {}
    for name, form in forms.items():
        is_given = name in args and not (args[name] is None and not form.is_needed and not form.takes_null)
        if not is_given:
            refuse_unless(not form.is_needed, "INVALID_INPUT")
            continue
        value = args[name]
        if form.parse is not None:
            form.parse(value)
        refuse_unless(form.fits(value), "INVALID_INPUT")
        read[name] = value
    return read
