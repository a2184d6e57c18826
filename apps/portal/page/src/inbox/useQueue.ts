import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { tellFailure } from '../api/notices.ts'
import { NOT_READ, useReading } from '../api/useReading.ts'
import { t } from '../language/index.ts'
import { useSingleKeyActs } from '../parts/single-keys.ts'
import { byName } from '../text/by-name.ts'
import { casesOf, type InboxCase } from './cases.ts'
import type { InboxEntry } from './entry.ts'
import { FACETS, type Facet, type WantedFacets } from './facets.ts'
import { isAnswered, nextTo, wantedOf } from './groups.ts'
import { GROUPS, groupOf, type InboxGroup } from './kinds.ts'
import { facetsOf, type InboxOrder, type InboxPlace, withFacets } from './place.ts'
import { useInbox } from './queries.ts'
import { senderOf } from './sender.ts'
import { tellEntry } from './tell-entry.ts'
import { type CallDecision, saidIn, useDecisions } from './useDecisions.ts'

/** What is shown of a part of the inbox, which entry of it is open, and how one goes through it. */
export function useQueue(counts: Readonly<Record<InboxGroup, number>>, isCounted: boolean) {
  const { chosen, group, choose, goTo, latest, filter } = usePlace(counts, isCounted)
  const { search, facets, isOldestFirst } = filter
  const list = useOrdered(group, isOldestFirst)
  const { open, isClosed, isSought } = useOpen(chosen, list)
  const [selected, select] = useState<ReadonlySet<string>>(new Set())
  const [hint, setHint] = useState<string | null>(null)
  const answer = useRef<HTMLTextAreaElement>(null)
  const reading = useReading(undefined, null)
  const decisions = useDecisions(() => setHint(null))
  const queries = useQueryClient()
  const entries = (list.data?.items ?? []).filter((one: InboxEntry) => !decisions.isGone(one))
  const shown = wantedOf(entries, { search, facets, isOldestFirst }, tellEntry)
  const cases = casesOf(shown)
  const heads = cases.map(({ head }) => head)
  const ofOpen = open === null ? null : caseOf(open, cases)
  const neighbour = useNeighbour(heads, ofOpen?.head.correlation ?? chosen)
  const step = (by: 1 | -1) => {
    setHint(null)
    const at = cases.findIndex((one) => isIn(one, latest()))
    const next = cases[at < 0 ? 0 : at + by]
    if (next !== undefined) choose(next.head.correlation)
  }
  /** From an entry that is done to another, or to none. Who looks at something else by now stays there. */
  const leave = (of: InboxEntry, to: string | undefined) => {
    if (latest() === of.correlation) choose(to)
  }
  const onDone = (of: InboxEntry) => leave(of, neighbour())
  const markRead = () => {
    if (open === null) return setHint(t('Choose an entry first, by j or k.'))
    if (isClosed || latest() !== open.correlation) return // it is drawn no more, or not yet
    if (groupOf(open) === 'needs')
      return setHint(
        t('This entry needs a decision, so e does not close it: answer it, decide, or dismiss it.'),
      )
    const read = ofOpen?.entries.map(({ correlation }) => correlation) ?? []
    // Each one is told: several may be under way.
    reading
      .mutateAsync(read)
      .catch(({ message: why }: Error) =>
        tellFailure(queries, { what: NOT_READ, why, entry: open.correlation }),
      )
    onDone(open)
  }
  const reply = () => {
    if (open === null) return setHint(t('Choose an entry first, by j or k.'))
    if (!isAnswered(open)) return setHint(t('This entry takes no words: decide it, or mark it as read.'))
    answer.current?.focus()
  }
  const undo = () => {
    const of = decisions.held?.entry
    if (of === undefined) return
    decisions.undo()
    setHint(null)
    choose(of.correlation)
  }
  useSingleKeyActs({
    u: { act: undo },
    j: { act: () => step(1), repeats: true },
    k: { act: () => step(-1), repeats: true },
    e: { act: markRead },
    r: { act: reply },
  })
  return {
    list,
    group,
    shown,
    cases,
    ofOpen,
    isWhole: list.data?.isWhole ?? true,
    /** the correlation that the address names */
    chosen,
    open,
    isClosed,
    isSought,
    selected,
    select,
    filter,
    choices: choicesOf(entries),
    isFiltered: search !== '' || Object.keys(facets).length > 0,
    hint,
    answer,
    onDone,
    onDecided: (of: InboxEntry) => leave(of, undefined),
    /** a call has its yes or no: what was done is told, with the way back, and the next one opens */
    onAnswered(decision: CallDecision, isMade: boolean) {
      const { entry: of, said } = decision
      if (!isMade) decisions.hold(decision)
      setHint(
        t('You said {{answer}}: {{sender}} {{entry}}.', {
          answer: saidIn(said),
          sender: senderOf(of),
          entry: tellEntry(of),
        }),
      )
      onDone(of)
    },
    undo: decisions.held === null ? null : undo,
    /** another part of the inbox, or a view of one */
    onShow(next: InboxPlace) {
      select(new Set())
      setHint(null)
      goTo(next)
    },
  }
}

const isIn = ({ entries }: InboxCase, id: string | undefined): boolean =>
  entries.some(({ correlation }) => correlation === id)

/** What an entry is looked at with: one that the list shows no more stands for itself. */
const caseOf = (open: InboxEntry, cases: readonly InboxCase[]): InboxCase =>
  cases.find((one) => isIn(one, open.correlation)) ?? { head: open, entries: [open] }

/** What entries may be filtered by. */
const choicesOf = (entries: readonly InboxEntry[]): Readonly<Record<Facet, readonly string[]>> => {
  const valuesOf = (facet: Facet) => [...new Set(entries.flatMap((one) => FACETS[facet].of(one) ?? []))]
  return Object.fromEntries(
    (Object.keys(FACETS) as Facet[]).map((facet) => [facet, valuesOf(facet).sort(byName)]),
  ) as Record<Facet, string[]>
}

/** A part of the inbox in an order. Where all of it is here, another order asks for nothing. */
function useOrdered(group: InboxGroup, isOldestFirst: boolean) {
  const newest = useInbox(group)
  const isFromEnd = isOldestFirst && newest.data?.isWhole === false
  const oldest = useInbox(group, isFromEnd, 'oldest')
  return isFromEnd ? oldest : newest
}

/** The part, the entry and the filters that the address names. */
function usePlace(counts: Readonly<Record<InboxGroup, number>>, isCounted: boolean) {
  const navigate = useNavigate({ from: '/inbox' })
  const router = useRouter()
  const place = useSearch({ from: '/signed-in/inbox' })
  // What was shown first, once it is counted, stays: also where something that needs a decision comes
  // meanwhile.
  const first = useRef<InboxGroup | null>(null)
  const now = GROUPS.find((one) => counts[one] > 0) ?? 'needs'
  if (isCounted) first.current ??= now
  const group = place.in ?? first.current ?? now
  const change = (to: (shown: InboxPlace) => InboxPlace) =>
    void navigate({
      to: '/inbox',
      search: (shown) => ({ ...to(shown), in: group }),
      replace: true,
      resetScroll: false,
    })
  return {
    chosen: place.entry,
    group,
    filter: useFilter(place, group, change),
    choose: (entry: string | undefined) => change((shown) => ({ ...shown, entry })),
    goTo: (next: InboxPlace) => void navigate({ to: '/inbox', search: next }),
    /**
     * The entry that is chosen here now. A key, or an answer of the server, may come before what was chosen
     * last is drawn.
     */
    latest(): string | undefined {
      const { pathname, search } = router.latestLocation
      return pathname === '/inbox' ? (search as { readonly entry?: string }).entry : undefined
    },
  }
}

/** What of a part is shown, and in which order. */
function useFilter(
  place: InboxPlace,
  group: InboxGroup,
  change: (to: (shown: InboxPlace) => InboxPlace) => void,
) {
  const { q = '', order } = place
  // What is written stands in the field before the address has it.
  const [written, write] = useState<string | null>(null)
  if (written === q) write(null)
  return {
    search: written ?? q,
    setSearch(words: string) {
      write(words)
      change((shown) => ({ ...shown, q: words === '' ? undefined : words }))
    },
    facets: facetsOf(place),
    setFacets: (facets: WantedFacets) => change((shown) => withFacets(shown, facets)),
    order,
    // What needs the person: who waits longest comes first.
    isOldestFirst: order === undefined ? group === 'needs' : order === 'oldest',
    setOrder: (next: InboxOrder) => change((shown) => ({ ...shown, order: next })),
  }
}

/** @returns tells which entry stands beside the chosen one, or stood there before that one was closed */
function useNeighbour(shown: readonly InboxEntry[], chosen: string | undefined): () => string | undefined {
  const known = useRef<{ readonly of: string; readonly next: string | undefined } | null>(null)
  if (chosen !== undefined && shown.some(({ correlation }) => correlation === chosen))
    known.current = { of: chosen, next: nextTo(shown, chosen) }
  return () => (known.current?.of === chosen ? known.current?.next : undefined)
}

/**
 * The entry that the address names. One that was open stays so once it is closed elsewhere: somebody may be
 * writing to it. An address that one came by is looked for in the other parts, too: what needed a decision
 * may need none any more.
 * @param own the part that is shown
 * @returns `isSought`: `true` while it is looked for, `'beyond'` where it may be among what no list shows
 */
function useOpen(chosen: string | undefined, own: ReturnType<typeof useInbox>) {
  const last = useRef<InboxEntry | null>(null)
  const isHere = own.data === undefined || own.data.items.some(({ correlation }) => correlation === chosen)
  const isElsewhere = chosen !== undefined && !isHere && last.current?.correlation !== chosen
  const lists = [
    useInbox('needs', isElsewhere),
    useInbox('answers', isElsewhere),
    useInbox('notices', isElsewhere),
  ]
  const found =
    [own, ...lists]
      .flatMap(({ data }) => data?.items ?? [])
      .find(({ correlation }) => correlation === chosen) ?? null
  if (found !== null) last.current = found
  const held = last.current?.correlation === chosen ? last.current : null
  const isSought: boolean | 'beyond' =
    own.data === undefined || (isElsewhere && lists.some(({ isFetching }) => isFetching))
      ? true
      : lists.some(({ data }) => data?.isWhole !== true) && 'beyond'
  return { open: found ?? held, isClosed: found === null && held !== null, isSought }
}
