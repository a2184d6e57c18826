import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, own } from './client.ts'
import { asking } from './deed.ts'

/** As much as a page of a list holds. */
const PAGE_MAX = 200

export const sessionQuery = asking(['session'], () => own.session.$get())
export const worldQuery = asking(['world'], () => api.world.$get())
/** One space with who is there, page by page. */
export const spaceQuery = (path: string) =>
  infiniteQueryOptions({
    queryKey: ['space', path],
    queryFn: async ({ pageParam }) => {
      const query = { path, ...(pageParam === null ? {} : { after: pageParam }) }
      return (await api.space.$get({ query })).json()
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
export const mapQuery = (path: string) => asking(['map', path], () => api.map.$get({ query: { path } }))
export const beingQuery = (name: string) =>
  asking(['being', name], () => api.beings[':name'].$get({ param: { name } }))
/** More than a list draws whole, so that a list with further pages notices its end. */
const PAGE = 100
export const momentsQuery = (name: string) =>
  infiniteQueryOptions({
    queryKey: ['moments', name],
    queryFn: async ({ pageParam }) => {
      const query = { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) }
      return (await api.beings[':name'].moments.$get({ param: { name }, query })).json()
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
/** The latest moments of a being, for what it did lately. */
export const latelyQuery = (name: string) =>
  asking(['moments', name, 'lately'], () =>
    api.beings[':name'].moments.$get({ param: { name }, query: { limit: 50 } }),
  )
/** A finished moment never changes. */
export const momentQuery = (name: string, n: number) =>
  asking(['past', name, n], () => api.beings[':name'].moments[':n'].$get({ param: { name, n: String(n) } }), {
    staleTime: Number.POSITIVE_INFINITY,
  })
/** More pages of an inbox are not asked for. */
const INBOX_PAGES_MAX = 5
/** What waits for the person, the newest first. What needs a decision may be among the oldest, so pages are asked for to the end. */
export const inboxQuery = queryOptions({
  queryKey: ['inbox'],
  queryFn: async () => {
    const ask = async (cursor: string | null) => {
      const query = { limit: PAGE_MAX, order: 'newest' as const, ...(cursor === null ? {} : { cursor }) }
      return (await api.inbox.$get({ query })).json()
    }
    let { items, next } = await ask(null)
    for (let page = 1; next !== null && page < INBOX_PAGES_MAX; page++) {
      const more = await ask(next)
      items = [...items, ...more.items]
      next = more.next
    }
    return { items, next }
  },
})
export const threadsQuery = asking(['threads'], () =>
  api.threads.$get({ query: { all: 'true', limit: PAGE_MAX } }),
)
export const threadQuery = (id: string) =>
  asking(['thread', id], () => api.threads[':id'].$get({ param: { id } }))
/** What the being may reach for now. A change of any row may change it, as with `session`. */
export const reachQuery = asking(['session', 'reach'], () => api.reach.$get())
