import { approvalOf, approvalReel, type Wake } from '@treeos/core'
import type { ApprovalRow } from '@treeos/world'
import { at, isArray, isObject, type Json, same } from '../canonical.ts'
import type { Moment } from '../moment.ts'

/** The reel of the yes that woke a moment; null for any other wake. */
export function yesBroughtBy(open: Json): string | null {
  const wake = at(open, 'wake')
  const brought = isObject(wake) ? approvalOf(wake as unknown as Wake) : null
  return brought === null ? null : approvalReel(brought)
}

/**
 * An operation that asks by itself was done, and no person was asked: nobody but a person makes the call that is its own yes, in its own words. Null where
 * nothing is wrong, or the manifest of its code is not here.
 */
export function faultOfUnasked(
  { record, open, decision }: Moment,
  manifest: Json | undefined,
): string | null {
  const [verb, operation] = [String(at(decision, 'call', 'verb')), String(at(decision, 'call', 'operation'))]
  const ask = at(manifest, 'operations', verb, operation, 'ask')
  if (record.outcome !== 'act' || ask === undefined || yesBroughtBy(open) !== null) return null
  const isPersons = at(open, 'cognition', 'kind') === 'human' && (at(open, 'driver') ?? null) === null
  const isOwn = isPersons && at(open, 'outside') !== true
  return isOwn ? null : `${operation} asks by itself, and its act brought no yes`
}

/**
 * What contradicts the yes that an act brought, by the facts of its reel alone: whose call it was, to which call, and whose yes its record
 * names. That it asked whom the rules ask is for the law.
 */
export function faultOfYes(
  { record, decision }: Moment,
  { id, asker, state, call, given }: ApprovalRow,
): string | null {
  if (record.outcome !== 'act') return null
  if (asker !== record.being || state !== 'given')
    return `the yes ${id} is ${state}, and was asked for by @${asker}`
  if (decision !== null && !same(call as unknown as Json, at(decision, 'call') ?? null))
    return `the yes ${id} is to another call`
  const named = (isArray(record.by) ? record.by : []).filter((text) =>
    String(text).startsWith(`approval ${id}: `),
  )
  const due = given.map(({ by }) => `approval ${id}: @${by}`)
  return same(named, due) ? null : `its record names other persons who said yes than ${due.join(', ')}`
}
