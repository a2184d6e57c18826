"""Checks signatures of ed25519 (RFC 8032), for machines that have nothing but Python."""

import functools
import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def add(a, b):
    m = (a[1] - a[0]) * (b[1] - b[0]) % P
    n = (a[1] + a[0]) * (b[1] + b[0]) % P
    c = 2 * a[3] * b[3] * D % P
    d = 2 * a[2] * b[2] % P
    e, f, g, h = n - m, d - c, d + c, n + m
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(scalar, point):
    result = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def x_of(y, sign):
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if square == 0:
        return None if sign else 0
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT % P
    if (x * x - square) % P != 0:
        return None
    return P - x if x & 1 != sign else x


def point_of(data):
    number = int.from_bytes(data, "little")
    y, sign = number & ((1 << 255) - 1), number >> 255
    x = x_of(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


def bytes_of(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE = (x_of(BASE_Y, 0), BASE_Y, 1, x_of(BASE_Y, 0) * BASE_Y % P)


@functools.lru_cache(maxsize=4096)
def is_signed(key, message, signature):
    """Whether the 64 bytes are a signature of the message by the 32 bytes of a public key."""
    if len(key) != 32 or len(signature) != 64:
        return False
    point = point_of(key)
    scalar = int.from_bytes(signature[32:], "little")
    if point is None or scalar >= ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + key + message).digest()
    factor = int.from_bytes(digest, "little") % ORDER
    minus = (P - point[0], point[1], 1, P - point[3])
    return bytes_of(add(times(scalar, BASE), times(factor, minus))) == signature[:32]
