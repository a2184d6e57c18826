/** What people and programs do with a reality: summon, act, answer, and look back. */
export { Archivist, type History, historiesIn, readArchive } from './archive.ts'
export { ringBeing } from './doorbell.ts'
export { Doorbells } from './doorbells.ts'
export { type Gathered, type GatherRequest, gather } from './gathering.ts'
export { type Inhabiting, inhabit, releaseLapsed } from './inhabiting.ts'
export {
  act,
  type Connection,
  type Done,
  type InboxView,
  inbox,
  reply,
  type Summoned,
  type SummonRequest,
  summon,
} from './living.ts'
export {
  type BeingView,
  beings,
  type ExplainedMoment,
  explain,
  type MomentView,
  moments,
  prompt,
  type RebuiltPrompt,
  type RoleView,
  roles,
} from './looking.ts'
export { authorizeActingAs, type Presence } from './persons.ts'
export { bootstrapReality, endExtension, installDelegates, installRoles } from './planting.ts'
export { Recurring } from './recurring.ts'
export { refusalOf } from './refusal.ts'
export { plantScene } from './scenes.ts'
export { Schedules } from './schedules.ts'
export { type Oneself, oneself, see } from './seeing.ts'
export { type ThreadView, thread, threads } from './threads.ts'
export {
  type Bearer,
  bearerOf,
  issueToken,
  listTokens,
  revokeToken,
  type Standing,
  spentTokens,
  standingOf,
  TOKEN_DAYS_MAX,
  type TokenView,
} from './tokens.ts'
