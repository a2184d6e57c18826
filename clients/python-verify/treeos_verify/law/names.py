"""Names, addresses and the bounds of values: docs/formats.md, "Names and values"."""

import re

from ..plain_json import Broken, canonical

REFUSED_KEYS = ("__proto__", "constructor", "prototype")
BEING = re.compile(r"[a-z][a-z0-9-]{0,31}\Z")
ROLE = re.compile(r"[a-z][a-z0-9-]{0,63}(:[a-z][a-z0-9-]{0,63})?\Z")
KEY = re.compile(r"[a-z0-9][a-z0-9-]{0,63}\Z")
THREAD = re.compile(r"[\x21-\x7e]{1,256}\Z")
CONTENT_BYTES = 64 * 1024
CONTENT_DEPTH = 96
PATH_DEPTH = 16
PATH_LENGTH = 256
KEY_PATH_DEPTH = 8


class Refused(Exception):
    """A call is refused: a code, and the text of what refused it, where a gate did."""

    def __init__(self, code, by=None):
        super().__init__(code)
        self.code, self.by = code, by


def refuse_unless(holds, code):
    if not holds:
        raise Refused(code)


def is_being_name(value):
    return type(value) is str and BEING.match(value) is not None and value not in REFUSED_KEYS


def is_role_name(value):
    return type(value) is str and ROLE.match(value) is not None and value not in REFUSED_KEYS


def is_key(value):
    return type(value) is str and KEY.match(value) is not None and value not in REFUSED_KEYS


def require_being_name(value):
    refuse_unless(is_being_name(value), "INVALID_INPUT")
    return value


def require_role_name(value):
    refuse_unless(is_role_name(value), "INVALID_INPUT")
    return value


def parse_address(text):
    """(kind, name), with the kind `home`, `matter`, `thread`, `being` or `space`."""
    refuse_unless(type(text) is str and text != "", "ADDRESS_PARSE_ERROR")
    if text == "~":
        return ("home", None)
    if text.startswith("matter:"):
        refuse_unless(is_key(text[7:]), "ADDRESS_PARSE_ERROR")
        return ("matter", text[7:])
    if text.startswith("thread:"):
        refuse_unless(THREAD.match(text[7:]), "ADDRESS_PARSE_ERROR")
        return ("thread", text[7:])
    before, sign, being = text.partition("@")
    if sign:
        refuse_unless(is_being_name(being), "ADDRESS_PARSE_ERROR")
        if before not in ("", "~/"):
            parse_path(before[:-1] if before.endswith("/") and before != "/" else before)
        return ("being", being)
    return ("space", parse_path(text))


def parse_path(text):
    parts = text.lstrip("/").split("/")
    if parts == [""]:
        return "/"
    is_path = len(parts) <= PATH_DEPTH and all(re.match(r"[a-z0-9][a-z0-9-]{0,63}\Z", part) for part in parts)
    path = "/" + "/".join(parts)
    refuse_unless(is_path and len(path) <= PATH_LENGTH, "ADDRESS_PARSE_ERROR")
    return path


def parse_space(text):
    kind, path = parse_address(text)
    refuse_unless(kind == "space", "ADDRESS_PARSE_ERROR")
    return path


def parse_stance(text):
    kind, being = parse_address(text)
    refuse_unless(kind == "being", "ADDRESS_PARSE_ERROR")
    return being


def written(kind, text, home):
    """The one written form of an entry of a list, or of what a call names."""
    if kind in ("canDo", "canBe"):
        return text
    if kind == "canSummon" and is_being_name(text):
        return f"@{text}"
    try:
        of, name = parse_address(text)
    except Refused:
        return text
    if of == "being":
        return f"@{name}"
    if of in ("thread", "matter"):
        return text
    return home if of == "home" else name


def parse_keys(text):
    """Keys of a quality or a signal: `ns.key.deeper`."""
    keys = text.split(".") if type(text) is str else []
    refuse_unless(keys and len(keys) <= KEY_PATH_DEPTH and all(map(is_key, keys)), "INVALID_INPUT")
    return keys


def size_of(value):
    return len(canonical(value).encode())


def is_plain(value, depth=0):
    """Whether a value has no NUL, none of the refused keys, and is nested no deeper than content may be."""
    if type(value) is str:
        return "\0" not in value
    if type(value) not in (list, dict):
        return True
    if depth >= CONTENT_DEPTH:
        return False
    if type(value) is list:
        return all(is_plain(one, depth + 1) for one in value)
    return all(key not in REFUSED_KEYS and "\0" not in key and is_plain(one, depth + 1) for key, one in value.items())


def require_content(value):
    refuse_unless(is_plain(value), "INVALID_INPUT")
    try:
        size = size_of(value)
    except Broken:
        raise Refused("INVALID_INPUT") from None
    refuse_unless(size <= CONTENT_BYTES, "PAYLOAD_TOO_LARGE")
    return value


def parent_path(path):
    """None for the root."""
    return None if path == "/" else path[: path.rindex("/")] or "/"


def is_whole(value, least=None, most=None):
    if type(value) not in (int, float) or value != int(value):
        return False
    return (least is None or value >= least) and (most is None or value <= most)
