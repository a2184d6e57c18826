import { type BeingName, momentsReel, parseMomentId } from '@treeos/core'
import type { BeginInput, BeginResult } from '@treeos/protocol'
import { readerOf, UnknownBeingError } from '@treeos/reality'
import {
  append,
  beginLife,
  type Db,
  digestOf,
  findOpen,
  findOutcomeByNumber,
  listUnfinished,
  type MomentRecord,
  readClock,
  readHeads,
} from '@treeos/store'
import { LAW } from '@treeos/world'
import type { BeatDeps } from './deps.ts'
import { crashPoint } from './guard/crash-point.ts'
import { retellLast } from './live/retell.ts'

/**
 * Takes a generation for this execution chain, and closes moments that an older generation left open. They
 * are skipped as `superseded`, and their wakes can be claimed again.
 * @returns the generation, the number of its first moment, and the last moments before it
 * @throws {UnknownBeingError} when this reality has no such being
 */
export async function begin(deps: BeatDeps, { being, chain }: BeginInput): Promise<BeginResult> {
  const { db, reality } = deps
  if ((await readerOf(deps).being(being)) === null)
    throw new UnknownBeingError(`no being ${being} lives in this reality`)
  const generation = await beginLife(db, reality.id, being, chain)
  crashPoint('begin:after-generation')
  // the first life has no older one
  const unfinishedOnes = generation === 1 ? [] : await listUnfinished(db, being)
  for (const unfinished of unfinishedOnes) {
    if (parseMomentId(unfinished.moment).generation >= generation) continue
    await supersede(deps, being, generation, unfinished)
    crashPoint('begin:after-supersede')
  }
  const [head] = await readHeads(db, reality.id, [momentsReel(being)])
  const n = await firstNumber(db, being, generation, (head?.seq ?? 0) + 1)
  return { generation, n, ...(generation === 1 ? {} : { before: await retellLast(deps, being, n) }) }
}

/**
 * The number of a generation's first moment. Reruns return the same number: a workflow task may die after the
 * first moments were stamped, and then history must record these moments too.
 * @param next number that a new moment would get
 */
async function firstNumber(db: Db, being: BeingName, generation: number, next: number): Promise<number> {
  for (let n = next; ; n--) {
    const before = n > 1 ? await findOutcomeByNumber(db, being, n - 1) : null
    if (before === null || parseMomentId(before.moment).generation < generation) return n
  }
}

async function supersede(
  { db, reality }: BeatDeps,
  being: BeingName,
  generation: number,
  { moment, n }: { moment: string; n: number },
): Promise<void> {
  const open = await findOpen(db, moment)
  const [head] = await readHeads(db, reality.id, [momentsReel(being)])
  if (open === null || head === undefined) throw new Error(`the open record of ${moment} is missing`)
  const sealedAt = Math.max(await readClock(db), open.record.openedAt)
  const record: MomentRecord = {
    v: 1,
    law: LAW,
    being,
    moment,
    n,
    wake: null,
    openedAt: open.record.openedAt,
    sealedAt,
    open: digestOf(open.record),
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
    changes: [],
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
