/** What people and programs do with a reality: summon, act, answer, inhabit, and read past moments. */

export {
  type ActResult,
  act,
  type Connection,
  reply,
  type SummonRequest,
  type SummonResult,
  summon,
} from './acts.ts'
export { type BeingView, beings } from './beings.ts'
export { ringBeing } from './doorbell.ts'
export { type GatherRequest, type GatherResult, gather } from './gathering.ts'
export { type InboxView, inbox } from './inbox.ts'
export { type Inhabitation, inhabit } from './inhabiting.ts'
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
export { describeSelf, type SelfView, see } from './seeing.ts'
export { type ThreadView, thread, threads } from './threads.ts'
export {
  type Authorization,
  authorizeGrant,
  endedTokens,
  issueToken,
  listTokens,
  revokeToken,
  TOKEN_DAYS_MAX,
  type TokenGrant,
  type TokenView,
  verifyToken,
} from './tokens.ts'
