/** The part of this package that needs Postgres alone. A program that only reads loads no Temporal client. */

export { type JournalListener, listenToJournal, type Saying, type Watch, type Words } from '@treeos/store'
export { deleteOverlay, type OverlayView, overlays, setOverlay } from './access/overlays.ts'
export { personsUnder } from './access/people.ts'
export { issueToken, listTokens, revokeToken, type TokenView } from './access/tokens.ts'
export { type Cancelled, type CancelRequest, cancel } from './act/cancelling.ts'
export { type BeingView, beings, hasFacet } from './read/beings.ts'
export {
  type BudgetView,
  budget,
  budgets,
  budgetsOfChildren,
  type StandardFor,
  standardBudgets,
} from './read/budgets.ts'
export { type Followed, type FollowRequest, follow, type Happening } from './read/following.ts'
export { type InspectedMoment, inspectMoment } from './read/inspecting.ts'
export { registeredRoles } from './read/linting.ts'
export {
  type ExplainedMoment,
  explain,
  type MomentView,
  moments,
  prompt,
  type RebuiltPrompt,
  whyNotRole,
} from './read/moments.ts'
export { type RoleView, roles } from './read/roles.ts'
export { describeSelf, type SelfView, see } from './read/seeing.ts'
export { type NamespaceView, namespaces, signals } from './read/signals.ts'
export { newestMoment, stackChange } from './read/stepping.ts'
export { type ChannelView, conversation, type ThreadView, thread, threads } from './read/threads.ts'
export { type WatchRequest, watch } from './read/watching.ts'
