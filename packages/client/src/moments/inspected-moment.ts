import { type BeingName, type Decision, type FactRef, type Json, TreeosError, type Wake } from '@treeos/core'
import { contentHeard, findMoment } from '@treeos/reality'
import {
  costOf,
  findDecision,
  findEntry,
  listFactsAt,
  listFactsOfMoment,
  listFaults,
  listModelAttempts,
  type MomentCost,
  requireOutcome,
  type StoredOutcome,
} from '@treeos/store'
import { toldContent, toldText } from '@treeos/world'
import type { PastReader } from '../access/past-reader.ts'
import type { SeeConnection } from '../beings/being-snapshot.ts'
import { beatsOf, type MomentStretch } from './beats.ts'
import { type ExplainedMoment, explain } from './explained-moment.ts'
import { type Layer, layersOf } from './layers.ts'
import { describeMoment } from './lived-moments.ts'
import type { MomentView } from './moments.ts'
import { prompt, type RebuiltPrompt } from './rebuilt-prompt.ts'

/** All that is recorded of one moment. */
export interface InspectedMoment {
  readonly moment: MomentView
  /** what the wake said; null when it has none, or it is gone */
  readonly wake: Json
  /** the same in plain words; empty where the wake is null */
  readonly wakeText: string
  /** null for a moment that was never opened */
  readonly explained: ExplainedMoment | null
  /** null when it wore no role */
  readonly prompt: RebuiltPrompt | null
  /** the parts of the prompt's system text, in order */
  readonly layers: readonly Layer[]
  readonly decision: Decision | null
  readonly facts: readonly (FactRef & { readonly payload: Json })[]
  /** null when no model was asked */
  readonly cost: MomentCost | null
}

/**
 * Everything about one past moment.
 * @param reader null: whoever may read the database
 * @throws {TreeosError} MOMENT_NOT_FOUND
 */
export async function inspectMoment(
  { db, registry }: Pick<SeeConnection, 'db' | 'registry'>,
  being: BeingName,
  n: number,
  reader: PastReader | null = null,
): Promise<InspectedMoment> {
  const outcome = await requireOutcome(db, being, n)
  const rebuilt = await prompt(db, registry, being, n).catch(nullIfNotFound)
  const refs = await listFactsOfMoment(db, outcome.moment)
  const payloads = await listFactsAt(db, refs)
  const heard = await heardIn(db, outcome)
  return {
    moment: await describeMoment(db, outcome),
    wake: heard?.content ?? null,
    wakeText: heard === null ? '' : toldText(heard, being),
    explained: await explain(db, being, n, reader).catch(nullIfNotFound),
    prompt: rebuilt,
    layers: rebuilt === null ? [] : layersOf(rebuilt.system),
    decision: (await findDecision(db, outcome.moment))?.decision ?? null,
    facts: refs.map((ref, i) => ({ ...ref, payload: payloads[i]?.payload ?? null })),
    cost: await costOf(db, outcome.moment),
  }
}

/** What took how long in one past moment. @throws {TreeosError} MOMENT_NOT_FOUND */
export async function beatsOfMoment(
  { db }: Pick<SeeConnection, 'db'>,
  being: BeingName,
  n: number,
): Promise<MomentStretch[]> {
  const { moment, wake, sealedAt, record } = await requireOutcome(db, being, n)
  const entry = wake === null ? null : await findEntry(db, wake)
  const [attempts, faults] = [await listModelAttempts(db, moment), await listFaults(db, moment)]
  return beatsOf({ cameAt: entry?.at ?? null, openedAt: record.openedAt, sealedAt, attempts, faults })
}

/** What woke the moment, as its being heard it. */
async function heardIn(
  db: SeeConnection['db'],
  { moment, wake }: StoredOutcome,
): Promise<{ readonly wake: Wake; readonly content: Json } | null> {
  const opened = await findMoment(db, moment)
  const entry = opened?.wake ?? (wake === null ? null : await findEntry(db, wake))
  if (entry === null) return null
  const content =
    opened === null ? toldContent(entry) : contentHeard(opened.noted, opened.face, entry.content)
  return { wake: entry, content }
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof TreeosError && error.code === 'MOMENT_NOT_FOUND') return null
  throw error
}
