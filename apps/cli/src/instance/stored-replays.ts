import { stanceOf } from '@treeos/core'
import { replayHours } from '@treeos/local'
import type { ReplayReport, ReplayRequest } from '@treeos/replay'
import {
  findLastReplay,
  readReplayGround,
  recordReplay,
  type StoreDb,
  type StoredReplayRun,
} from '@treeos/store'
import type { Kysely } from 'kysely'
import { messageOf } from '../text/failure.ts'
import type { Output } from '../text/output.ts'

/**
 * Brings Temporal's worker along. The SDK replays each run with one, which would log that it starts and
 * stops. Its native part would print on standard output, beside the answer, why a run does not replay.
 */
export async function loadReplay(): Promise<typeof import('@treeos/replay')> {
  const { DefaultLogger, Runtime } = await import('@temporalio/worker')
  if (!isHushed)
    Runtime.install({
      logger: new DefaultLogger('ERROR'),
      telemetryOptions: { logging: { forward: {} } },
    })
  isHushed = true
  return import('@treeos/replay')
}
/** A process has one runtime. */
let isHushed = false

/** More moments than this are not named in what is kept. */
const DIFFERING_MAX = 20

/** The last replay of all moments, unless another one is due. */
export async function findReplayOfNow(db: Kysely<StoreDb>): Promise<StoredReplayRun | null> {
  const last = await findLastReplay(db)
  return last !== null && last.ageSeconds < replayHours(process.env) * 3600 ? last : null
}

/**
 * Keeps what a replay of all beings finds. A login that may only read keeps nothing, and its replay counts
 * all the same.
 */
export async function recording(
  { db }: { readonly db: Kysely<StoreDb> },
  { beings, from }: ReplayRequest,
  out: Output,
  run: () => Promise<ReplayReport>,
): Promise<ReplayReport> {
  if (beings !== null) return run()
  const ground = await readReplayGround(db)
  const replayed = await run()
  const { moments, mismatches, elsewhere = [] } = replayed
  const differing = mismatches.filter(({ accepted }) => accepted === undefined)
  const places = new Set(differing.map(({ being, n }) => `${stanceOf(being)} ${n}`))
  const found = {
    moments,
    differences: differing.length,
    accepted: mismatches.length - differing.length,
    elsewhere: elsewhere.length,
    differing: [...places].slice(0, DIFFERING_MAX),
  }
  try {
    await recordReplay(db, { ...ground, record: from, ...found })
  } catch (error) {
    out.progress(`what it found is not kept for treeos doctor: ${messageOf(error)}`)
  }
  return replayed
}
