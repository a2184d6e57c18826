/** The part of this package that needs Postgres alone. A program that only reads loads no Temporal client. */
export { type BeingView, beings } from './beings.ts'
export {
  type ExplainedMoment,
  explain,
  type MomentView,
  moments,
  prompt,
  type RebuiltPrompt,
} from './moments.ts'
export { type RoleView, roles } from './roles.ts'
export { describeSelf, type SelfView, see } from './seeing.ts'
export { type ThreadView, thread, threads } from './threads.ts'
export { issueToken, listTokens, revokeToken, type TokenView } from './tokens.ts'
