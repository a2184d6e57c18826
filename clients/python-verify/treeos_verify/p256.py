"""Checks signatures of ECDSA on P-256 with SHA-256 (FIPS 186-5), for machines that have nothing but Python."""

import functools
import hashlib

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
BASE = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)


def add(a, b):
    """None is the point at infinity."""
    if a is None or b is None:
        return a or b
    if a[0] == b[0] and (a[1] + b[1]) % P == 0:
        return None
    slope = (3 * a[0] ** 2 - 3) * pow(2 * a[1], -1, P) if a == b else (b[1] - a[1]) * pow(b[0] - a[0], -1, P)
    x = (slope**2 - a[0] - b[0]) % P
    return (x, (slope * (a[0] - x) - a[1]) % P)


def times(scalar, point):
    result = None
    while scalar > 0:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def read_integer(data):
    """An INTEGER of DER in its one form, and what stands behind it."""
    if len(data) < 3 or data[0] != 2 or not 0 < data[1] < 128 or len(data) < 2 + data[1]:
        raise ValueError
    body = data[2 : 2 + data[1]]
    if body[0] & 0x80 or (len(body) > 1 and body[0] == 0 and not body[1] & 0x80):
        raise ValueError
    return int.from_bytes(body, "big"), data[2 + data[1] :]


def read_signature(data):
    if len(data) < 2 or data[0] != 0x30 or data[1] != len(data) - 2 or data[1] >= 128:
        raise ValueError
    r, rest = read_integer(data[2:])
    s, rest = read_integer(rest)
    if rest:
        raise ValueError
    return r, s


@functools.lru_cache(maxsize=4096)
def is_signed(x, y, message, signature):
    x, y = int.from_bytes(x, "big"), int.from_bytes(y, "big")
    if x >= P or y >= P or (y**2 - x**3 + 3 * x - B) % P != 0:
        return False
    try:
        r, s = read_signature(signature)
    except ValueError:
        return False
    if not (0 < r < ORDER and 0 < s < ORDER):
        return False
    digest = int.from_bytes(hashlib.sha256(message).digest(), "big")
    inverse = pow(s, -1, ORDER)
    point = add(times(digest * inverse % ORDER, BASE), times(r * inverse % ORDER, (x, y)))
    return point is not None and point[0] % ORDER == r
