import type { BeingName, Decision } from '@treeos/core'
import {
  type Db,
  listCosts,
  listDecidedAgain,
  listDecisions,
  listEntries,
  listOpens,
  listOutcomes,
  type MomentCost,
  type StoredOutcome,
} from '@treeos/store'
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
  /** null when no model was asked */
  readonly cost: MomentCost | null
}

const WORDS_MAX = 300

/** The same with what each said and what it cost. */
export async function livedMoments(
  db: Db,
  being: BeingName,
  last?: number,
  before?: number,
): Promise<LivedMoment[]> {
  const outcomes = await listOutcomes(db, being, last, before)
  const costs = await listCosts(
    db,
    outcomes.map(({ moment }) => moment),
  )
  const around = await readAround(db, outcomes)
  return outcomes.map((outcome) => ({
    ...describeOutcome(around, outcome),
    endedAt: new Date(outcome.sealedAt).toISOString(),
    words: saidIn(around.decisions.get(outcome.moment)?.decision),
    cost: costs.get(outcome.moment) ?? null,
  }))
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
