"""The world as it stood at the heads from which a call was judged."""

from ..plain_json import Broken, given
from ..gates import NOTHING
from ..origin import meet
from .rows import LOST, REGISTRY

LINEAGE = 64


class NotProven(Exception):
    """The law cannot be asked: the class of what is not there, in words."""


MISSING = "they depend on reels that are not in the bundle as a whole"
GONE = "what they depend on was erased, or is not in the bundle"
UNSEEN = "what they answer came by no summon that is in the bundle"
OF_CODE = "both gates were asked, and what code of an extension did is said by their records"
OF_THREAD = "what a thread was at that time is in no reel"
OF_ASKER = "what their askers could do when they asked is not in the bundle"


def of_gates(row, kind):
    """A row as the gates read it."""
    if row is None:
        return None
    qualities = row.get("qualities", {})
    rules = {name: qualities.get(name, {}) for name in ("permissions", "shadow")}
    if kind == "space":
        return NOTHING | {"name": row["path"], "owner": row["owner"], "contributors": row.get("contributors", [])} | rules
    more = {name: row.get(name) for name in ("name", "parent", "home", "space", "defaultRole", "ceiling")}
    return NOTHING | more | {"isPerson": given(row, "cognition", "kind") == "human", "isEnded": "ended" in row}


def counts(key, marks):
    """Operations of TreeOS read the rules of spaces, and of other marked paths nothing."""
    return marks is True or (marks is not None and key.startswith("space:") and any(meet(mark, ["permissions"]) for mark in marks))


class LawWorld:
    """Answers what the gates ask of a world, and what operations do."""

    def __init__(self, rows, heads, is_whole, content, instead=None):
        self.rows, self.heads, self.is_whole, self.content = rows, heads, is_whole, content
        self.instead = instead or {}
        self.marked = set()  # keys of rows that were read, and whose marks count for what is decided
        self.views, self.lines = {}, {}

    def beside(self):
        """The same, for what decides nothing: what it reads marks nothing."""
        return LawWorld(self.rows, self.heads, self.is_whole, self.content, self.instead)

    def as_if(self, key, row):
        """The same as an act leaves it. What it reads counts as read."""
        then = LawWorld(self.rows, self.heads, self.is_whole, self.content, {**self.instead, key: row})
        then.marked = self.marked
        return then

    def seq(self, reel):
        head = self.heads.get(reel)
        if head is None:
            raise Broken(f"its heads do not have {reel}, which the law reads", "law-mismatch")
        if head[1] > 0 and not (self.is_whole(reel) and len(self.rows.facts.get(reel, [])) >= head[1]):
            raise NotProven(MISSING)
        return head[1]

    def row(self, key):
        if key in self.instead:
            return self.instead[key]
        seq = self.seq(REGISTRY if key.startswith("role:") else key)
        row = self.rows.row(key, seq)
        if row is LOST:
            raise NotProven(GONE)
        if row is not None and counts(key, row.get("outside")):
            self.marked.add(key)
        return row

    def being_row(self, name):
        return self.row(f"being:{name}")

    def space_row(self, path):
        return self.row(f"space:{path}")

    def thing_row(self, name):
        """None for one that was ended."""
        row = self.row(f"matter:{name}")
        return None if row is None or row["place"] is None else row

    def role_row(self, name):
        row = self.row(f"role:{name}")
        return None if row is None or row["deleted"] else row

    def spec(self, digest):
        return self.content(digest)

    def occupants(self, path, most=None):
        return self.contents(f"space:{path}", "being")[:most]

    def things(self, place):
        reel = f"being:{place[1:]}" if place.startswith("@") else f"space:{place}"
        return self.contents(reel, "matter")

    def inner_spaces(self, path):
        return self.contents(f"space:{path}", "space")

    def contents(self, reel, kind):
        self.row(reel)  # what lies in a place is told on its reel, so its row is read too
        return self.rows.contents(reel, self.seq(reel), kind)

    def children(self, name):
        self.row(f"being:{name}")
        return self.rows.children(f"being:{name}", self.seq(f"being:{name}"))

    def every_being(self):
        names = sorted(reel for reel, head in self.heads.items() if reel.startswith("being:") and head[1] > 0)
        return [row for row in map(self.row, names) if row is not None]

    # What the gates of receipts ask, too.

    def view(self, kind, name):
        key = f"{kind}:{name}"
        if key not in self.views:
            self.views[key] = of_gates(self.row(key), kind)
        return self.views[key]

    def being(self, name):
        return self.view("being", name)

    def space(self, path):
        return self.view("space", path)

    def lineage(self, name):
        """Makers, the nearest first."""
        if name not in self.lines:
            makers, one = [], self.being(name)
            while one is not None and one["parent"] is not None and len(makers) < LINEAGE:
                one = self.being(one["parent"])
                if one is not None:
                    makers.append(one)
            self.lines[name] = makers
        return self.lines[name]

    def is_ancestor(self, elder, name):
        return any(one["name"] == elder for one in self.lineage(name))

    def is_or_made(self, elder, name):
        return elder == name or self.is_ancestor(elder, name)

    def makers(self, name):
        """Rows of the makers, the nearest first."""
        return [self.being_row(one["name"]) for one in self.lineage(name)]

    def facts_of(self, reel):
        """The acts that are counted on a reel, as facts with a header."""
        row = self.row(reel)
        acts = [] if row is None else row["acts"]
        return [
            ({"kind": "tally:counted", "at": when}, {"amounts": amounts} | ({} if is_done else {"failed": True}))
            for when, amounts, is_done in acts
        ]
