import { type BeingName, type Decision, type MomentId, stanceOf, TreeosError } from '@treeos/core'
import type { Presence } from '@treeos/reality'
import {
  type Db,
  listCosts,
  listDecidedAgain,
  listDecisions,
  listEntries,
  listOpens,
  listOutcomes,
  listOutcomesWithin,
  type MomentCost,
  type OutcomesWanted,
  type StoredOutcome,
} from '@treeos/store'
import { openTo } from '../access/past-access.ts'
import { wordsIn } from '../beings/words.ts'
import { type AroundMoments, describeOutcome, type MomentView } from './moments.ts'

/**
 * Finished moments, oldest first.
 * @param last returns only this many of the newest
 * @param before only those with a smaller number
 */
export async function moments(
  db: Db,
  being: BeingName,
  last?: number,
  before?: number,
): Promise<MomentView[]> {
  const outcomes = await listOutcomes(db, being, last, before)
  const around = await readAround(db, outcomes)
  return outcomes.map((outcome) => describeOutcome(around, outcome))
}

/** A finished moment with what it said and what it cost. */
export interface LivedMoment extends MomentView {
  /** ISO 8601, UTC */
  readonly endedAt: string
  /** the beginning of what it said to another being; null when it said nothing */
  readonly words: string | null
  /** the arguments of what it did, shortened: `euros 18, to ada`; null where it gave none */
  readonly args: string | null
  /** null when no model was asked */
  readonly cost: MomentCost | null
}

const WORDS_MAX = 300
const ARGS_MAX = 120

/** The same with what each said and did, and what it cost. */
export async function livedMoments(
  db: Db,
  being: BeingName,
  last?: number,
  before?: number,
): Promise<LivedMoment[]> {
  return livedOf(db, await listOutcomes(db, being, last, before))
}

async function livedOf(db: Db, outcomes: readonly StoredOutcome[]): Promise<LivedMoment[]> {
  const costs = await listCosts(
    db,
    outcomes.map(({ moment }) => moment),
  )
  const around = await readAround(db, outcomes)
  return outcomes.map((outcome) => ({
    ...describeOutcome(around, outcome),
    endedAt: new Date(outcome.sealedAt).toISOString(),
    words: saidIn(around.decisions.get(outcome.moment)?.decision),
    args: argsIn(around.decisions.get(outcome.moment)?.decision),
    cost: costs.get(outcome.moment) ?? null,
  }))
}

/** A finished moment among those of several beings. */
export interface ListedMoment extends LivedMoment {
  /** stance */
  readonly being: string
  /** id of the moment */
  readonly moment: MomentId
}

/** Finished moments of several beings that fit, the newest ones, oldest first. */
export const momentsWithin = async (db: Db, wanted: OutcomesWanted): Promise<ListedMoment[]> =>
  (await recordedWithin(db, wanted)).map(({ moment }) => moment)

/** The same, each with its record. */
export async function recordedWithin(
  db: Db,
  wanted: OutcomesWanted,
): Promise<{ readonly moment: ListedMoment; readonly record: StoredOutcome['record'] }[]> {
  const outcomes = await listOutcomesWithin(db, wanted)
  const lived = await livedOf(db, outcomes)
  return lived.map((one, i) => {
    const { being, moment, record } = outcomes[i] as StoredOutcome
    return { moment: { being: stanceOf(being), moment, ...one }, record }
  })
}

/** The same as a person may look back, page by page; those newest first are the first page. */
export async function momentsPage(
  at: Presence,
  as: BeingName,
  { after, ...wanted }: Omit<OutcomesWanted, 'of' | 'before'> & { readonly after?: string | undefined },
): Promise<{ readonly items: readonly ListedMoment[]; readonly next: string | null }> {
  const of = await openTo(at, as)
  const before = after === undefined ? undefined : placeIn(after)
  const found = await momentsWithin(at.db, { ...wanted, of, before, limit: wanted.limit + 1 })
  const items = found.slice(-wanted.limit).reverse()
  const oldest = items.at(-1)
  const isWhole = found.length <= wanted.limit || oldest === undefined
  return { items, next: isWhole ? null : `${Date.parse(oldest.endedAt)}:${oldest.moment}` }
}

/** @throws {TreeosError} INVALID_INPUT for a cursor that no page gave */
function placeIn(cursor: string): NonNullable<OutcomesWanted['before']> {
  const [, sealedAt, moment] = /^(\d{1,15}):(\S+)$/.exec(cursor) ?? []
  if (sealedAt !== undefined && moment !== undefined) return { sealedAt: Number(sealedAt), moment }
  throw new TreeosError('INVALID_INPUT', 'cursor: is not one that this list gave')
}

export const describeMoment = async (db: Db, outcome: StoredOutcome): Promise<MomentView> =>
  describeOutcome(await readAround(db, [outcome]), outcome)

/** The same for many moments at once: a page of them is read by as few statements as one. */
async function readAround(db: Db, outcomes: readonly StoredOutcome[]): Promise<AroundMoments> {
  const named = outcomes.map(({ moment }) => moment)
  return {
    opens: await listOpens(db, named),
    decisions: await listDecisions(db, named),
    wakes: await listEntries(
      db,
      outcomes.flatMap(({ wake }) => wake ?? []),
    ),
    again: await listDecidedAgain(
      db,
      outcomes.flatMap(({ kind, moment }) => (kind === 'failure' ? moment : [])),
    ),
  }
}

function saidIn(decision: Decision | undefined): string | null {
  if (decision?.kind !== 'call' || decision.call.verb !== 'summon') return null
  const words = wordsIn(decision.call.content)
  return (typeof words === 'string' ? words : JSON.stringify(words)).slice(0, WORDS_MAX).toWellFormed()
}

function argsIn(decision: Decision | undefined): string | null {
  if (decision?.kind !== 'call' || !('args' in decision.call)) return null
  const given = Object.entries(decision.call.args).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return given.length === 0 ? null : cutArgs(given.join(', '))
}

const cutArgs = (text: string): string =>
  text.length <= ARGS_MAX ? text : `${text.slice(0, ARGS_MAX).toWellFormed()} …`
