import type { SearchResult } from '@treeos/client'
import type { ActingOptions, Cli } from '../cli.ts'
import { SEARCH } from '../served/past.ts'
import { serve } from '../served/serve.ts'
import { shownSearched } from '../show/search.ts'
import { type Cell, nameCell } from '../text/csv.ts'
import { requireStance, wholeNumber } from '../text/input.ts'
import {
  boundsOf,
  type Columns,
  isAmong,
  isWithin,
  type ListingBounds,
  type ListingOptions,
  listsActs,
  tellListed,
} from './shared/list-options.ts'

interface SearchOptions extends ActingOptions, ListingOptions {
  readonly last: number
}

const FOUND = 20
const FOUND_MAX = 200

/** What was said or done with the words. */
interface FoundAct {
  readonly kind: 'said' | 'moment'
  readonly at: string
  /** a stance: who spoke or lived it; null where nobody spoke */
  readonly by: string | null
  readonly to: string | null
  readonly thread: Cell
  readonly n: number | null
  readonly outcome: Cell
  readonly words: string
}

const COLUMNS: Columns<FoundAct> = {
  kind: ({ kind }) => kind,
  at: ({ at }) => at,
  by: ({ by }) => nameCell(by),
  to: ({ to }) => nameCell(to),
  thread: ({ thread }) => thread,
  n: ({ n }) => n,
  outcome: ({ outcome }) => outcome,
  words: ({ words }) => words,
}

const actsIn = ({ said, moments }: SearchResult): FoundAct[] => [
  ...said.map(({ at, from, to, thread, n, words }) => {
    return { kind: 'said' as const, at, by: from, to, thread, n, outcome: null, words }
  }),
  ...moments.map(({ at, being, n, outcome, words }) => {
    return { kind: 'moment' as const, at, by: being, to: null, thread: null, n, outcome, words }
  }),
]

/** Of a period or of somebody there are acts alone: a name of a place is of no time. */
function bounded(found: SearchResult, bounds: ListingBounds, last: number): SearchResult {
  if (Object.values(bounds).every((bound) => bound === undefined)) return found
  const said = found.said.filter(({ at, from, to }) => isWithin(bounds, at) && isAmong(bounds, [from, to]))
  const moments = found.moments.filter(({ at, being }) => isWithin(bounds, at) && isAmong(bounds, [being]))
  const some = { said: said.slice(0, last), moments: moments.slice(0, last) }
  return { beings: [], spaces: [], roles: [], ...some }
}

/** `treeos search`: what a being may read that holds some words. */
export function addSearch(cli: Cli): void {
  listsActs(
    cli
      .asBeing('search <text>', 'search beings, spaces and roles, and what was said and done')
      .option('--last <n>', 'at most this many of each', wholeNumber('--last', 1, FOUND_MAX), FOUND),
    'search',
  ).action(
    cli.run(async (out, text: string, options: SearchOptions) => {
      const as = requireStance(options.as)
      const bounds = boundsOf(options, as)
      const isBounded = Object.values(bounds).some((bound) => bound !== undefined)
      const limit = isBounded ? FOUND_MAX : options.last
      const found = bounded(await serve(options, SEARCH, { as, text, limit }), bounds, options.last)
      tellListed(out, options, actsIn(found), COLUMNS, () => out.value(found, shownSearched))
    }),
  )
}
