/** The part of this package that needs Postgres alone. A program that only reads loads no Temporal client. */

export { checkCommitment } from '@treeos/overlay'
export { authorizeActingAs, type Presence } from '@treeos/reality'
export {
  type JournalListener,
  listenToJournal,
  type WordNotice,
  type WordPiece,
  type WordStream,
} from '@treeos/store'
export { callSentence, spokenText } from '@treeos/world'
export { instanceSecret } from './access/instance-secrets.ts'
export {
  authorizeAllPasts,
  authorizePast,
  isFactOpen,
  mayReadPast,
  type OpenPasts,
  pastsOpenTo,
} from './access/past-access.ts'
export { maySeePlace, type PastReader, pastReader } from './access/past-reader.ts'
export { personsUnder } from './access/people.ts'
export {
  type Authorization,
  authorizeGrant,
  endOwnToken,
  findOwnToken,
  issueToken,
  issueTokenFor,
  isTokenSecret,
  listTokens,
  personFor,
  requireOwn,
  requireToken,
  revokeToken,
  TOKEN_DAYS_MAX,
  type TokenGrant,
  type TokenView,
  tokensPage,
  type VerifiedToken,
  verifyToken,
} from './access/tokens.ts'
export { see } from './addresses/see.ts'
export { type SpeakableBeing, speakable } from './addresses/speakable.ts'
export { suggesting, withSuggestion } from './addresses/suggestion.ts'
export { type ApprovalView, approvals, approvalsPage } from './approvals/approvals.ts'
export { type MarkedView, markedView } from './approvals/marked-views.ts'
export {
  type Proposal,
  type ProposedView,
  proposalWith,
  proposedPage,
  withProposals,
} from './approvals/proposals.ts'
export { type HoldView, holds } from './audit/holds.ts'
export { type CheckpointedReport, type PeriodReport, periodReport } from './audit/period-report.ts'
export { type PersonDataItem, type PersonDataPage, personData } from './audit/person-data.ts'
export { describeSelf, describeWorn, type SelfView } from './beings/being-snapshot.ts'
export { type BeingView, beings, beingsSeen, hasRole } from './beings/beings.ts'
export { takesChatTasks } from './beings/chat-tasks.ts'
export { type PublicBeing, publicBeings } from './beings/public-beings.ts'
export { type OperationChoice, type ReachView, reach } from './beings/reach.ts'
export { BEING_STATES, type BeingState, statesOfSeen } from './beings/states.ts'
export { type Uses, usesOf } from './beings/uses.ts'
export { type CloseRequest, closeInbox } from './inbox/closed-entries.ts'
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
} from './inbox/inbox.ts'
export type { MomentStretch } from './moments/beats.ts'
export { erasing } from './moments/erasure-call.ts'
export { type ExplainedMoment, explain, type WhyNotRole, whyNotRole } from './moments/explained-moment.ts'
export {
  type FactHappening,
  type FollowRequest,
  type FollowStream,
  follow,
  type Happening,
  type MomentHappening,
} from './moments/happenings.ts'
export { beatsOfMoment, type InspectedMoment, inspectMoment } from './moments/inspected-moment.ts'
export {
  lately,
  type RecentActivity,
  type SpokenTo,
  type StripMoment,
  type WaitsFor,
} from './moments/lately.ts'
export {
  type ListedMoment,
  type LivedMoment,
  livedMoments,
  moments,
  momentsPage,
  momentsWithin,
} from './moments/lived-moments.ts'
export type { MadeCall, MomentView, WokenBy } from './moments/moments.ts'
export { prompt, type RebuiltPrompt, recordedPrompt } from './moments/rebuilt-prompt.ts'
export {
  type PastEntries,
  type PastEntry,
  type PastWords,
  type RetracedMoment,
  retrace,
} from './moments/retraced-moment.ts'
export { newestMoment, stackChange } from './moments/stack-change.ts'
export { type KnownFrom, type TextSources, whyKnown } from './moments/text-sources.ts'
export { type StreamRequest, streamWords } from './moments/word-stream.ts'
export {
  deleteOverlay,
  type OverlayRequest,
  type OverlayView,
  overlays,
  setOverlay,
} from './overlays/overlay-settings.ts'
export {
  type OverlayConnection,
  putOverlay,
  setThreadOverlay,
  threadOverlays,
} from './overlays/thread-overlays.ts'
export { type RedteamRequest, type RedteamResult, redteam } from './redteam/redteam.ts'
export {
  type AuthoringCatalog,
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
  readableRoles,
} from './roles/authoring-catalog.ts'
export { checkFlow, checkRole, registeredRoles } from './roles/lint-checks.ts'
export { listOperations, type OperationView } from './roles/operations.ts'
export { type RoleView, roles } from './roles/roles.ts'
export { authorizeTrial } from './roles/trial-reach.ts'
export { type Chart, type ChartEntry, chart } from './spaces/chart.ts'
export type { LastMoment, Occupant } from './spaces/occupants.ts'
export type { Floor, PlaceChange, Spot } from './spaces/place-change.ts'
export { type SaidInShadow, type ShadowView, shadowed } from './spaces/shadow-views.ts'
export { type NamespaceView, namespaces, readSignals } from './spaces/signals.ts'
export { inspectSpace, type PageOfSpace, type SpaceView } from './spaces/space-view.ts'
export { type SpaceNode, type Surroundings, surroundings } from './spaces/surroundings.ts'
export {
  type BudgetView,
  budget,
  budgets,
  budgetsOfChildren,
  type StandardFor,
  standardBudgets,
} from './spending/budgets.ts'
export { type HealthView, health, ownUse } from './spending/health.ts'
export {
  type FailedMoment,
  type NamedTally,
  type SpendingReport,
  spending,
  type Tally,
} from './spending/spending.ts'
export { type AnswerState, answerTo } from './summons/answers.ts'
export { type CancelledCall, type CancelRequest, cancel } from './summons/cancellation.ts'
export { findKeyed } from './summons/request-keys.ts'
export { asksBack } from './threads/asks-back.ts'
export { contentText, findThreadOf } from './threads/continued-thread.ts'
export { type Conversation, converse, type ThreadLine } from './threads/conversation.ts'
export {
  type ChannelView,
  conversation,
  type SpokenLine,
  type SpokenThread,
  spokenThread,
  threadInChannel,
} from './threads/spoken-thread.ts'
export {
  type ListedThread,
  type OwedQuestion,
  type ThreadView,
  thread,
  threads,
  threadsOf,
} from './threads/threads.ts'
export {
  type LivedWords,
  type SaidWords,
  type SearchRequest,
  type SearchResult,
  search,
} from './threads/word-search.ts'
