import {
  append,
  beginLife,
  digestOf,
  listUnfinished,
  type MomentRecord,
  readClock,
  readHeads,
  readOpen,
  readRows,
} from '@treeos/chain'
import { type BeingName, type Json, momentsReel } from '@treeos/core'
import type { BeginInput, Begun } from './beats.ts'
import { crashPoint } from './crash-point.ts'
import type { BeatDeps } from './deps.ts'
import { UnknownBeingError } from './errors.ts'

/**
 * Takes a generation for this execution chain, and closes what an older life left half done: its open moment is skipped
 * as superseded and its wake is free again.
 * @throws {UnknownBeingError} when no such being lives here
 */
export async function begin(deps: BeatDeps, { being, chain }: BeginInput): Promise<Begun> {
  const { db, reality } = deps
  const [row] = await readRows(db, reality.id, [`being:${being}`])
  if (row?.state == null) throw new UnknownBeingError(`no being ${being} lives in this reality`)
  const generation = await beginLife(db, reality.id, being, chain)
  crashPoint('begin:after-generation')
  for (const unfinished of await listUnfinished(db, being)) {
    if (Number(unfinished.moment.split('/')[1]) >= generation) continue
    await supersede(deps, being, generation, unfinished)
    crashPoint('begin:after-supersede')
  }
  const [head] = await readHeads(db, reality.id, [momentsReel(being)])
  return { generation, n: (head?.seq ?? 0) + 1 }
}

async function supersede(
  { db, reality }: BeatDeps,
  being: BeingName,
  generation: number,
  { moment, n }: { moment: string; n: number },
): Promise<void> {
  const open = await readOpen(db, moment)
  const [head] = await readHeads(db, reality.id, [momentsReel(being)])
  if (open === null || head === undefined) throw new Error(`moment ${moment} was open and is gone`)
  const sealedAt = Math.max(await readClock(db), open.record.openedAt)
  const record: MomentRecord = {
    v: 1,
    being,
    moment,
    n,
    wake: null,
    openedAt: open.record.openedAt,
    sealedAt,
    open: digestOf(open.record as unknown as Json),
    stack: null,
    stackDigest: null,
    surfaceDigest: null,
    promptDigest: null,
    decision: null,
    outcome: 'skipped',
    reason: 'superseded',
    by: [],
    act: null,
    facts: [],
  }
  await append(db, {
    reality: reality.id,
    moment: { id: moment, being, generation },
    heads: new Map([[head.reel, head]]),
    facts: [],
    rows: [],
    inbox: [],
    closes: [],
    outcome: {
      n,
      kind: 'skipped',
      reason: 'superseded',
      detail: null,
      result: null,
      wake: open.record.wake.id,
      sealedAt,
      primaryRole: null,
      record,
    },
  })
}
