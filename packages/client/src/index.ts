/** What people and programs do with a reality: summon, act, answer, inhabit, and read past moments. */

// Parts of what is answered here.
export type { Lint } from '@treeos/roles'
export type { Catalogs, ShadowVerdict, Surface } from '@treeos/world'
export {
  ACTS_PER_MINUTE,
  actPace,
  actsPerMinuteIn,
  pace,
  trialCallsIn,
  trialPace,
} from './access/pace.ts'
export * from './records.ts'
export {
  type Inhabitation,
  inhabit,
  keepLease,
  type LeaseRef,
  mayActAs,
  releaseLease,
  takeLease,
} from './seats/inhabitation.ts'
export { RecurringWork } from './seats/recurring-work.ts'
export { type ErrorListener, Seat, type SeatBearer, type SeatBounds } from './seats/seat.ts'
export { type ActResult, act } from './summons/act.ts'
export {
  type ActToSign,
  actChallenge,
  passkeysOf,
  type SignAct,
  signedCorrelation,
} from './summons/act-challenge.ts'
export { hearingAnswer } from './summons/answer-words.ts'
export type { Connection } from './summons/connection.ts'
export { ringBeing, ringUnlessListening } from './summons/doorbell.ts'
export { type FileInput, giveFile, giveFiles, type KeptFile, readKeptFile } from './summons/files.ts'
export { type GatherRequest, type GatherResult, gather } from './summons/gathered-replies.ts'
export { refusalOf } from './summons/refusal.ts'
export { reply } from './summons/reply.ts'
export { plantChangedScene, plantScene, withModel } from './summons/scenes.ts'
export { type SummonRequest, type SummonResult, summon } from './summons/summon.ts'
export { type InvokeRequest, invoke, type TaskRequest, type TaskResult, task } from './summons/tasks.ts'
