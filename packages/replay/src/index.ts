/**
 * Replay: recomputes every moment from the chain, replays it in Temporal, and compares both with the records.
 */

export { replayFromTemporal } from './compare-temporal.ts'
export type { Mismatch } from './comparison.ts'
export { locateMoment, type MomentPlace } from './locate.ts'
export { PastStates } from './past-states.ts'
export { type ReplayReport, type ReplayRequest, replay } from './replay.ts'
export { bundleForReplay, HistoryReplayer } from './replayer.ts'
export { fetchRuns, listRuns, recordedCommands, type WorkflowRun } from './temporal-history.ts'
export { leftByOpenTasks } from './unattested-moments.ts'
export { compareFlow, type Difference, type WhatIfRequest, type WornStack, whatIf } from './what-if.ts'
export { type RuledOtherwise, type WhatIfRules, whatIfRules } from './what-if-rules.ts'
export { whyNotAct } from './why-not.ts'
