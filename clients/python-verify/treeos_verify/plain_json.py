"""Canonical JSON, as docs/formats.md has it: one byte form for each value."""

import json
import math
import re


class Broken(Exception):
    """Something contradicts: what, in words, and the class of it, where whoever found it knows."""

    def __init__(self, what, reason=None):
        super().__init__(what)
        self.reason = reason


class Absent:
    """What `at` gives where there is no such key. It equals nothing else."""

    def __bool__(self):
        return False


ABSENT = Absent()
DEPTH_MAX = 128
SAFE_MAX = 2**53 - 1
SURROGATE = re.compile("[\ud800-\udfff]")
PLAIN = re.compile(r"[ !#-\[\]-~]*\Z")


def need(holds, what, reason=None):
    if not holds:
        raise Broken(what, reason)


def number_text(value):
    """A number as ECMAScript writes it."""
    if isinstance(value, int):
        return str(value)
    digits, _, exponent = repr(abs(value)).partition("e")
    whole, _, part = digits.partition(".")
    part = "" if part == "0" else part
    point = len(whole) + int(exponent or 0)
    figures = whole + part
    lead = len(figures) - len(figures.lstrip("0"))
    figures, point = figures.lstrip("0"), point - lead
    figures = figures.rstrip("0")
    count = len(figures)
    if count <= point <= 21:
        text = figures + "0" * (point - count)
    elif 0 < point <= 21:
        text = figures[:point] + "." + figures[point:]
    elif -6 < point <= 0:
        text = "0." + "0" * -point + figures
    else:
        tail = "." + figures[1:] if count > 1 else ""
        text = f"{figures[0]}{tail}e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return ("-" if value < 0 else "") + text


def string_text(value):
    if PLAIN.match(value):
        return f'"{value}"'
    need(not SURROGATE.search(value), "a lone surrogate")
    return json.dumps(value, ensure_ascii=False)


def utf16(text):
    return text.encode("utf-16-be", "surrogatepass")


def canonical(value, depth=0):
    kind = type(value)
    if kind is str:
        return string_text(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int or kind is float:
        return number_text(value)
    need(depth < DEPTH_MAX, "nested too deep")
    if kind is list:
        return "[" + ",".join([canonical(item, depth + 1) for item in value]) + "]"
    need(kind is dict, "no JSON")
    keys = sorted(value) if "".join(value).isascii() else sorted(value, key=utf16)
    return "{" + ",".join([f"{string_text(key)}:{canonical(value[key], depth + 1)}" for key in keys]) + "}"


def read_number(text):
    value = float(text)
    need(math.isfinite(value) and not (value == 0 and text.startswith("-")), "no number of JSON")
    return int(value) if value.is_integer() and abs(value) <= SAFE_MAX else value


def refuse(text):
    raise Broken(f"{text} is no JSON")


def parse(text):
    """Any JSON."""
    try:
        return json.loads(text, parse_int=read_number, parse_float=read_number, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise Broken(f"no JSON: {error}") from None


def parse_canonical(text):
    value = parse(text)
    need(canonical(value) == text, "not in canonical form")
    return value


def at(value, *keys):
    """Reads along the keys of objects."""
    for key in keys:
        if type(value) is not dict or key not in value:
            return ABSENT
        value = value[key]
    return value


def given(value, *keys):
    """The same, with null where there is none."""
    found = at(value, *keys)
    return None if found is ABSENT else found


def items(value, *keys):
    """A list; empty where there is none."""
    found = at(value, *keys)
    return found if type(found) is list else []


def same(a, b):
    """Whether two values have one canonical form."""
    if a is ABSENT or b is ABSENT:
        return a is b
    return a == b if type(a) is str and type(b) is str else canonical(a) == canonical(b)


def is_count(value):
    return type(value) is int
