"""How old what was checked is. This verifier reads no signatures of witnesses, so the newest time that it tells of stands for it."""

import time

SKEW_SECONDS = 300


def age_faults(has_checkpoint, newest, max_age):
    """In words. `newest`: the latest time in it, in ms, or 0; `max_age`: seconds, or None."""
    age = round(time.time() - newest / 1000)
    if newest and age < -SKEW_SECONDS:
        yield "it tells of a time that is to come"
    if max_age is None:
        return
    if not has_checkpoint:
        yield "no checkpoint has an age"
    elif not newest:
        yield "nothing says how old the checkpoint is"
    elif age > max_age:
        yield f"the checkpoint is {age} s old, which is more than {max_age} s: its newest entry here says so, and no witness"
