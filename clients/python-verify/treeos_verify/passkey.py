"""Whether a passkey shows that a person made an act."""

import base64
import binascii
import re

from . import ed25519
from . import p256
from .flow import is_number
from .hashes import encoded, sha256
from .plain_json import ABSENT, Broken, at, given, need, parse


def signer_of(opened, being):
    """None where no act of a person opened the moment."""
    if given(opened, "wake", "kind") != "act":
        return None
    driver = given(opened, "driver")
    return driver if type(driver) is str else being


def base64url(text):
    """None for what is no base64url."""
    if type(text) is not str or not re.match(r"[A-Za-z0-9_-]*\Z", text):
        return None
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return None
    return data if written(data) == text else None


def written(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def challenge_of(reality, moment, call, signed_at):
    being, opened = moment["record"]["being"], moment["open"]
    wake = str(given(opened, "wake", "id"))
    asked = {
        "treeos": "act.v1",
        "reality": reality,
        "being": being,
        "call": {key: value for key, value in call.items() if key != "overlay"},
        "nonce": wake[4:] if wake.startswith("act/") else wake,
        "salt": moment["salt"],
        "signer": signer_of(opened, being),
        "answers": given(opened, "answers"),
        "at": signed_at,
    }
    return written(sha256(encoded(asked)))


def signing_of(reality, moment, keys):
    """'none', 'signed', 'unsigned', 'unknown', or 'hidden' for an act without one of somebody whose passkeys are not there; Broken for a
    signature that is wrong."""
    record, opened, decision = moment["record"], moment["open"], moment["decision"]
    signed, by = at(opened, "signed"), signer_of(opened, record["being"])
    if by is None:
        need(signed is ABSENT, "a signature without an act", "signature-mismatch")
        return "none"
    is_call = record["decision"] is not None if decision is None else given(decision, "kind") == "call"
    if not is_call:
        return "none"
    if type(keys) is not dict:
        return "hidden" if signed is ABSENT else "unknown"
    if signed is ABSENT:
        return "unsigned" if keys else "none"
    if decision is None:
        return "unknown"
    key, call, signed_at = given(signed, "key"), given(decision, "call"), given(signed, "at")
    need(type(key) is str and key in keys, "no such passkey", "signature-mismatch")
    need(type(call) is dict and is_number(signed_at), "no call", "signature-mismatch")
    check(signed, keys[key], challenge_of(reality, moment, call, signed_at))
    return "signed"


def check(signed, key, challenge):
    data, client, signature = (
        base64url(given(signed, field)) for field in ("authenticatorData", "clientDataJSON", "signature")
    )
    need(data is not None and client is not None and signature is not None and len(data) >= 37, "another form", "signature-mismatch")
    try:
        said = parse(client.decode("utf-8", "replace"))
    except Broken:
        said = None
    need(at(said, "type") == "webauthn.get" and at(said, "challenge") == challenge, "it signed something else", "signature-mismatch")
    site = given(key, "site")
    need(type(site) is str and data[:32] == sha256(site.encode()), "another site", "signature-mismatch")
    need(data[32] & 1 and data[32] & 4, "nobody was there", "signature-mismatch")
    need(is_signed(given(key, "publicKey"), data + sha256(client), signature), "not by its passkey", "signature-mismatch")


def is_signed(jwk, message, signature):
    x, y = base64url(given(jwk, "x")), base64url(given(jwk, "y"))
    if x is None or len(x) != 32:
        return False
    kind = (given(jwk, "kty"), given(jwk, "crv"))
    if kind == ("OKP", "Ed25519"):
        return len(signature) == 64 and ed25519.is_signed(x, message, signature)
    return kind == ("EC", "P-256") and y is not None and len(y) == 32 and p256.is_signed(x, y, message, signature)
