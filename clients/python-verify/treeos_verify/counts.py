"""Counts of rules: bounds over the acts that stand on reels of their own."""

import re

from .plain_json import ABSENT, at, given

KEPT = 1000
YEAR = 366 * 86_400
ARGUMENT = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}\Z")
FORMS = ("after", "sum", "each", "most")
COUNTED = "tally:counted"


def is_whole(value, most):
    return type(value) in (int, float) and value == int(value) and 1 <= value <= most


def is_amount(value):
    return type(value) in (int, float) and value >= 0


def are_counts(value):
    return type(value) is list and 1 <= len(value) <= 8 and all(map(is_count, value))


def is_count(value):
    form = next((name for name in FORMS if type(value) is dict and name in value), None)
    if form is None:
        return False
    fields = {form} | (set() if form == "after" else {"most"}) | (set() if form == "each" else {"per", "within"})
    if not set(value) <= fields:
        return False
    if form == "after":
        act = value["after"]
        if type(act) is not dict or len(act) != 1:
            return False
        [(verb, key)] = act.items()
        if verb not in ("do", "be", "summon") or type(key) is not str or key == "":
            return False
    elif not (is_whole(value.get("most"), KEPT) if form == "most" else is_amount(value.get("most"))):
        return False
    if form in ("sum", "each") and not (type(value[form]) is str and ARGUMENT.match(value[form])):
        return False
    per = value.get("per", [])
    if type(per) is not list or not all(one in ("being", "person", "target") for one in per if type(one) is str):
        return False
    if not all(type(one) is str for one in per) or len(set(per)) < len(per):
        return False
    return "within" not in value or is_whole(value["within"], YEAR)


def counts_of(rule):
    return [*(rule["counts"] or []), *(rule["beyond"] or [])]


def is_kept(question, path, name, count, is_tried=False):
    """Whether a call keeps a count of the rule of this name in this space."""
    if question.counting is None:
        return False
    args, opened, _ = question.counting
    argument = count.get("sum", count.get("each"))
    amount = 1 if argument is None else at(args, argument)
    if not is_amount(amount):
        return False
    if "each" in count:
        return amount <= count["most"]
    verb, key = question.verb, name
    if "after" in count:
        [(verb, key)] = count["after"].items()
    verb = f"shadow.{verb}" if is_tried else verb
    acts = []
    for header, payload in question.world.facts_of(tally_of(question, path, verb, key, count)):
        if given(header, "kind") == COUNTED:
            summed = at(payload, "amounts", count["sum"]) if "sum" in count else 1
            is_done = at(payload, "failed") is not True
            acts.append((given(header, "at"), float(summed) if is_amount(summed) else 0.0, is_done))
    since = opened - count["within"] * 1000 if "within" in count else float("-inf")
    within = [one for when, one, _ in acts if when > since]
    if "after" in count:
        return any(when > since and is_done for when, _, is_done in acts)
    if "within" in count and any(when > since for when, _, _ in acts[:-KEPT]):
        return False
    total = 0.0
    for one in within:  # in this order: fractions are rounded at each step
        total += one
    return total + float(amount) <= count["most"]


def tally_of(question, path, verb, key, count):
    """The reel of the acts that a count counts together."""
    per = count.get("per", [])
    by = f" by @{elder_of(question.world, question.actor, True)}" if "being" in per else ""
    of = f" of @{elder_of(question.world, question.actor, False)}" if "person" in per else ""
    to = f" to {question.counting[2]}" if "target" in per else ""
    return f"tally:{path} {verb}.{key}{by}{of}{to}"


def elder_of(world, being, persons_end):
    """The eldest of the makers below the operator, and where persons end a line, below the nearest one; a person is its own then."""
    elder = being["name"]
    for maker in [] if persons_end and being["isPerson"] else world.lineage(being["name"]):
        if (persons_end and maker["isPerson"]) or maker["parent"] is None:
            break
        elder = maker["name"]
    return elder


def tallies_of(question, rules, around, is_tried=False):
    """The reels on which a call is counted, and what is summed: of the rules that decide, and of those around it that it has to come before."""
    reels = []
    verb = f"shadow.{question.verb}" if is_tried else question.verb
    for rule, path, name in rules:
        for count in counts_of(rule):
            if "after" not in count and "each" not in count:
                summed = count.get("sum")
                is_summed = summed is not None and is_amount(at(question.counting[0], summed))
                reels.append((tally_of(question, path, verb, name, count), summed if is_summed else None))
    for rule, path in around:
        for count in counts_of(rule):
            if at(count, "after", question.verb) == question.key:
                reels.append((tally_of(question, path, verb, question.key, count), None))
    return reels
