import { stanceOf } from '@treeos/core'
import type { RealityDifference } from '@treeos/proofs'
import type { ForkedInstance } from '../instance/forks.ts'
import { oneLine } from '../text/output.ts'
import { programName } from '../text/program-name.ts'
import { short } from './parts.ts'

/** @param data its folder, as a word of a shell */
export function shownForked(
  { reality, at, facts, moments, waiting, ok }: ForkedInstance,
  data: string,
): string {
  return [
    `made the reality ${reality}, which shares ${facts} facts and ${moments} moments up to moment ${at.n} of ${stanceOf(at.being)}`,
    `${waiting} ${waiting === 1 ? 'wake waits' : 'wakes wait'} in it; its chains are ${ok ? 'unbroken' : 'BROKEN'}`,
    `Try   ${programName()} up --detach --data ${data}`,
  ].join('\n')
}

export const shownDiscarded = ({ discarded }: { readonly discarded: string }): string =>
  `deleted the fork ${discarded}`

/** One line for each difference. */
export function shownDifferent(difference: RealityDifference): string {
  if (difference.what === 'moment') {
    const { being, n, differs, a, b } = difference
    if (a === null || b === null)
      return oneLine(`moment ${stanceOf(being)} ${n}: only in ${a === null ? 'the second' : 'the first'}`)
    const parts = differs.map((field) => `${field} ${shortly(a[field])} and ${shortly(b[field])}`)
    return oneLine(`moment ${stanceOf(being)} ${n}: ${parts.join(', ')}`)
  }
  const { a, b } = difference
  const where =
    difference.what === 'reel' ? `reel ${difference.reel} from ${difference.seq}` : `row ${difference.key}`
  if (a === null || b === null) return oneLine(`${where}: only in ${a === null ? 'the second' : 'the first'}`)
  return oneLine(`${where}: ${shortly(a)} and ${shortly(b)}`)
}

const shortly = (value: string | null): string => (value === null ? 'none' : short(value))
