import { t } from '../language/index.ts'
import type { InboxEntry } from './entry.ts'
import { KIND_LABELS, senderOf } from './sender.ts'

/** What entries of an inbox are told apart by. */
export type Facet = 'what' | 'from' | 'role' | 'on' | 'origin'

interface FacetRule {
  readonly label: string
  /** null: an entry has none */
  readonly of: (entry: InboxEntry) => string | null
  /** the text shown for a value that is no name; addresses hold the value itself, in every language */
  readonly words?: Readonly<Record<string, string>>
}

const fieldOf = ({ from, content }: InboxEntry, field: string): unknown =>
  from === null ? ((content ?? {}) as Readonly<Record<string, unknown>>)[field] : undefined

const textOr = (value: unknown): string | null => (typeof value === 'string' ? value : null)

export const FACETS: Readonly<Record<Facet, FacetRule>> = {
  what: {
    label: t('What it is'),
    of: (entry) => (fieldOf(entry, 'event') === 'failure' ? FAILED : entry.kind),
    words: { ...KIND_LABELS, failure: t('failure') },
  },
  from: { label: t('From whom'), of: senderOf },
  role: {
    label: t('In which role'),
    of: (entry) => entry.role ?? textOr((fieldOf(entry, 'roles') as readonly unknown[] | undefined)?.[0]),
  },
  on: { label: t('On what'), of: (entry) => textOr(fieldOf(entry, 'on')) },
  origin: {
    label: t('From where'),
    of: ({ outside }) => (outside === true ? FROM_OUTSIDE : FROM_INSIDE),
    words: { 'from outside': t('from outside'), 'from inside': t('from inside') },
  },
}

export const FAILED = 'failure'
export const FROM_OUTSIDE = 'from outside'
const FROM_INSIDE = 'from inside'

/** The facets that are wanted; those left out may be any. */
export type WantedFacets = Readonly<Partial<Record<Facet, string | undefined>>>

export const hasFacets = (entry: InboxEntry, wanted: WantedFacets): boolean =>
  (Object.keys(wanted) as Facet[]).every(
    (facet) => wanted[facet] === undefined || FACETS[facet].of(entry) === wanted[facet],
  )
