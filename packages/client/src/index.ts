/** What people and programs do with a reality: summon, act, answer, inhabit, and read past moments. */

export {
  ACTS_PER_MINUTE,
  actPace,
  actsPerMinuteIn,
  pace,
  trialCallsIn,
  trialPace,
} from './access/pace.ts'
export {
  type ActResult,
  act,
  type Connection,
  reply,
  type SummonRequest,
  type SummonResult,
  summon,
} from './act/acts.ts'
export { ringBeing, ringUnlessListening } from './act/doorbell.ts'
export { type GatherRequest, type GatherResult, gather } from './act/gathering.ts'
export {
  type Inhabitation,
  inhabit,
  keepLease,
  type LeaseRef,
  mayActAs,
  releaseLease,
  takeLease,
} from './act/inhabiting.ts'
export { Recurring } from './act/recurring.ts'
export { refusalOf } from './act/refusal.ts'
export { plantChangedScene, plantScene } from './act/scenes.ts'
export { type ErrorListener, Seat, type SeatBounds } from './act/seat.ts'
export { type ActToSign, actChallenge, passkeysOf, type SignAct, signedCorrelation } from './act/signing.ts'
export { type Dispatched, type InvokeRequest, invoke, type TaskRequest, task } from './act/tasks.ts'
export * from './records.ts'
