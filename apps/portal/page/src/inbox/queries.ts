import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api } from '../api/client.ts'
import { asking, askingWhole } from '../api/deed.ts'
import { PAGE_MAX } from '../api/queries.ts'
import { isAsCounted } from './groups.ts'
import { type InboxGroup, KINDS_OF } from './kinds.ts'

/**
 * How often the counts are asked for without an event. Some changes send none: words of a being whose past is
 * closed, a call that expires.
 */
const COUNTED_MS = 10_000

/** How much waits. It is small, so it is asked for at each event, and the lists only once it is another. */
export const inboxCountsQuery = asking(
  ['inbox', 'counts'],
  api.inbox.counts.$get,
  {},
  { refetchInterval: COUNTED_MS },
)

/** More of an answer or a notice are not asked for. What needs a decision is asked for to its end. */
const READ_PAGES_MAX = 5

/** Which entries of a part come first, and of a long one are asked for at all. */
type Order = 'newest' | 'oldest'

/**
 * One part of the inbox. What needs a decision is a list of its own, which no flood of notices makes longer.
 */
const inboxQuery = (group: InboxGroup, order: Order) =>
  askingWhole(
    ['inbox', group, order],
    api.inbox.$get,
    KINDS_OF[group].map((kind) => (cursor: string | null) => ({
      query: { kind, limit: PAGE_MAX, order, ...(cursor === null ? {} : { cursor }) },
    })),
    group === 'needs' ? undefined : READ_PAGES_MAX,
  )

/** Calls that wait for the yes of the person, with what their beings sealed in them opened. */
export const approvalsQuery = askingWhole(['inbox', 'approvals'], api.approvals.$get, [
  (cursor) => ({ query: { limit: String(PAGE_MAX), ...(cursor === null ? {} : { cursor }) } }),
])

/**
 * A part of the inbox. It and the counts are asked for at the same time, so it may have been read before
 * them. Then it is asked for once more, so that whatever comes later makes the counts others.
 */
export function useInbox(group: InboxGroup, isWanted = true, order: Order = 'newest') {
  const { data: counts } = useQuery(inboxCountsQuery)
  const list = useQuery({ ...inboxQuery(group, order), enabled: isWanted })
  const { data, refetch } = list
  const compared = useRef<string | null>(null)
  useEffect(() => {
    const one = `${group} ${order}`
    if (!isWanted || compared.current === one || counts === undefined || data === undefined) return
    compared.current = one
    // The oldest of many are not those that came meanwhile.
    if (order === 'newest' && !isAsCounted(group, data, counts)) void refetch()
  }, [isWanted, group, order, counts, data, refetch])
  return list
}

/** Asks anew for the lists of the inbox, and for threads, once something else waits than before. */
export function useInboxAnew(): void {
  const queries = useQueryClient()
  const { data } = useQuery(inboxCountsQuery)
  const mark = data === undefined ? null : JSON.stringify(data)
  const known = useRef<string | null>(null)
  useEffect(() => {
    if (known.current !== null && known.current !== mark)
      for (const word of ['inbox', 'threads', 'thread'])
        void queries.invalidateQueries({
          queryKey: [word],
          predicate: ({ queryKey }) => queryKey[1] !== 'counts',
        })
    known.current = mark
  }, [mark, queries])
}
