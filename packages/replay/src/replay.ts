import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import type { WorkflowBundleOption } from '@temporalio/worker'
import { type BeingName, type Json, parseMomentId, stanceOf, unknownBeing } from '@treeos/core'
import { listArchived } from '@treeos/host'
import {
  type AcceptedDifference,
  digestOf,
  type Erasure,
  listAcceptedDifferences,
  listBeingsWithMoments,
  listErasures,
  listOutcomes,
  listRows,
  type Reality,
  type StoreDb,
  type StoredOutcome,
} from '@treeos/store'
import type { Registry } from '@treeos/world'
import type { Kysely } from 'kysely'
import { type ComparedLess, replayFromChain } from './compare-chain.ts'
import { replayFromTemporal } from './compare-temporal.ts'
import type { Mismatch } from './comparison.ts'
import { PastStates } from './past-states.ts'
import { HistoryReplayer } from './replayer.ts'
import { fetchRuns, type ListedRuns, listRuns, type WorkflowRun } from './temporal-history.ts'
import { mayStillCome } from './unattested-moments.ts'

export interface ReplayRequest {
  /** null: every being of the reality */
  readonly beings: readonly BeingName[] | null
  readonly from: 'chain' | 'temporal' | 'both'
  /** folder of archived histories, for runs that Temporal has deleted */
  readonly archive?: string | null
  /** from `bundleForReplay`, the default */
  readonly bundle?: WorkflowBundleOption
  /** one that is open already, and stays so: to open one takes longer than to replay most beings */
  readonly replayer?: HistoryReplayer
  readonly onProgress?: (line: string) => void
  /** ends it, with the reason of the signal */
  readonly signal?: AbortSignal
}

export interface ReplayReport {
  readonly beings: number
  readonly moments: number
  readonly identical: boolean
  readonly mismatches: readonly Mismatch[]
  /**
   * moments whose prompt an older version wrote: all of such a moment is compared, except the text of its
   * prompt; left out when there are none
   */
  readonly olderPrompts?: number
  /** what was erased, by whom and why; left out when nothing was, and for a replay by Temporal alone */
  readonly erased?: readonly Erasure[]
  /**
   * moments that were compared only as far as what they rest on was not erased; left out when there are none
   */
  readonly partly?: number
  /**
   * moments that other extensions showed the world or judged than are loaded here, and that these show or
   * judge otherwise; left out when there are none
   */
  readonly otherCode?: number
  /**
   * of these moments, what differs here. Extensions of another version or with other settings may differ, or
   * rows that were changed, used and put back: a replay with the extensions of that time tells. Left out when
   * there are none
   */
  readonly elsewhere?: readonly Mismatch[]
  /**
   * moments whose workflow task has not ended, or never will since their run was terminated or failed, so that
   * the chain alone tells of them; left out when there are none, and for a replay from the chain
   */
  readonly unattested?: number
  /**
   * moments that are not attested any more: Temporal has deleted their run after its retention, and the archive
   * does not have it, so that the chain alone tells of them; left out when there are none, and for a replay from
   * the chain
   */
  readonly deleted?: number
}

/**
 * Checks the chain and Temporal's histories against each other. Recomputes every finished moment from the
 * chain, and replays every run in Temporal, those of beings that the chain does not know included. Calls no
 * model and writes nothing.
 * @throws {TreeosError} BEING_NOT_FOUND
 */
export async function replay(
  at: ReplayAt & { readonly temporal: Client | null },
  request: ReplayRequest,
): Promise<ReplayReport> {
  const { temporal } = at
  if (request.from === 'chain' || temporal === null) return replayAll(at, request, null)
  // The first bundle takes seconds. The chain is replayed meanwhile.
  const opening = request.replayer === undefined ? HistoryReplayer.open(request.bundle) : null
  opening?.catch(() => undefined) // whoever needs it first gets the error
  try {
    const replayer = opening ?? Promise.resolve(request.replayer as HistoryReplayer)
    const deletedBefore = Date.now() - (await retentionMsOf(temporal))
    return await replayAll(at, request, { temporal, deletedBefore, replayer })
  } finally {
    await (await opening?.catch(() => null))?.close()
  }
}

async function retentionMsOf({ workflowService, options: { namespace } }: Client): Promise<number> {
  const { config } = await workflowService.describeNamespace({ namespace })
  return Number(config?.workflowExecutionRetentionTtl?.seconds ?? Infinity) * 1000
}

const WHY_LESS = ['olderPrompts', 'partly', 'otherCode'] as const

/**
 * Beings that are replayed at once: one in Temporal's thread, the others from the chain or while their
 * histories come.
 */
const BEINGS_AT_ONCE = 4

interface ReplayAt {
  readonly db: Kysely<StoreDb>
  readonly reality: Reality
  readonly registry: Registry
}
interface Histories {
  readonly temporal: Client
  /** ms since 1970 UTC: Temporal may have deleted runs that closed earlier */
  readonly deletedBefore: number
  readonly replayer: Promise<HistoryReplayer>
}

async function replayAll(
  at: ReplayAt,
  request: ReplayRequest,
  histories: Histories | null,
): Promise<ReplayReport> {
  const { signal, archive = null } = request
  const deps = { db: at.db, registry: at.registry, past: new PastStates(at.db), signal }
  const listed =
    histories === null ? undefined : await listRunsOf(histories.temporal, at.reality, request.beings)
  const attested = histories === null ? [] : [...(listed?.keys() ?? []), ...(await archivedBeings(archive))]
  const names = await beingsOf(at.db, request.beings, attested)
  let moments = 0
  const elsewhere: Mismatch[] = []
  let unattested = 0
  let deleted = 0
  const less: Record<ComparedLess, number> = { olderPrompts: 0, partly: 0, otherCode: 0 }

  async function replayBeing(being: BeingName): Promise<Mismatch[]> {
    signal?.throwIfAborted()
    const outcomes = await listOutcomes(at.db, being)
    if (outcomes.length === 0 && histories === null) return []
    request.onProgress?.(`replaying ${outcomes.length} moments of ${stanceOf(being)}`)
    moments += outcomes.length
    const fromChain = async () => {
      if (request.from === 'temporal') return []
      const replayed = await replayFromChain(deps, being, outcomes)
      for (const why of WHY_LESS) less[why] += replayed[why]
      elsewhere.push(...replayed.elsewhere)
      return replayed.mismatches
    }
    const fromTemporal = async () => {
      if (histories === null) return []
      const compare = (known?: ListedRuns) => compareRuns(at, request, histories, { being, outcomes, known })
      let compared = await compare(listed)
      // A run that began after they were listed.
      if (compared.mismatches.some(({ field }) => field === 'history')) compared = await compare()
      unattested += compared.unattested
      deleted += compared.deleted
      return compared.mismatches
    }
    const mismatches = (await Promise.all([fromChain(), fromTemporal()])).flat()
    return mismatches.length === 0
      ? []
      : withAccepted(mismatches, await listAcceptedDifferences(at.db, being))
  }

  const mismatches = (await mapAtOnce(names, BEINGS_AT_ONCE, replayBeing)).flat()
  const erased = request.from === 'temporal' ? [] : await listErasures(at.db)
  return {
    beings: names.length,
    moments,
    identical: mismatches.length === 0,
    mismatches,
    ...(erased.length === 0 ? {} : { erased }),
    ...(elsewhere.length === 0 ? {} : { elsewhere: elsewhere.sort(byPlace) }),
    ...(unattested === 0 ? {} : { unattested }),
    ...(deleted === 0 ? {} : { deleted }),
    ...Object.fromEntries(Object.entries(less).filter(([, moments]) => moments > 0)),
  }
}

/**
 * Fetches the runs of a being and compares them.
 * @returns the differences, how many moments no history attests, and how many none does any more
 */
async function compareRuns(
  { db, reality }: ReplayAt,
  { archive = null, signal }: ReplayRequest,
  { temporal, deletedBefore, replayer }: Histories,
  of: {
    readonly being: BeingName
    readonly outcomes: readonly StoredOutcome[]
    readonly known: ListedRuns | undefined
  },
): Promise<{ mismatches: Mismatch[]; unattested: number; deleted: number }> {
  const { being, outcomes, known } = of
  const fetch = () => fetchRuns(temporal, reality.name, being, archive, known)
  let unattested = 0
  let deleted = 0
  const runs = await fetchAttesting(outcomes, fetch, signal)
  const mismatches = await replayFromTemporal(await replayer, being, runs, outcomes, {
    readAgain: () => listOutcomes(db, being),
    onUnattested: () => {
      unattested += 1
    },
    deletedBefore,
    onDeleted: () => {
      deleted += 1
    },
  })
  return { mismatches, unattested, deleted }
}

/**
 * Fetches the histories of a being; once more while a workflow task is under way that may attest the last of
 * these outcomes: moments come into history when their task ends.
 */
async function fetchAttesting(
  outcomes: readonly StoredOutcome[],
  fetch: () => Promise<WorkflowRun[]>,
  signal: AbortSignal | undefined,
): Promise<WorkflowRun[]> {
  const until = performance.now() + TASK_MS_MAX
  for (;;) {
    const runs = await fetch()
    if (!mayStillCome(outcomes, runs) || performance.now() > until) return runs
    await sleep(TASK_AGAIN_MS, undefined, { signal })
  }
}
/** A workflow task that takes longer times out, and then it is done again by the next worker. */
const TASK_MS_MAX = 12_000
const TASK_AGAIN_MS = 250

/** Fields of a record that say which stack a moment wore, or follow from it. */
const OF_STACK = new Set(['stack', 'stackDigest', 'surfaceDigest', 'promptDigest'])

/**
 * Says of each stack that differs, and of what follows from it, whether a person accepted just this
 * difference.
 */
function withAccepted(mismatches: readonly Mismatch[], accepted: readonly AcceptedDifference[]): Mismatch[] {
  const byNumber = new Map<number, Mismatch['accepted']>()
  for (const { field, n, from, recorded, ...computed } of mismatches) {
    if (field !== 'stack') continue
    const digests = { recorded: digestOfStack(recorded), given: digestOfStack(computed[from]) }
    const found = accepted.find(
      ({ moment, ...one }) =>
        parseMomentId(moment).n === n && one.recorded === digests.recorded && one.given === digests.given,
    )
    if (found !== undefined) byNumber.set(n, { by: found.by, at: found.at })
  }
  return mismatches.map((mismatch) => {
    const by = OF_STACK.has(mismatch.field) ? byNumber.get(mismatch.n) : undefined
    return by === undefined ? mismatch : { ...mismatch, accepted: by }
  })
}

const digestOfStack = (stack: Json) => (stack === null ? null : digestOf(stack))

const byPlace = (a: Mismatch, b: Mismatch): number =>
  (a.being < b.being ? -1 : Number(a.being > b.being)) || a.n - b.n

/** Maps items with at most `width` under way. @returns the results in the order of the items */
async function mapAtOnce<T, R>(
  items: readonly T[],
  width: number,
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length)
  const rest = items.entries()
  const lane = async () => {
    for (const [i, item] of rest) results[i] = await map(item)
  }
  await Promise.all(Array.from({ length: width }, lane))
  return results
}

/** @param beings null: all of the reality */
async function listRunsOf(
  temporal: Client,
  { name }: Reality,
  beings: readonly BeingName[] | null,
): Promise<ListedRuns> {
  const listed = await Promise.all((beings ?? [null]).map((being) => listRuns(temporal, name, being)))
  return new Map(listed.flatMap((runs) => [...runs]))
}

const archivedBeings = async (archive: string | null) => (archive === null ? [] : listArchived(archive))

/** @param attested beings that Temporal or the archive knows: the chain may have lost them */
async function beingsOf(
  db: Kysely<StoreDb>,
  wanted: readonly BeingName[] | null,
  attested: readonly BeingName[],
): Promise<BeingName[]> {
  const living = (await listRows(db, 'being:')).map((row) => row.key.slice('being:'.length))
  const known = [...new Set([...living, ...(await listBeingsWithMoments(db)), ...attested])]
  const unknown = wanted?.find((being) => !known.includes(being))
  if (unknown !== undefined) throw unknownBeing(unknown)
  return wanted === null ? known.sort() : [...wanted]
}
