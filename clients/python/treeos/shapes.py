"""Made from the description of the API by `pnpm docs:clients`."""

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


AnswerUse = Literal["each", "all"]
BeingName = str
BeingState = Literal["ended", "driven", "paused", "parked", "asks", "working", "failed", "asleep"]
BudgetPeriod = Literal["day", "total"]
CanList = Literal["canSee", "canDo", "canSummon", "canBe"]
ClauseResult = Literal["primary", "stacked", "shadowed", "repeated", "skipped", "no-match", "malformed"]
Cognition = Literal["llm", "human", "scripted"]
ConcreteEntry = Union[str, Dict[str, Any]]
Coord = Union["Size"]
Decision = Union[Dict[str, Any], Dict[str, Any], Dict[str, Any]]
Digest = str
Entry = Union[str, "Token"]
Envelope = Union["JsonObject"]
ErrorCode = Literal["INVALID_INPUT", "INVALID_TYPE", "ADDRESS_PARSE_ERROR", "UNAUTHORIZED", "BUDGET_EXCEEDED", "FORBIDDEN", "EXTENSION_BLOCKED", "SPACE_NOT_FOUND", "BEING_NOT_FOUND", "MATTER_NOT_FOUND", "EXTENSION_NOT_FOUND", "ROLE_UNAVAILABLE", "VERB_NOT_SUPPORTED", "ACTION_NOT_SUPPORTED", "CORRELATION_NOT_FOUND", "MOMENT_NOT_FOUND", "RESOURCE_CONFLICT", "CANCELLED", "BEING_ENDED", "OVERLAY_LOST", "PAYLOAD_TOO_LARGE", "NO_ANSWER", "RATE_LIMITED", "INTERNAL", "TIMEOUT", "LLM_TIMEOUT", "LLM_FAILED", "LLM_NOT_CONFIGURED", "SERVICE_UNAVAILABLE"]
FaultPart = Literal["model", "script", "decide", "effect", "stack"]
HiddenPlace = Literal["being", "reader"]
Json = Any
JsonObject = Dict[str, Any]
Layout = Literal["as-told", "stable-first"]
LookingBack = Literal["half", "inward"]
MomentId = str
NeverWorn = Literal["not-registered", "not-named", "other-cognition", "malformed", "asked", "no-primary", "not-triggered", "thread-cut", "being-ended", "contradiction", "too-long"]
Operator = Literal["eq", "ne", "in", "notIn", "gt", "gte", "lt", "lte", "present"]
Orientation = Literal["forward", "half", "inward"]
OutcomeKind = Literal["act", "see", "failure", "skipped", "waiting"]
OverlayTier = Literal["call", "thread", "channel", "workspace", "account"]
Priority = Literal["human", "interactive", "background"]
ProseMeaning = Literal["see", "answers"]
ReelId = str
RespondMode = Literal["async", "none"]
RoleName = str
SeeCall = Union[Dict[str, Any], Dict[str, Any]]
SelfContinue = Any
SkipReason = Literal["role-unresolved", "role-unavailable", "role-not-named", "not-triggered", "thread-cut", "being-ended"]
StandardFor = Literal["llm", "scripted"]
Token = Union["RelToken", "PatternToken", "ResolverToken"]
Trace = Union["TraceTest", "TraceGroup"]
Verb = Literal["see", "do", "summon", "be"]
VerbCall = Union["SeeCall", Dict[str, Any], Dict[str, Any], Dict[str, Any]]
ViewChoice = Literal["default", "only"]
WhyNotAllowed = Union[Dict[str, Any], Dict[str, Any]]
WhyNotRole = Union[Dict[str, Any], Dict[str, Any]]


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
    catalogs: "Catalogs"


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
    woke: "WokenBy"
    did: "MadeCall"
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
    overlay: "OverlayRecord"
    shadow: List["ShadowVerdict"]


class _Operation(TypedDict):
    verb: Literal["do", "be"]
    name: str
    origin: str
    description: str
    targets: List[str]
    allow: List[str]
    args: Dict[str, str]


class Operation(_Operation, total=False):
    schema: Dict[str, Any]
    effect: Dict[str, Any]


class Self(TypedDict):
    being: str
    space: str
    role: str
    stacked: List[str]
    surface: "Surface"
    self: Union["Descriptor", None]


class KeptFile(TypedDict):
    thing: str
    file: Dict[str, Any]


class _InboxEntry(TypedDict):
    correlation: str
    kind: Literal["question", "approval", "budget", "asks-back", "answer", "notice", "news", "event"]
    thread: str
    # from: Optional[str]
    content: Any
    text: str
    at: str
    priority: Literal["human", "interactive", "background"]


class InboxEntry(_InboxEntry, total=False):
    role: str
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
    done: List[Dict[str, Any]]


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


class _BeingItem(TypedDict):
    being: str
    stance: str
    cognition: str
    parent: Optional[str]
    space: str
    defaultRole: Optional[str]


class BeingItem(_BeingItem, total=False):
    ended: str
    paused: str
    inhabitedBy: str
    budget: Dict[str, Any]
    parked: "Breach"


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
    owed: List[Dict[str, Any]]


class Conversation(_Conversation, total=False):
    unheard: List[Dict[str, Any]]


class _SpokenThread(TypedDict):
    thread: str
    state: Literal["pending", "live", "severed", "complete"]
    wakes: int
    open: int
    acts: int
    depth: int
    began: str
    moved: str
    participants: List[str]
    root: str
    lines: List[Dict[str, Any]]
    hidden: int
    moments: int
    tokens: int
    money: float
    owed: List[Dict[str, Any]]


class SpokenThread(_SpokenThread, total=False):
    unheard: List[Dict[str, Any]]


class Channel(TypedDict):
    channel: str
    threads: List[Dict[str, Any]]


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
    receipt: "Envelope"


class Receipt(_Receipt, total=False):
    why: str


class ToolServer(TypedDict):
    server: str
    at: str
    secrets: List[str]
    ask: Dict[str, Any]
    tools: Dict[str, Dict[str, Any]]


class ToolServerCheck(TypedDict):
    server: str
    changes: List[Dict[str, Any]]
    leftOut: Dict[str, str]
    fault: Optional[str]


class _KeptToolServer(TypedDict):
    server: str
    accepted: bool
    tools: Dict[str, str]
    reads: List[str]


class KeptToolServer(_KeptToolServer, total=False):
    askedBefore: List[str]


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


class AuthoringCatalog(TypedDict):
    beOps: List["OperationEntry"]
    operations: List["OperationEntry"]
    relations: List[str]
    resolvers: List[str]
    roles: List["ListedRole"]
    see: List[str]
    signals: List[str]


class Breach(TypedDict):
    limit: Literal["tokens", "money"]
    max: float
    needs: Optional[float]
    of: "BeingName"
    per: "BudgetPeriod"
    revision: float
    until: Optional[float]
    used: float


class _BudgetView(TypedDict):
    being: Union["BeingName", None]
    held: Dict[str, Any]
    limits: Dict[str, Any]
    stance: Optional[str]
    used: Dict[str, Any]


class BudgetView(_BudgetView, total=False):
    # for: "StandardFor"
    standard: bool
    unsure: Dict[str, Any]


class CancelledCall(TypedDict):
    being: "BeingName"
    moment: "MomentId"
    n: float
    reason: Literal["CANCELLED"]


class Catalogs(TypedDict):
    addresses: List[str]
    beOps: List["OperationEntry"]
    operations: List["OperationEntry"]
    roles: List["RoleEntry"]


class Chart(TypedDict):
    floors: Dict[str, Union["Floor", None]]
    marks: List["ChartEntry"]
    others: float
    path: str
    size: Union["Spot", None]


class ChartEntry(TypedDict):
    beings: Optional[float]
    coord: Union["Spot", None]
    isEnded: bool
    key: str
    roles: List[str]
    spots: Dict[str, Union["Spot", None]]
    states: List["BeingState"]
    words: Optional[str]


class CheckpointedReport(TypedDict):
    acts: List[Dict[str, Any]]
    approvals: List[Dict[str, Any]]
    at: str
    authority: List[Dict[str, Any]]
    checkpoints: List[Dict[str, Any]]
    erasures: List[Dict[str, Any]]
    holds: List[Dict[str, Any]]
    models: List["ModelUse"]
    reality: Dict[str, Any]
    refusals: List[Dict[str, Any]]
    since: str
    tokens: List["TokenView"]
    until: str
    v: float


class ClauseTrace(TypedDict):
    index: float
    reason: str
    result: "ClauseResult"
    role: Optional[str]
    stack: bool
    tree: Union["Trace", None]


class _CompleteRole(TypedDict):
    canBe: List["Entry"]
    canDo: List["Entry"]
    canSee: List["Entry"]
    canSummon: List["Entry"]
    defaultOrientation: "Orientation"
    description: str
    forceToolCall: bool
    layout: "Layout"
    name: "RoleName"
    permissions: List["Verb"]
    prompt: Union[str, "FunctionPrompt"]
    prose: "ProseMeaning"
    respondMode: "RespondMode"
    see: List[str]
    selfContinue: "SelfContinue"
    triggerOn: List[str]
    views: "ViewChoice"


class CompleteRole(_CompleteRole, total=False):
    onAnswers: "AnswerUse"
    requiredCognition: "Cognition"
    steps: float


class _DecidingModel(TypedDict):
    asked: str
    named: Optional[str]
    settings: "JsonObject"


class DecidingModel(_DecidingModel, total=False):
    connection: str


class _Difference(TypedDict):
    differs: List[Literal["stack", "surface", "prompt"]]
    n: float
    openedAt: str
    refused: Union[Dict[str, Any], None]
    was: "WornStack"
    would: "WornStack"


class Difference(_Difference, total=False):
    hidden: bool


class _DoCall(TypedDict):
    args: "JsonObject"
    operation: str
    target: Optional[str]
    verb: Literal["do"]


class DoCall(_DoCall, total=False):
    overlay: str


class DroppedEntry(TypedDict):
    entry: "Entry"
    list: "CanList"
    reason: str


class EndCount(TypedDict):
    count: float
    kind: "OutcomeKind"
    reason: Optional[str]


class _ExplainedMoment(TypedDict):
    by: List[str]
    clauses: List["ClauseTrace"]
    context: "JsonObject"
    cost: Union["MomentCost", None]
    ended: Dict[str, Any]
    endedAt: str
    faults: List["FaultView"]
    gates: Dict[str, Any]
    leftOut: List[Union["DroppedEntry", Dict[str, Any]]]
    openedAt: str
    primary: Union["RoleName", None]
    source: Optional[Literal["clause", "default", "asked"]]
    stacked: List["RoleName"]
    surface: "Surface"


class ExplainedMoment(_ExplainedMoment, total=False):
    hidden: "HiddenPlace"
    hiddenBy: str
    ignoredCalls: float
    orientation: "LookingBack"
    shadow: List["ShadowVerdict"]
    skip: "SkipReason"
    unheard: str
    wentOn: Optional[float]
    wouldWear: List["RoleName"]


class FailedMoment(TypedDict):
    at: str
    being: str
    message: Optional[str]
    model: Optional[str]
    n: float
    reason: Optional[str]
    role: Optional[str]


class FailureCause(TypedDict):
    count: float
    message: Optional[str]
    newest: "FailedMoment"
    reason: Optional[str]


class FaultView(TypedDict):
    at: str
    attempt: float
    message: str
    part: "FaultPart"
    seconds: float
    stack: Optional[str]


class Floor(TypedDict):
    height: float
    walls: List["Spot"]
    width: float


class FlowInside(TypedDict):
    defaultRole: Optional[str]
    flow: "Json"
    isEnded: bool
    isOpen: bool
    moments: float
    stance: str
    versions: List["FlowVersion"]


class FlowVersion(TypedDict):
    at: str
    by: Optional[str]
    flow: "Json"
    seq: float


class FunctionPrompt(TypedDict):
    function: str


class HealthView(TypedDict):
    budgets: List["BudgetView"]
    inbox: Dict[str, Any]
    lastHour: Dict[str, Any]
    late: List[Dict[str, Any]]
    parked: float
    standard: Dict[str, Any]
    wakes: "WaitingWakes"


class HoldView(TypedDict):
    at: str
    by: str
    name: str
    on: str
    why: str


class JudgedMoment(TypedDict):
    clauses: List[float]
    n: float
    openedAt: str
    source: Optional[Literal["clause", "default", "asked"]]


class LastMoment(TypedDict):
    n: float
    primary: Optional[str]
    stacked: List[str]
    words: "Json"


class Layer(TypedDict):
    origin: str
    text: str
    title: str


class Lint(TypedDict):
    errors: List["ParseFault"]
    warnings: List["ParseFault"]


class _ListedRole(TypedDict):
    at: str
    author: Optional[str]
    deleted: bool
    description: str
    name: str
    origin: str
    permissions: List["Verb"]
    requiredCognition: Union["Cognition", None]
    users: float


class ListedRole(_ListedRole, total=False):
    outside: bool


class LivedWords(TypedDict):
    at: str
    being: str
    n: float
    outcome: "OutcomeKind"
    primary: Optional[str]
    reason: Optional[str]
    words: str


class _MadeCall(TypedDict):
    verb: "Verb"


class MadeCall(_MadeCall, total=False):
    ignoredCalls: float
    operation: str
    target: str


class ModelUse(TypedDict):
    model: Optional[str]
    moments: float
    money: float
    tokens: float


class MomentCost(TypedDict):
    attempts: float
    money: float
    tokens: float


class MomentPage(TypedDict):
    beats: List["MomentStretch"]
    cost: Union["MomentCost", None]
    decision: Union["Decision", None]
    explained: Union["ExplainedMoment", None]
    facts: List[Dict[str, Any]]
    layers: List["Layer"]
    mayAskOfActs: bool
    moment: "MomentView"
    prompt: Union["RebuiltPrompt", None]
    temporalUi: Optional[str]
    wake: "Json"
    wakeText: str


class _MomentStretch(TypedDict):
    # from: float
    name: Literal["wait", "think", "attempt", "work"]
    to: float


class MomentStretch(_MomentStretch, total=False):
    attempt: float
    fault: str
    part: "FaultPart"
    tokens: float


class _MomentView(TypedDict):
    act: Optional[str]
    actHash: Optional[str]
    did: Union["MadeCall", None]
    n: float
    openedAt: str
    outcome: "OutcomeKind"
    primary: Optional[str]
    promptDigest: Optional[str]
    stackDigest: Optional[str]
    stacked: List[str]
    verb: Union["Verb", None]
    wake: Optional[str]
    woke: Union["WokenBy", None]


class MomentView(_MomentView, total=False):
    content: str
    driver: str
    message: str
    orientation: "LookingBack"
    overlay: "OverlayRecord"
    reason: str
    shadow: List["ShadowVerdict"]
    wentOn: Optional[float]


class NamedTally(TypedDict):
    failures: float
    moments: float
    money: float
    name: Optional[str]
    seconds: Union[Dict[str, Any], None]
    tokens: float


class Occupant(TypedDict):
    cognition: Optional[str]
    inhabitedBy: Optional[str]
    isEnded: bool
    last: Union["LastMoment", None]
    stance: str
    states: List["BeingState"]


class OperationChoice(TypedDict):
    args: Dict[str, str]
    description: str
    name: str
    schema: Union["JsonObject", None]
    targets: List[str]


class OperationEntry(TypedDict):
    args: Dict[str, str]
    description: str
    name: str
    targets: List[Literal["being", "space", "matter", "thread", "reality"]]


class OverlayChange(TypedDict):
    at: str
    by: "BeingName"
    commitment: Union["Digest", None]
    tier: Literal["thread"]


class OverlayRecord(TypedDict):
    commitment: "Digest"
    mode: Literal["block", "stack"]
    tiers: List["OverlayTier"]


class ParseFault(TypedDict):
    message: str
    path: str


class PastEntries(TypedDict):
    entries: List["PastEntry"]
    isMore: bool
    newest: float
    stacks: Dict[str, "PinnedStack"]
    upTo: float


class PastEntry(TypedDict):
    at: str
    entry: float
    moment: Union["RetracedMoment", None]
    placings: List["PlaceChange"]
    said: List["PastWords"]


class PastWords(TypedDict):
    being: "BeingName"
    to: str
    words: str


class _PatternToken(TypedDict):
    pattern: str


class PatternToken(_PatternToken, total=False):
    kind: str


class _PermissionChange(TypedDict):
    path: str


class PermissionChange(_PermissionChange, total=False):
    # from: "Json"
    to: "Json"


class _PersonDataItem(TypedDict):
    at: str
    by: str
    id: str
    kind: Literal["fact", "moment"]
    state: Literal["kept", "gone", "lasting"]
    what: str


class PersonDataItem(_PersonDataItem, total=False):
    content: "Json"
    hold: str


class PinnedRole(TypedDict):
    digest: "Digest"
    name: "RoleName"


class PinnedStack(TypedDict):
    primary: "PinnedRole"
    stacked: List["PinnedRole"]


class _PlaceChange(TypedDict):
    key: str


class PlaceChange(_PlaceChange, total=False):
    coord: Union["Spot", None]
    floors: Dict[str, Union["Floor", None]]
    isEnded: bool
    place: Optional[str]
    size: Union["Spot", None]
    spots: Dict[str, Union["Spot", None]]


class ReachView(TypedDict):
    actions: List["OperationChoice"]
    identity: List["OperationChoice"]
    role: str
    space: str
    stacked: List[str]
    surface: "Surface"


class _RebuiltPrompt(TypedDict):
    digest: str
    identical: bool
    system: str
    user: str


class RebuiltPrompt(_RebuiltPrompt, total=False):
    older: bool


class RecentActivity(TypedDict):
    isAll: bool
    since: str
    spoken: List["SpokenTo"]
    strip: List["StripMoment"]
    until: str
    waiting: List["WaitsFor"]


class RelToken(TypedDict):
    rel: str


class ResolverToken(TypedDict):
    resolver: str


class RetracedMoment(TypedDict):
    being: "BeingName"
    n: float
    outcome: "OutcomeKind"
    reason: Optional[str]
    stack: Union["Digest", None]


class _RoleEntry(TypedDict):
    description: str
    name: str
    origin: str
    permissions: List["Verb"]
    requiredCognition: Union["Cognition", None]


class RoleEntry(_RoleEntry, total=False):
    outside: bool


class _RoleInside(TypedDict):
    at: str
    author: Optional[str]
    deleted: bool
    description: str
    digest: "Digest"
    isOpen: bool
    name: str
    origin: str
    others: float
    permissions: List["Verb"]
    requiredCognition: Union["Cognition", None]
    spec: Union["CompleteRole", None]
    usedBy: List["RoleUser"]
    users: float
    versions: List["RoleVersion"]


class RoleInside(_RoleInside, total=False):
    outside: bool


class _RoleSpec(TypedDict):
    canBe: List["Entry"]
    canDo: List["Entry"]
    canSee: List["Entry"]
    canSummon: List["Entry"]
    name: "RoleName"
    prompt: Union[str, "FunctionPrompt"]
    see: List[str]


class RoleSpec(_RoleSpec, total=False):
    defaultOrientation: "Orientation"
    description: str
    forceToolCall: bool
    layout: "Layout"
    onAnswers: "AnswerUse"
    prose: "ProseMeaning"
    requiredCognition: "Cognition"
    respondMode: "RespondMode"
    selfContinue: "SelfContinue"
    steps: float
    triggerOn: List[str]
    views: "ViewChoice"


class RoleUser(TypedDict):
    isDefault: bool
    isInFlow: bool
    stance: str
    wearsIt: Optional[bool]


class RoleVersion(TypedDict):
    at: str
    by: Optional[str]
    seq: float
    spec: Union["RoleSpec", None]
    trial: Union[Dict[str, Optional[float]], None]


class _RoleView(TypedDict):
    canBe: List["Entry"]
    canDo: List["Entry"]
    canSee: List["Entry"]
    canSummon: List["Entry"]
    defaultOrientation: "Orientation"
    description: str
    digest: str
    forceToolCall: bool
    layout: "Layout"
    name: "RoleName"
    origin: str
    permissions: List["Verb"]
    prompt: Union[str, "FunctionPrompt"]
    prose: "ProseMeaning"
    respondMode: "RespondMode"
    see: List[str]
    selfContinue: "SelfContinue"
    triggerOn: List[str]
    usedBy: List[str]
    views: "ViewChoice"


class RoleView(_RoleView, total=False):
    onAnswers: "AnswerUse"
    requiredCognition: "Cognition"
    steps: float


class _SaidWords(TypedDict):
    at: str
    channel: Optional[str]
    # from: Optional[str]
    isMine: bool
    n: Optional[float]
    thread: str
    to: str
    words: str


class SaidWords(_SaidWords, total=False):
    outside: bool


class SaltedOverlayChange(TypedDict):
    at: str
    by: "BeingName"
    commitment: Union["Digest", None]
    salt: Optional[str]
    tier: Literal["thread"]


class SearchResult(TypedDict):
    beings: List[str]
    moments: List["LivedWords"]
    roles: List[Dict[str, Any]]
    said: List["SaidWords"]
    spaces: List[str]


class ShadowVerdict(TypedDict):
    by: str
    key: str
    on: str
    verb: "Verb"
    was: Literal["allowed", "ask", "refused"]
    would: Literal["allowed", "ask", "refused"]


class _ShownChange(TypedDict):
    path: str


class ShownChange(_ShownChange, total=False):
    # from: "Json"
    hidden: "HiddenPlace"
    to: "Json"


class Size(TypedDict):
    x: float
    y: float
    z: float


class SpaceNode(TypedDict):
    beings: float
    children: List[str]
    path: str
    things: float
    type: str
    within: Dict[str, Any]


class _SpaceView(TypedDict):
    address: Dict[str, Any]
    beingLineage: List[str]
    children: List[str]
    identity: Dict[str, Any]
    matters: List[str]
    next: Optional[str]
    occupants: List["Occupant"]
    population: float
    qualities: "JsonObject"
    type: str


class SpaceView(_SpaceView, total=False):
    catalogs: "Catalogs"
    content: "Json"
    contributors: List[str]
    coord: "Coord"
    outside: bool
    owner: Optional[str]
    seen: str
    size: "Size"


class SpendingReport(TypedDict):
    all: "Tally"
    beings: List["NamedTally"]
    causes: List["FailureCause"]
    days: List["NamedTally"]
    failures: List["FailedMoment"]
    isAll: bool
    models: List["NamedTally"]
    parts: List[Dict[str, Any]]
    roles: List["NamedTally"]
    since: str
    spaces: List["NamedTally"]
    threads: List["ThreadTally"]


class _SpokenTo(TypedDict):
    count: float
    failed: float
    # from: str
    last: str
    thread: str
    to: str
    words: Optional[str]


class SpokenTo(_SpokenTo, total=False):
    outside: bool


class Spot(TypedDict):
    x: float
    y: float


class StripMoment(TypedDict):
    being: str
    endedAt: str
    n: float
    openedAt: Optional[str]
    outcome: "OutcomeKind"
    reason: Optional[str]
    role: Optional[str]


class Surface(TypedDict):
    canBe: List["ConcreteEntry"]
    canDo: List["ConcreteEntry"]
    canSee: List["ConcreteEntry"]
    canSummon: List["ConcreteEntry"]


class Surroundings(TypedDict):
    here: str
    more: bool
    spaces: List["SpaceNode"]


class Tally(TypedDict):
    failures: float
    moments: float
    money: float
    seconds: Union[Dict[str, Any], None]
    tokens: float


class ThreadTally(TypedDict):
    failures: float
    moments: float
    money: float
    name: Optional[str]
    seconds: Union[Dict[str, Any], None]
    subject: Optional[str]
    tokens: float


class TokenView(TypedDict):
    being: str
    expiresAt: str
    id: str
    issuedAt: str
    issuedBy: str
    revokedAt: Optional[str]


class TraceGroup(TypedDict):
    nodes: List["Trace"]
    operator: Literal["and", "or", "not"]
    result: bool


class _TraceTest(TypedDict):
    expected: "Json"
    operator: "Operator"
    path: str
    result: bool


class TraceTest(_TraceTest, total=False):
    actual: "Json"
    hidden: "HiddenPlace"


class TrialEstimate(TypedDict):
    calls: float
    callsOfScorers: float
    candidates: float
    costMax: Optional[float]
    moments: float


class WaitingShare(TypedDict):
    oldestSeconds: float
    waiting: float


class WaitingWakes(TypedDict):
    inBackground: "WaitingShare"
    medianSeconds: float
    ofPeople: "WaitingShare"
    oldestSeconds: float
    waiting: float


class WaitsFor(TypedDict):
    being: str
    cognition: Optional[str]
    count: float
    # from: Optional[str]
    seconds: float
    thread: str


class _WokenBy(TypedDict):
    # from: Optional[str]
    thread: str
    trigger: str


class WokenBy(_WokenBy, total=False):
    what: str


class _WornStack(TypedDict):
    primary: Union["RoleName", None]
    stacked: List["RoleName"]


class WornStack(_WornStack, total=False):
    skip: str


class _Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    code: Literal["INVALID_INPUT", "INVALID_TYPE", "ADDRESS_PARSE_ERROR", "UNAUTHORIZED", "BUDGET_EXCEEDED", "FORBIDDEN", "EXTENSION_BLOCKED", "SPACE_NOT_FOUND", "BEING_NOT_FOUND", "MATTER_NOT_FOUND", "EXTENSION_NOT_FOUND", "ROLE_UNAVAILABLE", "VERB_NOT_SUPPORTED", "ACTION_NOT_SUPPORTED", "CORRELATION_NOT_FOUND", "MOMENT_NOT_FOUND", "RESOURCE_CONFLICT", "CANCELLED", "BEING_ENDED", "OVERLAY_LOST", "PAYLOAD_TOO_LARGE", "NO_ANSWER", "RATE_LIMITED", "INTERNAL", "TIMEOUT", "LLM_TIMEOUT", "LLM_FAILED", "LLM_NOT_CONFIGURED", "SERVICE_UNAVAILABLE"]


class Problem(_Problem, total=False):
    context: Any


class LivedMoment(Moment):
    endedAt: str
    words: Optional[str]
    args: Optional[str]
    cost: Optional[Dict[str, Any]]


class ListedMoment(LivedMoment):
    being: str
    moment: str


class ListedToken(AccessToken):
    terminal: Optional[Dict[str, Any]]
