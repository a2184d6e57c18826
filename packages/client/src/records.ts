/** The part of this package that needs Postgres alone. A program that only reads loads no Temporal client. */

export { authorizeActingAs, type Presence } from '@treeos/reality'
export {
  type JournalListener,
  listenToJournal,
  type Saying,
  type WordStream,
  type Words,
} from '@treeos/store'
export { instanceSecret } from './access/instance-secrets.ts'
export {
  deleteOverlay,
  type OverlayRequest,
  type OverlayView,
  overlays,
  setOverlay,
} from './access/overlay-settings.ts'
export { personsUnder } from './access/people.ts'
export {
  type Authorization,
  authorizeGrant,
  issueToken,
  listTokens,
  requireToken,
  revokeToken,
  TOKEN_DAYS_MAX,
  type TokenGrant,
  type TokenView,
  tokensPage,
  type VerifiedToken,
  verifyToken,
} from './access/tokens.ts'
export { type AnswerState, answerTo } from './act/answers.ts'
export { type Cancelled, type CancelRequest, cancel } from './act/cancelling.ts'
export { type CloseRequest, closeInbox } from './act/closing.ts'
export { findKeyed } from './act/keyed.ts'
export {
  type OverlayConnection,
  putOverlay,
  setThreadOverlay,
  threadOverlays,
} from './act/thread-overlays.ts'
export { type ApprovalView, approvals, approvalsPage } from './read/approvals.ts'
export {
  type Authoring,
  addresses,
  authoring,
  type FlowInside,
  type FlowVersion,
  inspectFlow,
  inspectRole,
  type ListedRole,
  type RoleInside,
  type RoleUser,
  type RoleVersion,
} from './read/authoring.ts'
export type { MomentStretch } from './read/beats.ts'
export { type BeingView, beings, hasFacet } from './read/beings.ts'
export {
  type BudgetView,
  budget,
  budgets,
  budgetsOfChildren,
  type StandardFor,
  standardBudgets,
} from './read/budgets.ts'
export { type Chart, type Charted, chart } from './read/charting.ts'
export { findThreadOf, textOf } from './read/continuing.ts'
export { type Conversation, converse, type ThreadLine } from './read/conversing.ts'
export { erasing } from './read/erasing.ts'
export {
  type FactHappening,
  type FollowRequest,
  type FollowStream,
  follow,
  type Happening,
  type MomentHappening,
} from './read/following.ts'
export { type HealthView, health, ownUse } from './read/health.ts'
export {
  describeInboxEntry,
  INBOX_KINDS,
  type InboxCounts,
  type InboxKind,
  type InboxPage,
  type InboxView,
  inbox,
  inboxCounts,
  inboxPage,
} from './read/inbox.ts'
export { beatsOfMoment, type InspectedMoment, inspectMoment } from './read/inspecting.ts'
export { inspectSpace, type PageOfSpace, type SpaceView } from './read/inspecting-space.ts'
export { type Known, type KnownFrom, whyKnown } from './read/knowing.ts'
export { type Lately, lately, type SpokenTo, type StripMoment, type WaitsFor } from './read/lately.ts'
export { checkFlow, checkRole, registeredRoles } from './read/linting.ts'
export { type MarkedView, markedView } from './read/marked.ts'
export {
  type Called,
  type ExplainedMoment,
  explain,
  type LivedMoment,
  livedMoments,
  type MomentView,
  moments,
  prompt,
  type RebuiltPrompt,
  type WokenBy,
  whyNotRole,
} from './read/moments.ts'
export type { LastMoment, Occupant } from './read/occupants.ts'
export {
  authorizeAllPasts,
  authorizePast,
  isFactOpen,
  mayReadPast,
  type OpenPasts,
  pastsOpenTo,
} from './read/past-access.ts'
export type { Floor, Placing, Spot } from './read/placing.ts'
export {
  type Proposal,
  type ProposedView,
  proposalBeside,
  proposedPage,
  withProposals,
} from './read/proposals.ts'
export { type PublicBeing, publicBeings } from './read/public-beings.ts'
export { type OperationChoice, type ReachView, reach } from './read/reach.ts'
export { type Redteamed, type RedteamRequest, redteam } from './read/redteam/redteam.ts'
export { type PastEntry, type PastMoment, type PastWords, type Retraced, retrace } from './read/retracing.ts'
export { type RoleView, roles } from './read/roles.ts'
export {
  type LivedWords,
  type SaidWords,
  type Searched,
  type SearchRequest,
  search,
} from './read/searching.ts'
export { see } from './read/see.ts'
export { describeSelf, describeWorn, type SelfView } from './read/seeing.ts'
export { type SaidInShadow, type ShadowView, shadowed } from './read/shadowed.ts'
export { type NamespaceView, namespaces, readSignals } from './read/signals.ts'
export { type Speakable, speakable } from './read/speakable.ts'
export { type FailedMoment, type NamedTally, type Spending, spending, type Tally } from './read/spending.ts'
export { BEING_STATES, type BeingState, statesOfSeen } from './read/states.ts'
export { newestMoment, stackChange } from './read/stepping.ts'
export { type StreamRequest, streamWords } from './read/streaming.ts'
export { suggesting, withSuggestion } from './read/suggesting.ts'
export { type SpaceNode, type Surroundings, surroundings } from './read/surroundings.ts'
export {
  type ChannelView,
  conversation,
  type ListedThread,
  type ThreadView,
  thread,
  threads,
  threadsOf,
} from './read/threads.ts'
export { authorizeTrial } from './read/trying.ts'
export { type Uses, usesOf } from './read/uses.ts'
