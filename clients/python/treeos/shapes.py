"""Made from the description of the API by `pnpm docs:clients`."""

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


class _Descriptor(TypedDict):
    address: Dict[str, Any]
    beings: List[str]
    children: List[str]
    matters: List[str]
    beingLineage: List[str]
    type: str
    qualities: Dict[str, Any]
    identity: Dict[str, Any]


class Descriptor(_Descriptor, total=False):
    owner: Optional[str]
    contributors: List[str]
    size: Dict[str, Any]
    coord: Dict[str, Any]
    outside: bool
    seen: str
    content: Any
    catalogs: Dict[str, Any]


class _Act(TypedDict):
    act: Optional[str]
    result: Any
    facts: List["FactRef"]


class Act(_Act, total=False):
    waiting: Any


class FactRef(TypedDict):
    reel: str
    seq: int
    hash: str
    kind: str


class _Summoned(TypedDict):
    correlation: str
    moment: Union["Moment", None]
    reply: Optional[Dict[str, Any]]


class Summoned(_Summoned, total=False):
    overlay: Dict[str, Any]
    waiting: Any


class _Moment(TypedDict):
    n: int
    openedAt: str
    verb: Optional[Literal["see", "do", "summon", "be"]]
    wake: Optional[str]
    woke: Dict[str, Any]
    did: Dict[str, Any]
    outcome: Literal["act", "see", "failure", "skipped", "waiting"]
    primary: Optional[str]
    stacked: List[str]
    stackDigest: Optional[str]
    promptDigest: Optional[str]
    act: Optional[str]
    actHash: Optional[str]


class Moment(_Moment, total=False):
    reason: str
    message: str
    driver: str
    content: str
    overlay: Dict[str, Any]
    shadow: Dict[str, Any]


class Self(TypedDict):
    being: str
    space: str
    role: str
    stacked: List[str]
    surface: Dict[str, Any]
    self: Union["Descriptor", None]


class _InboxEntry(TypedDict):
    correlation: str
    kind: Literal["question", "approval", "budget", "answer", "notice", "news", "event"]
    thread: str
    # from: Optional[str]
    content: Any
    at: str
    priority: Literal["human", "interactive", "background"]


class InboxEntry(_InboxEntry, total=False):
    notice: bool
    times: int
    latest: str
    outside: bool


class InboxCounts(TypedDict):
    open: Dict[str, Any]
    newest: Optional[str]


class _Approval(TypedDict):
    id: str
    # from: str
    call: Any
    rule: str
    expiresAt: str
    roles: List[str]


class Approval(_Approval, total=False):
    # for: str
    driver: str
    outside: bool
    likeThis: "Proposal"


class Proposal(TypedDict):
    approved: int
    space: str
    field: str
    value: Any
    free: List[str]


class _Prompt(TypedDict):
    system: str
    user: str
    digest: str
    identical: bool


class Prompt(_Prompt, total=False):
    older: bool


class _Budget(TypedDict):
    being: Optional[str]
    stance: Optional[str]
    limits: Dict[str, Any]
    used: Dict[str, Any]
    held: Dict[str, Any]


class Budget(_Budget, total=False):
    # for: Literal["llm", "scripted"]
    standard: bool
    unsure: Dict[str, Any]


class _Thread(TypedDict):
    thread: str
    state: Literal["pending", "live", "severed", "complete"]
    wakes: int
    open: int
    acts: int
    depth: int
    began: str
    moved: str
    participants: List[str]
    subject: Optional[str]
    last: Optional[Dict[str, Any]]
    channel: Optional[str]


class Thread(_Thread, total=False):
    unheard: List[Dict[str, Any]]
    outside: bool


class _Conversation(TypedDict):
    thread: str
    state: Literal["pending", "live", "severed", "complete"]
    wakes: int
    open: int
    acts: int
    depth: int
    began: str
    moved: str
    participants: List[str]
    lines: List[Dict[str, Any]]
    hidden: int


class Conversation(_Conversation, total=False):
    unheard: List[Dict[str, Any]]


class _Overlay(TypedDict):
    tier: str
    name: str
    content: str
    setBy: str
    setAt: str
    inForce: bool


class Overlay(_Overlay, total=False):
    scope: str
    appliesTo: List[str]


class Namespace(TypedDict):
    namespace: str
    owner: Optional[str]
    publishers: List[str]
    reserved: bool


class _Receipt(TypedDict):
    n: int
    moment: str
    receipt: Dict[str, Any]


class Receipt(_Receipt, total=False):
    why: str


class AccessToken(TypedDict):
    id: str
    being: str
    issuedBy: str
    issuedAt: str
    expiresAt: str
    revokedAt: Optional[str]


class Outlet(TypedDict):
    id: str
    kind: Literal["webhook", "email"]
    address: str
    wants: List[Literal["question", "answer", "notice", "approval"]]
    confirmed: bool
    createdAt: str
    deliveries: Dict[str, Any]


class Hook(TypedDict):
    id: str
    name: str
    does: Union[Dict[str, Any], Dict[str, Any]]
    createdAt: str
    usedAt: Optional[str]


class _Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    code: Literal["INVALID_INPUT", "INVALID_TYPE", "ADDRESS_PARSE_ERROR", "UNAUTHORIZED", "BUDGET_EXCEEDED", "FORBIDDEN", "EXTENSION_BLOCKED", "SPACE_NOT_FOUND", "BEING_NOT_FOUND", "MATTER_NOT_FOUND", "EXTENSION_NOT_FOUND", "ROLE_UNAVAILABLE", "VERB_NOT_SUPPORTED", "ACTION_NOT_SUPPORTED", "CORRELATION_NOT_FOUND", "MOMENT_NOT_FOUND", "RESOURCE_CONFLICT", "CANCELLED", "BEING_ENDED", "OVERLAY_LOST", "PAYLOAD_TOO_LARGE", "NO_ANSWER", "RATE_LIMITED", "INTERNAL", "TIMEOUT", "LLM_TIMEOUT", "LLM_FAILED", "LLM_NOT_CONFIGURED", "SERVICE_UNAVAILABLE"]


class Problem(_Problem, total=False):
    context: Any
