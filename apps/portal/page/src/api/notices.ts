import { type QueryClient, queryOptions, skipToken } from '@tanstack/react-query'
import { randomId } from './random-id.ts'

/** Something that a person did and that was not done, told on whichever page the person is by then. */
export interface FailureNotice {
  readonly id: string
  /** what was not done */
  readonly what: string
  /** why, as the server or the browser says it */
  readonly why: string
  /** the entry of the inbox that it was about */
  readonly entry?: string | undefined
}

/** Of more the oldest go. */
const NOTICES_MAX = 5

/** The cache of a session keeps them, so nobody sees what failed for the person before. */
export const noticesQuery = queryOptions<readonly FailureNotice[]>({
  queryKey: ['notices'],
  queryFn: skipToken,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
})

const change = (queries: QueryClient, by: (before: readonly FailureNotice[]) => readonly FailureNotice[]) =>
  queries.setQueryData<readonly FailureNotice[]>(noticesQuery.queryKey, (before = []) => by(before))

export const tellFailure = (queries: QueryClient, told: Omit<FailureNotice, 'id'>): void =>
  void change(queries, (before) => [...before, { ...told, id: randomId() }].slice(-NOTICES_MAX))

export const dropNotice = (queries: QueryClient, id: string): void =>
  void change(queries, (before) => before.filter((one) => one.id !== id))
