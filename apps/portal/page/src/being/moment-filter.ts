import type { LivedMoment } from '@treeos/client'
import { endedAs } from '../words/end-words.ts'

type FilteredMoment = Pick<
  LivedMoment,
  'outcome' | 'primary' | 'stacked' | 'words' | 'args' | 'did' | 'cost'
> & {
  readonly message?: string | undefined
  readonly reason?: string | undefined
}

/** Which moments of a being are shown; an empty text asks for all. */
export interface MomentFilter {
  readonly outcome: string
  readonly role: string
  /** tokens that it cost at least */
  readonly cost: string
  readonly words: string
}
export const ALL_MOMENTS: MomentFilter = { outcome: '', role: '', cost: '', words: '' }

export const isFiltered = (filter: MomentFilter): boolean => Object.values(filter).some((one) => one !== '')

/** @returns those that fit, in their order. Words are looked for in what was said, done and told of a failure */
export function filterMoments<M extends FilteredMoment>(moments: readonly M[], filter: MomentFilter): M[] {
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean)
  return moments.filter((moment) => {
    const text = textOf(moment)
    return (
      (filter.outcome === '' || moment.outcome === filter.outcome) &&
      (filter.role === '' || rolesOf(moment).includes(filter.role)) &&
      (filter.cost === '' || (moment.cost?.tokens ?? 0) >= Number(filter.cost)) &&
      words.every((word) => text.includes(word))
    )
  })
}

const rolesOf = ({ primary, stacked }: FilteredMoment): string[] => [
  ...(primary === null ? [] : [primary]),
  ...stacked,
]

const textOf = ({ words, args, did, message, reason }: FilteredMoment): string =>
  [words, args, did?.verb, did?.operation, did?.target, message, reason].join(' ').toLowerCase()

/** What there is to choose from. */
export const choicesIn = (moments: readonly FilteredMoment[]) => ({
  outcomes: [...new Set(moments.map(({ outcome }) => outcome))].map((value) => ({
    value,
    label: endedAs(value).words,
  })),
  roles: [...new Set(moments.flatMap(rolesOf))].sort(),
})
