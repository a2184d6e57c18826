/** The HTTP API of a reality, for programs in TypeScript and JavaScript. */

export type { components, operations, paths } from './generated/schema.ts'
export { Problem } from './problem.ts'
export {
  type AccessOptions,
  type AnswerEvent,
  answerOf,
  type FollowOptions,
  type JournalEvent,
  type LeaseEvent,
  pagesOf,
  type ReplayEvent,
  Treeos,
  type TrialEvent,
} from './treeos.ts'
