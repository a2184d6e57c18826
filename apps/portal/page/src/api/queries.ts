import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'

/** The first word of each key is what `live.ts` makes stale. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => (await api.session.$get()).json(),
})
export const worldQuery = queryOptions({
  queryKey: ['world'],
  queryFn: async () => (await api.world.$get()).json(),
})
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
export const mapQuery = (path: string) =>
  queryOptions({
    queryKey: ['map', path],
    queryFn: async () => (await api.map.$get({ query: { path } })).json(),
  })
export const beingQuery = (name: string) =>
  queryOptions({
    queryKey: ['being', name],
    queryFn: async () => (await api.beings[':name'].$get({ param: { name } })).json(),
  })
/** More than a list draws whole, so that a list with further pages notices its end. */
const PAGE = 100
export const momentsQuery = (name: string) =>
  infiniteQueryOptions({
    queryKey: ['moments', name],
    queryFn: async ({ pageParam }) => {
      const query = { last: String(PAGE), ...(pageParam === null ? {} : { before: pageParam }) }
      return (await api.beings[':name'].moments.$get({ param: { name }, query })).json()
    },
    initialPageParam: null as number | null,
    getNextPageParam: (page) => (page.length < PAGE ? undefined : page[0]?.n),
  })
/** A finished moment never changes. */
export const momentQuery = (name: string, n: number) =>
  queryOptions({
    queryKey: ['past', name, n],
    queryFn: async () =>
      (await api.beings[':name'].moments[':n'].$get({ param: { name, n: String(n) } })).json(),
    staleTime: Number.POSITIVE_INFINITY,
  })
export const inboxQuery = queryOptions({
  queryKey: ['inbox'],
  queryFn: async () => (await api.inbox.$get()).json(),
})
export const threadsQuery = queryOptions({
  queryKey: ['threads'],
  queryFn: async () => (await api.threads.$get({ query: { all: 'true' } })).json(),
})
export const threadQuery = (id: string) =>
  queryOptions({
    queryKey: ['thread', id],
    queryFn: async () => (await api.threads[':id'].$get({ param: { id } })).json(),
  })
