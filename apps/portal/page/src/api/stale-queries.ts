import type { QueryKey } from '@tanstack/react-query'

/** Queries that ask for something which may be another by now. */
export interface StaleQueries {
  /** they begin so */
  readonly key: QueryKey
  /** only the one with this key */
  readonly exact?: true
  /** only threads in which this being takes part */
  readonly of?: string
}

/** As much of an event of the server as says what it changes. */
export interface ChangeEvent {
  readonly being?: string
  readonly woke?: { readonly thread: string } | null
  readonly did?: { readonly target?: string } | null
  readonly reel?: string
  readonly kind?: string
  readonly payload?: unknown
}

/**
 * Of what lists show, a moment may change a line of any: its being has a state and last words. They are asked
 * for whole, at a pace.
 */
const STALE_LISTS: readonly StaleQueries[] = [
  { key: ['space'] },
  { key: ['map'] },
  { key: ['record'] },
  { key: ['health'] },
  { key: ['spending'] },
  { key: ['threads'], exact: true },
  { key: ['inbox', 'counts'] },
]

/** A moment changes its being, whom it spoke to, and their threads. */
function staleByMoment({ being = '', woke, did }: ChangeEvent): StaleQueries[] {
  const target = did?.target?.startsWith('@') === true ? did.target.slice(1) : null
  const [, thread] = /^thread:(.+)$/.exec(did?.target ?? '') ?? []
  return [
    ...STALE_LISTS,
    { key: ['moments', being] },
    ...[being, ...(target === null ? [] : [target])].flatMap((name): StaleQueries[] => [
      { key: ['being', name] },
      { key: ['threads', name] },
    ]),
    ...(woke == null ? [] : [{ key: ['thread', woke.thread] }]),
    ...(thread === undefined ? [] : [{ key: ['thread', thread] }]),
    // A person's act is a thread of its own, also when it speaks in another one.
    { key: ['thread'], of: `@${being}` },
  ]
}

/** Facts of one kind, of which there are few, so that large lists are not asked for at every fact. */
const BY_KIND: Readonly<Record<string, readonly string[]>> = {
  'role:set': ['roles', 'role'],
  'role:deleted': ['roles', 'role'],
  'being:born': ['roles'],
  'being:flow': ['flow', 'role'],
  'signal:published': ['signals'],
}
const OF_ROWS = ['world', 'space', 'map', 'record', 'session']
/** It changes no row: the moment of it says the rest. */
const SPEECH = 'being:summoned'

function staleByFact({ reel = '', kind = '', payload }: ChangeEvent): StaleQueries[] {
  if (kind === SPEECH) return [{ key: ['record'] }]
  const [of, name = ''] = reel.split(/[:/]/, 2)
  const isOfBeing = of === 'being' || of === 'approval'
  return [
    ...[...OF_ROWS, ...(BY_KIND[kindOfFact(kind, payload)] ?? [])].map((word) => ({ key: [word] })),
    { key: isOfBeing ? ['being', name] : ['being'] },
  ]
}

/** A flow is one quality of many, so it counts as a kind of its own. */
function kindOfFact(kind: string, payload: unknown): string {
  if (kind !== 'quality:set') return kind
  const { path } = (payload ?? {}) as { readonly path?: unknown }
  return Array.isArray(path) && path[0] === 'roleFlow' ? 'being:flow' : ''
}

/** What an event makes stale. */
export function staleBy(event: string, happened: ChangeEvent): readonly StaleQueries[] {
  if (event === 'moment') return staleByMoment(happened)
  return event === 'fact' ? staleByFact(happened) : []
}

/**
 * What any event can make stale. When the stream begins, all of it is asked for again: an event may have come
 * before.
 */
export const STALE_BY_ANY: readonly StaleQueries[] = [
  ...STALE_LISTS.map(({ key }) => ({ key })),
  ...['inbox', 'moments', 'being', 'thread', ...OF_ROWS, ...Object.values(BY_KIND).flat()].map((word) => ({
    key: [word],
  })),
]

/** A name by which the same is known again. */
export const staleName = ({ key, exact, of }: StaleQueries): string =>
  JSON.stringify([key, exact ?? null, of ?? null])

/** Whether what was found is of a thread in which a being takes part; what is not found yet may be. */
export function takesPart(found: unknown, stance: string): boolean {
  const { participants } = (found ?? {}) as { readonly participants?: unknown }
  return !Array.isArray(participants) || participants.includes(stance)
}
