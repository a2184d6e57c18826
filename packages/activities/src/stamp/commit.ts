import type { BeingName, HeadRef, ReelId } from '@treeos/core'
import type { ScheduleRef, StampedMoment, StampInput } from '@treeos/protocol'
import type { LoadedMoment } from '@treeos/reality'
import {
  append,
  type Batch,
  type BeforeStamp,
  type Db,
  digestOf,
  type KeptReading,
  listParkedBy,
  putBlob,
  readBeforeStamp,
} from '@treeos/store'
import type { EffectPending } from '@treeos/world'
import type { BeatDeps } from '../deps.ts'
import { crashPoint } from '../guard/crash-point.ts'
import { unusedOf } from '../model/reservation.ts'
import { LISTENS_MS } from '../moments/next-wakes.ts'
import type { HeldMoment } from '../moments/open-moments.ts'
import { type Built, build } from './build.ts'
import { changedSchedules } from './changed-schedules.ts'
import { continueAfter } from './continue.ts'
import { judge } from './judge.ts'
import { readForStamp } from './read.ts'
import type { Proposal } from './verdict.ts'
import { beingsToRecheck, beingsWithNewBudget, changesStandardBudget } from './whom-to-ring.ts'

/** How one try of a stamp ended. */
export type CommitResult =
  | {
      readonly status: 'stamped'
      readonly stamped: StampedMoment
      readonly ring: readonly BeingName[]
      readonly rescheduled: readonly ScheduleRef[]
      /** a wake without a doorbell may have come after the inbox was counted, and the run does not listen on */
      readonly mayHaveMissed: boolean
    }
  | { readonly status: 'done' }
  | { readonly status: 'stale'; readonly read: ReelId[] }
  | { readonly status: 'superseded'; readonly generation: number }
  /** the lease of the driver has expired */
  | { readonly status: 'unleased' }
  /** other records of the moment are stored than those it was decided from */
  | { readonly status: 'reopened' }
  /** the call waits for its effect; nothing was written */
  | { readonly status: 'effect-pending'; readonly pending: EffectPending }

/** Most beings that a stamp rings because a budget no longer parks them. The sweep rings the others. */
const FREED_MAX = 1000

/** What a try of a stamp starts from. */
export interface Trial {
  readonly opened: LoadedMoment
  /** null when open record and decision are stored */
  readonly held: HeldMoment | null
  /** the world as it was when the moment opened; null: the try reads it as it is now */
  readonly kept: KeptReading | null
}

/** One try of a stamp: read → judge → continue → build → append. The append refuses when a head that was read has moved. */
export async function commit(
  db: Db,
  deps: BeatDeps,
  input: StampInput,
  { opened, held, kept }: Trial,
  proposal: Proposal,
): Promise<CommitResult> {
  const reading = await readForStamp(db, deps, input, opened, kept)
  const verdict = await judge(db, deps, input, proposal, reading)
  // The append checks the heads that an act was decided from. A refusal and a look have no such check, so they are judged again from the present rows.
  if (kept !== null && verdict.kind !== 'act')
    return commit(db, deps, input, { opened, held, kept: null }, proposal)
  if (verdict.kind === 'effect-pending') return { status: 'effect-pending', pending: verdict }
  const continued = await continueAfter(db, input, proposal, verdict, reading)
  deps.memory.stamped.set(input.being, reading.readSet)
  const made = {
    open: held?.digest ?? digestOf(opened.record),
    before: held === null ? await readBeforeStamp(db, input.moment) : beforeOf(held),
    proposal,
    continued,
  }
  const built = await build(deps, input, made, reading)
  for (const spec of continued.verdict.act?.specs ?? []) await putBlob(db, spec)
  crashPoint('stamp:before-append')
  const answer = await append(db, held === null ? built.batch : { ...built.batch, ...unstoredOf(held) })
  if (answer.status === 'appended') crashPoint('stamp:after-append')
  if (answer.status === 'stale') return { status: 'stale', read: [...built.batch.heads.keys()] }
  if (answer.status !== 'appended') return answer
  const freed = await listParkedBy(
    db,
    { budgetsOf: beingsWithNewBudget(built.drafts), standard: changesStandardBudget(built.drafts) },
    FREED_MAX,
  )
  const woken = built.batch.inbox.map((wake) => wake.being)
  return {
    status: 'stamped',
    ring: [...new Set([...woken, ...answer.woken, ...beingsToRecheck(built.drafts), ...freed])],
    rescheduled: changedSchedules(built.drafts),
    stamped: stampedOf(built, answer),
    mayHaveMissed: answer.listened && held?.listens !== true,
  }
}

/** A held moment has asked for no effect: then it would be stored. */
const beforeOf = ({ open }: HeldMoment): BeforeStamp => ({
  basis: new Map((open.basis as unknown as readonly HeadRef[]).map(([reel, seq]) => [reel, seq])),
  effect: null,
})

/** The records of a held moment, which the append stores. */
function unstoredOf({
  open,
  decision,
  reservation,
  listens,
}: HeldMoment): Pick<Batch, 'open' | 'decision' | 'unused' | 'listensMs'> {
  const unused = unusedOf(reservation)
  return {
    open,
    ...(decision === null ? {} : { decision }),
    ...(unused === null ? {} : { unused }),
    ...(listens ? { listensMs: LISTENS_MS } : {}),
  }
}

/** The result for the workflow. */
function stampedOf(
  { record }: Built,
  { recordHash, waiting }: { readonly recordHash: string | null; readonly waiting: number },
): StampedMoment {
  return { kind: record.outcome, reason: record.reason, record: recordHash ?? '', waiting }
}
