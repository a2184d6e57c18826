import { api, own } from './client.ts'
import { asking, askingPages } from './deed.ts'

/** As much as a page of a list holds. */
export const PAGE_MAX = 200

export const sessionQuery = asking(['session'], own.session.$get, {})
export const worldQuery = asking(['world'], api.world.$get, {})
/** One space with who is there, page by page. */
export const spaceQuery = (path: string) =>
  askingPages(['space', path], api.space.$get, (after) => ({
    query: { path, ...(after === null ? {} : { after }) },
  }))
export const mapQuery = (path: string) => asking(['map', path], api.map.$get, { query: { path } })
export const beingQuery = (name: string) =>
  asking(['being', name], api.beings[':name'].$get, { param: { name } })
/** More than a list draws whole, so that a list with further pages notices its end. */
const MOMENTS_PAGE = 100
export const momentsQuery = (name: string) =>
  askingPages(['moments', name], api.beings[':name'].moments.$get, (cursor) => ({
    param: { name },
    query: { limit: MOMENTS_PAGE, ...(cursor === null ? {} : { cursor }) },
  }))
/** The latest moments of a being, for what it did lately. */
export const newestMomentsQuery = (name: string) =>
  asking(['moments', name, 'newest'], api.beings[':name'].moments.$get, {
    param: { name },
    query: { limit: 50 },
  })
/** A finished moment never changes. */
export const momentQuery = (name: string, n: number) =>
  asking(
    ['past', name, n],
    api.beings[':name'].moments[':n'].$get,
    { param: { name, n: String(n) } },
    { staleTime: Number.POSITIVE_INFINITY },
  )
export const threadsQuery = asking(['threads'], api.threads.$get, { query: { all: 'true', limit: PAGE_MAX } })
/** Few of them are severed. */
const THREADS_WITH = 10
/**
 * The threads in which the person and a being speak to each other and nobody else takes part, the newest
 * first.
 */
export const threadsWithQuery = (name: string) =>
  asking(['threads', name], api.threads.$get, {
    query: { all: 'true', alone: 'true', limit: THREADS_WITH, with: name },
  })
export const threadQuery = (id: string) => asking(['thread', id], api.threads[':id'].$get, { param: { id } })
/** What the being may reach for now. A change of any row may change it, as with `session`. */
export const reachQuery = asking(['session', 'reach'], api.reach.$get, {})
