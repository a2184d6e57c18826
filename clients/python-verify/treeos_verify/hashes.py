"""The hashes of docs/formats.md, the tree of the log, and signed checkpoints."""

import base64
import binascii
import hashlib
import re

from .ed25519 import is_signed
from .plain_json import Broken, at, canonical, is_count, need

HASH = re.compile(r"[0-9a-f]{64}\Z")


def is_hash(value):
    return type(value) is str and HASH.match(value) is not None


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def tagged(tag, *parts):
    return sha256(f"treeos.{tag}.v1\0".encode(), *parts).hex()


def encoded(value):
    return canonical(value).encode()


def genesis_hash(reality, reel):
    return tagged("genesis", reality.encode(), b"\0", reel.encode())


def fact_hash(prev, header):
    return tagged("fact", bytes.fromhex(prev), encoded(header))


def moment_hash(prev, record):
    return tagged("moment", bytes.fromhex(prev), encoded(record))


def salted_hash(salt, content):
    return tagged("payload", bytes.fromhex(salt), encoded(content))


def value_hash(value):
    return tagged("value", encoded(value))


def head_salt(salt, head):
    return tagged("head-salt", salt.encode(), encoded(head))


def head_hash(salt, head):
    return tagged("head", salt.encode(), encoded(head))


def act_hash(moment, decision, facts):
    return tagged("act", encoded({"moment": moment, "decision": decision, "facts": facts}))


def line_hash(before, body):
    return tagged("line", before.encode(), b"\0", body.encode())


def is_included(leaf, index, path, size, root):
    """RFC 9162, 2.1.3.2."""
    if not is_count(index) or not 0 <= index < size or type(path) is not list or not all(map(is_hash, path)):
        return False
    node, last, result = index, size - 1, sha256(b"\0", encoded(leaf))
    for sibling in map(bytes.fromhex, path):
        if last == 0:
            return False
        if node & 1 or node == last:
            result = sha256(b"\1", sibling, result)
            while node & 1 == 0 and node != 0:
                node, last = node >> 1, last >> 1
        else:
            result = sha256(b"\1", result, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and result.hex() == root


def is_consistent(older, newer, path):
    """RFC 9162, 2.1.4.2. Each tree is (size, root)."""
    if type(path) is not list or not all(map(is_hash, path)) or older[0] > newer[0]:
        return False
    if older[0] == newer[0]:
        return path == [] and older[1] == newer[1]
    if older[0] == 0:
        return path == [] and older[1] == sha256().hex()
    if path == []:
        return False
    hashes = [bytes.fromhex(one) for one in path]
    if older[0] & (older[0] - 1) == 0:
        hashes.insert(0, bytes.fromhex(older[1]))
    node, last = older[0] - 1, newer[0] - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    before = after = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            return False
        if node & 1 or node == last:
            before, after = sha256(b"\1", sibling, before), sha256(b"\1", sibling, after)
            while node & 1 == 0 and node != 0:
                node, last = node >> 1, last >> 1
        else:
            after = sha256(b"\1", after, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and (before.hex(), after.hex()) == (older[1], newer[1])


def plain_base64(text):
    """The bytes of a text of base64. Every text but the one that encodes them is refused."""
    need(type(text) is str, "no base64")
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Broken("no base64") from None
    need(base64.b64encode(data).decode() == text, "no plain base64")
    return data


class Key:
    """A verifier key: NAME+KEYID+BASE64."""

    def __init__(self, text):
        self.name, key_id, encoded_key = text.strip().split("+", 2)
        data = plain_base64(encoded_key)
        self.id = sha256(f"{self.name}\n".encode(), data)[:4]
        if self.name == "" or len(data) != 33 or data[0] != 1 or self.id.hex() != key_id:
            raise ValueError("no verifier key")
        self.key = data[1:]


def read_tree(size, root):
    need(re.match(r"(0|[1-9][0-9]{0,14})\Z", size), "no size")
    data = plain_base64(root)
    need(len(data) == 32, "no root")
    return (int(size), data.hex())


class Checkpoint:
    """A signed note with its trees: `log` of all entries, `heads` of the ends of chains."""

    def __init__(self, note, key):
        need(type(note) is str, "no note")
        text, gap, rest = note.partition("\n\n")
        lines = text.split("\n")
        need(gap != "" and len(lines) in (3, 4) and lines[0] != "", "no checkpoint")
        self.origin = lines[0]
        self.log = read_tree(lines[1], lines[2])
        self.heads = None
        if len(lines) == 4:
            ends = re.match(r"heads (\S+) (\S+)\Z", lines[3])
            need(ends, "no line of heads")
            self.heads = read_tree(ends[1], ends[2])
        signatures = rest.split("\n")
        need(signatures.pop() == "" and signatures != [], "no signature")
        signed = False
        for line in signatures:
            need(signatures.count(line) == 1, "a signature twice")
            parts = line.split(" ")
            need(len(parts) == 3 and parts[0] == "—", "a line is not a signature")
            data = plain_base64(parts[2])
            need(len(data) >= 5, "a line is not a signature")
            if key is not None and parts[1] == key.name and data[:4] == key.id:
                signed = signed or is_signed(key.key, f"{text}\n".encode(), data[4:])
        need(key is None or signed, "the key did not sign the checkpoint")


def follows(older, answer, key):
    """Whether the log of the newer checkpoint in an answer of a portal begins with that of an older one."""
    before, after = Checkpoint(older, key), Checkpoint(at(answer, "note"), key)
    return before.origin == after.origin and is_consistent(before.log, after.log, at(answer, "path"))
