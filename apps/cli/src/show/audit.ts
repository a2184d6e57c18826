import type { HoldView, PersonDataItem } from '@treeos/client'
import { oneLine, table } from '../text/output.ts'
import { timeOf } from './parts.ts'

export function shownHolds(holds: readonly HoldView[]): string {
  if (holds.length === 0) return 'nothing is under a legal hold'
  return table(holds.map(({ on, name, at, by, why }) => [on, name, timeOf(at), by, oneLine(why)]))
}

interface PersonSummary {
  readonly person: string
  readonly facts: number
  readonly moments: number
  readonly held: readonly string[]
  /** where it was written; left out where it was listed */
  readonly file?: string
  readonly items?: readonly PersonDataItem[]
}

export function shownPersonData({ person, facts, moments, held, file, items }: PersonSummary): string {
  const sum = `${facts} facts and ${moments} moments concern ${person}`
  return [
    ...(items === undefined || items.length === 0
      ? []
      : [
          table(
            items.map(({ at, id, what, by, state, hold }) => [
              timeOf(at),
              id,
              what,
              by,
              hold === undefined ? state : `${state}, held`,
            ]),
          ),
        ]),
    file === undefined ? sum : `${file}: ${sum}`,
    ...held.map((hold) => `under the hold ${hold}`),
  ].join('\n')
}

export const shownPersonErased = (told: {
  readonly person: string
  readonly erased: readonly string[]
  readonly kept: readonly { readonly id: string; readonly what: string; readonly why: string }[]
}): string =>
  [
    `${told.erased.length} items of ${told.person} erased, ${told.kept.length} kept`,
    ...told.kept.map(({ id, what, why }) => `${id} (${what}): ${oneLine(why)}`),
  ].join('\n')

export const shownReported = ({
  file,
  ...counts
}: { readonly file: string } & Readonly<Record<string, unknown>>): string =>
  [file, ...Object.entries(counts).map(([name, count]) => `  ${name}: ${count}`)].join('\n')
