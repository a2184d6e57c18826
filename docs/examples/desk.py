"""A desk that asks two specialists for its customer, over HTTP. PORTAL and TOKEN are of the customer, who may set roles here."""

import json
import os

from treeos import Treeos

reality = Treeos(os.environ["PORTAL"], os.environ["TOKEN"])
folder = os.path.dirname(os.path.abspath(__file__))

with open(os.path.join(folder, "desk.json")) as file:
    for role in json.load(file)["roles"]:
        reality.do("set-role", "/", {"role": role})
for name in ("desk", "billing", "legal"):
    reality.be("birth", {"name": name, "cognition": "llm", "role": name})

told = reality.summon("@desk", "What do I owe, and is that lawful?", wait_seconds=60)
print(told["reply"]["from"], told["reply"]["content"])
for moment in reality.moments("desk"):
    print(moment["n"], moment["outcome"], (moment["did"] or {}).get("target", "-"))
