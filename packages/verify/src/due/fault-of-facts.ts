/** Compares the facts of a moment with what follows from its decision alone: docs/formats.md, "The facts of an act". */

import type { FactDraft } from '@treeos/core'
import { buildRegistry, COUNTED_KIND, marksFor, OUTSIDE, seed, WORDED } from '@treeos/world'
import { at, isObject, type Json, type JsonObject, same } from '../canonical.ts'
import type { Moment } from '../moment.ts'
import { CallToDerive, type DueInputs } from './call-to-derive.ts'
import { type DueFact, otherThanDue, type WrittenFact } from './due-fact.ts'
import { ENDED_SUBSCRIPTION, FACTS_OF_OPERATIONS, MAY_END_SUBSCRIPTIONS } from './facts-of-operations.ts'
import { factsOfSummon } from './facts-of-summon.ts'

const OWN = buildRegistry([seed])
const isOfTally = ({ reel }: WrittenFact): boolean => reel.startsWith('tally:')

/** In words, why a moment that decided this cannot have written these facts; null where it can. */
export function faultOfFacts(written: readonly WrittenFact[], inputs: DueInputs): string | null {
  const { record, open, decision } = inputs.moment
  if (decision === null) return null // it decided nothing, or that was erased
  const brought = broughtBy(open)
  const own = written.filter((fact) => !isOfTally(fact) && fact.kind !== OUTSIDE)
  const isAct = record.outcome === 'act'
  return (
    faultOfMarks(written) ??
    faultOfCounts(written.filter(isOfTally), inputs.moment) ??
    (isAct || record.outcome === 'waiting' ? faultOfArguments(decision) : null) ??
    (isAct ? faultOfAct(own, brought, inputs) : otherThanDue(own, [...notesOf(inputs.moment, brought)]))
  )
}

/** The approval whose yes woke the moment; null where none did. */
function broughtBy(open: Json): string | null {
  const id = String(at(open, 'wake', 'id'))
  const isBrought = at(open, 'wake', 'kind') === 'event' && id.startsWith('approved/')
  return isBrought ? id.slice('approved/'.length) : null
}

/** Marks follow words on the same reel, and are of the whole row or say where these were written. */
function faultOfMarks(written: readonly WrittenFact[]): string | null {
  const isGone = (reel: string) =>
    written.some((fact) => fact.reel === reel && WORDED.has(fact.kind) && fact.payload === null)
  const due = marksFor(written.filter(({ payload }) => payload !== null) as FactDraft[])
  const isDue = ({ reel, payload }: WrittenFact) =>
    due.some((mark) => {
      const { paths: _at, ...whole } = mark.payload
      return mark.reel === reel && [null, whole, mark.payload].some((one) => same(payload, one as Json))
    })
  const areMarks = written.every((fact) => fact.kind !== OUTSIDE || isGone(fact.reel) || isDue(fact))
  return areMarks ? null : 'it marks something else than where its words are'
}

/** A call is counted by its own arguments. By which of them, the rules say. */
function faultOfCounts(written: readonly WrittenFact[], { record, decision }: Moment): string | null {
  const args = at(decision, 'call', 'args')
  const isAct = record.outcome === 'act'
  const areAmounts = (value: Json | undefined) =>
    isObject(value) && Object.entries(value).every(([name, amount]) => same(at(args, name), amount))
  const fields: DueFact['fields'] = { amounts: areAmounts, ...(isAct ? {} : { failed: true }) }
  const due = written.map(({ reel }): DueFact => ({ reel, kind: COUNTED_KIND, fields }))
  if (written.length > 0 && !isAct && record.effect === undefined) return 'it is counted, and it did nothing'
  return otherThanDue(written, due)
}

/** No operation of TreeOS acts on arguments that it does not take. */
function faultOfArguments(decision: Json): string | null {
  const call = at(decision, 'call') ?? null
  const [verb, operation] = [at(call, 'verb'), String(at(call, 'operation'))]
  const known = verb === 'do' ? OWN.operations : verb === 'be' ? OWN.beOperations : null
  const own = known?.get(operation)
  if (own === undefined) return null
  const args = at(call, 'args')
  try {
    if (!isObject(args)) return `${operation} takes arguments, and its call has none`
    own.requireArgs?.(args as JsonObject)
    return null
  } catch (error) {
    return `${operation} does not take its arguments: ${(error as Error).message}`
  }
}

/** What a moment wrote that did not act. */
function* notesOf({ record, decision }: Moment, brought: string | null): Iterable<DueFact> {
  const breach = at(decision, 'breach')
  if (breach !== undefined) yield { reel: `being:${record.being}`, kind: 'being:parked', fields: { breach } }
  if (record.outcome === 'waiting')
    yield {
      ...{ reel: `approval:${record.moment}`, kind: 'approval:asked', isOpen: true },
      fields: { call: at(decision, 'call') ?? null },
    }
  if (brought === null) return
  const code = record.reason ?? record.outcome ?? null
  yield { reel: `approval:${brought}`, kind: 'approval:voided', fields: { code }, isOptional: true }
}

function faultOfAct(
  written: readonly WrittenFact[],
  brought: string | null,
  inputs: DueInputs,
): string | null {
  const own = brought === null ? written : written.slice(0, -1)
  if (brought !== null) {
    const used = {
      reel: `approval:${brought}`,
      kind: 'approval:used',
      fields: { moment: inputs.moment.record.moment },
    }
    const other = otherThanDue(written.slice(own.length), [used])
    if (other !== null) return other
  }
  const call = new CallToDerive(own, inputs)
  const verb = String(at(call.call, 'verb'))
  const operation = String(at(call.call, 'operation'))
  if (verb === 'summon') return otherThanDue(own, [...factsOfSummon(call)])
  const ofVerb = Object.hasOwn(FACTS_OF_OPERATIONS, verb) ? FACTS_OF_OPERATIONS[verb] : null
  if (ofVerb == null) return otherThanDue(own, [])
  const derive = Object.hasOwn(ofVerb, operation) ? ofVerb[operation] : undefined
  if (derive === undefined) return null // code of an extension says it
  const due = [...derive(call)]
  const more = MAY_END_SUBSCRIPTIONS.includes(operation) ? own.slice(due.length) : []
  const areEnded = more.every(({ reel, ...fact }) => reel.startsWith('being:') && isEnded({ reel, ...fact }))
  return otherThanDue(areEnded ? own.slice(0, own.length - more.length) : own, due)
}

const isEnded = (fact: WrittenFact): boolean => otherThanDue([fact], [ENDED_SUBSCRIPTION]) === null
