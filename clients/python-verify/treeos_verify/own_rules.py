"""Who may call an operation of TreeOS where no space has a rule: the table of docs/formats.md."""

SELF_AND_MAKERS = ["self", "ancestor", "operator"]
MAKERS = ["ancestor", "operator"]
OWNER = ["owner", "operator"]
OWNER_AND_GUESTS = ["owner", "contributor", "operator"]
ANYONE = ["anyone"]

DO = {
    **dict.fromkeys(("create-space", "create-matter"), OWNER_AND_GUESTS),
    **dict.fromkeys(("set-space", "set-size", "add-contributor", "remove-contributor"), OWNER),
    **dict.fromkeys(("set-matter", "write-matter", "end-matter", "take"), OWNER),
    **dict.fromkeys(("put", "move", "set-role", "delete-role", "set-world-signal"), ANYONE),
    **dict.fromkeys(("grant-namespace", "revoke-namespace", "cut-thread"), ANYONE),
    **dict.fromkeys(("set-being", "set-roleflow", "set-schedule", "delete-schedule"), SELF_AND_MAKERS),
    **dict.fromkeys(("subscribe", "unsubscribe"), SELF_AND_MAKERS),
    **dict.fromkeys(("set-default-role", "pause-being", "resume-being", "accept-difference"), MAKERS),
    **dict.fromkeys(("end-being", "set-budget", "unpark-being"), MAKERS),
    **dict.fromkeys(("mediate", "approve", "deny", "keep-file"), ["self"]),
    **dict.fromkeys(("erase", "set-hold", "lift-hold"), ["operator"]),
    "vouch": ["self", "ancestor", "owner", "operator"],
}
OPERATIONS = {"do": DO, "be": dict.fromkeys(("birth", "connect", "release"), ["self"])}
