import { approvalOf, isWakeId, type WakeRecord } from '@treeos/core'
import { at, type Json } from './canonical.ts'
import { hasForm } from './forms/forms.ts'

/**
 * What is wrong, in words, with what woke a moment; null where nothing is. A person decides by an act of its own, or
 * by the yes to one: else whoever owns the database calls an act of a person something else, and no passkey is asked
 * for. Of a person that was ended nothing is decided, whatever still comes.
 * @param outcome of its record
 */
export function faultOfWake(open: Json, being: string, outcome: Json): string | null {
  if (!hasForm('wake', at(open, 'wake'))) return 'its wake has another form'
  const wake = at(open, 'wake') as unknown as WakeRecord
  if (!isWakeId(wake, being)) return `its wake ${wake.id} is not one that wakes @${being} as a ${wake.kind}`
  const isOver = at(open, 'ended') === true
  if (isOver && outcome === 'act') return 'its being was ended before, and yet it acted'
  const isPersons = at(open, 'cognition', 'kind') === 'human' || (at(open, 'driver') ?? null) !== null
  const isOwn = wake.kind === 'act' || approvalOf(wake) !== null
  if (!isPersons || isOwn || isOver) return null
  return `a person decided it, and its wake ${wake.id} is no act of a person`
}
