/** What people and programs do with a reality: summon, act, answer, inhabit, and look back. */

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
} from './acts.ts'
export { type BeingView, beings } from './beings.ts'
export { ringBeing } from './doorbell.ts'
export { type Gathered, type GatherRequest, gather } from './gathering.ts'
export { type Inhabiting, inhabit } from './inhabiting.ts'
export {
  type ExplainedMoment,
  explain,
  type MomentView,
  moments,
  prompt,
  type RebuiltPrompt,
} from './moments.ts'
export { authorizeActingAs, type Presence } from './persons.ts'
export { Recurring } from './recurring.ts'
export { refusalOf } from './refusal.ts'
export { type RoleView, roles } from './roles.ts'
export { plantScene } from './scenes.ts'
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
