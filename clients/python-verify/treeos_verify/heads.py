"""The heads that a moment read, and those from which its call was judged: all of them in a bundle, some in a receipt."""

from .forms import has_form
from .hashes import head_hash, head_salt, is_hash, value_hash
from .plain_json import given, is_count, need, same


def is_heads(refs):
    """A list of [reel, number, hash]."""
    return type(refs) is list and all(has_form("head", ref) for ref in refs)


def of_one_reel_each(heads):
    found = {head[0]: head for head in heads}
    need(len(found) == len(heads), "a reel twice", "basis-mismatch")
    return found


class Heads:
    """`basis` and `judged_from` by reel, as far as they are shown, and the digests of all."""

    def __init__(self, basis, judged, digests):
        self.basis = of_one_reel_each(basis)
        self.judged_from = {**self.basis, **of_one_reel_each(judged)}
        self.digests = digests


def whole_heads(moment):
    """In a bundle."""
    basis, judged, salt = given(moment, "basis"), given(moment, "judged"), given(moment, "basisSalt")
    need(is_hash(salt) and is_heads(basis) and (judged is None or is_heads(judged)), "no heads", "basis-mismatch")

    def hidden(head):
        return head_hash(head_salt(salt, head), head)

    places = {head[0]: place for place, head in enumerate(basis)}
    entries = None if judged is None else [[places.get(head[0]), hidden(head)] for head in judged]
    digests = (value_hash([hidden(head) for head in basis]), None if entries is None else value_hash(entries))
    return Heads(basis, judged or [], digests)


def member_of(member):
    """(hash, head): the head is None where only its hash is shown."""
    if is_hash(member):
        return (member, None)
    need(type(member) is list and len(member) == 4 and is_heads([member[:3]]) and is_hash(member[3]), "no member", "basis-mismatch")
    return (head_hash(member[3], member[:3]), member[:3])


def shown_heads(moment):
    """In a receipt."""
    basis, judged = given(moment, "basis"), given(moment, "judged")
    need(type(basis) is list and type(judged) in (list, type(None)), "no heads", "basis-mismatch")
    own = [member_of(member) for member in basis]
    beyond = []
    for entry in judged or []:
        need(type(entry) is list and len(entry) == 2, "no entry", "basis-mismatch")
        place, member = entry
        need(place is None or (is_count(place) and 0 <= place < len(own)), "no place", "basis-mismatch")
        hidden, head = member_of(member)
        if place is not None and own[place][1] is not None:
            need(head is not None and head[0] == own[place][1][0], "a head is shown for which another one stands", "basis-mismatch")
        beyond.append((place, hidden, head))
    digest = None if judged is None else value_hash([[place, hidden] for place, hidden, _ in beyond])
    digests = (value_hash([hidden for hidden, _ in own]), digest)
    return Heads(
        [head for _, head in own if head is not None], [head for _, _, head in beyond if head is not None], digests
    )
