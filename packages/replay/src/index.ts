/** Replay: every moment lived again from the chain, and by Temporal, and both compared with what was recorded. */
export type { Mismatch } from './mismatch.ts'
export { Past } from './past.ts'
export { type Replayed, type ReplayRequest, replay } from './replay.ts'
export { bundleForReplay, HistoryReplayer } from './replayer.ts'
export { replayFromTemporal } from './temporal.ts'
export { fetchRuns, type Run, recordedCommands } from './temporal-history.ts'
export { type Difference, type WhatIfRequest, type WornStack, whatIf } from './what-if.ts'
