import {
  infiniteQueryOptions,
  type QueryKey,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import type { ClientRequestOptions } from 'hono/client'
import { useEffect, useRef } from 'react'
import { t } from '../language/index.ts'
import { api } from './client.ts'
import { tellFailure } from './notices.ts'

/** An answer of the server as the typed client gives it: a refusal was thrown before. */
interface TypedAnswer {
  json(): Promise<unknown>
}
type AnswerBody<A extends TypedAnswer> = Awaited<ReturnType<A['json']>>
const bodyOf = async <A extends TypedAnswer>(asked: Promise<A>): Promise<AnswerBody<A>> =>
  (await (await asked).json()) as AnswerBody<A>

/** What a query finds. */
export type FoundBy<Query extends { readonly queryFn?: unknown }> =
  NonNullable<Query['queryFn']> extends (...asked: never[]) => infer Told ? Awaited<Told> : never

/** A `$get` or `$post` of the typed client. */
type Endpoint = (args: never, options?: ClientRequestOptions) => Promise<TypedAnswer>
type ArgsOf<E extends Endpoint> = Exclude<Parameters<E>[0], undefined>
type ToldBy<E extends Endpoint> = AnswerBody<Awaited<ReturnType<E>>>

/**
 * Asks until nobody wants to know any more: the request of a query that is given up ends in the server, too.
 */
const askFor = <E extends Endpoint>(endpoint: E, args: ArgsOf<E>, signal: AbortSignal): Promise<ToldBy<E>> =>
  bodyOf(endpoint(args as never, { init: { signal } }) as Promise<Awaited<ReturnType<E>>>)

/**
 * Asks the server; what it said is kept under a key. The first word of each key is what `stale-queries.ts`
 * names.
 */
export const asking = <E extends Endpoint>(
  queryKey: QueryKey,
  endpoint: E,
  args: ArgsOf<E>,
  { keepsBefore = false, ...kept }: CacheTimes = {},
) =>
  queryOptions({
    queryKey,
    queryFn: ({ signal }) => askFor(endpoint, args, signal),
    ...(keepsBefore ? { placeholderData: (before: ToldBy<E> | undefined) => before } : {}),
    ...kept,
  })
interface CacheTimes {
  readonly staleTime?: number
  readonly gcTime?: number
  readonly retry?: false
  readonly refetchInterval?: number
  /** what was found under another key is shown until there is an answer */
  readonly keepsBefore?: boolean
}

/** A page of a list, as the API gives it. */
interface ListPage<T> {
  readonly items: readonly T[]
  readonly next: string | null
}

/**
 * The same of a list, page by page as it is scrolled.
 * @param args of the page after a cursor; null: of the first
 */
export const askingPages = <E extends Endpoint>(
  queryKey: QueryKey,
  endpoint: E,
  args: (cursor: string | null) => ArgsOf<E>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => askFor(endpoint, args(pageParam), signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page: ToldBy<E>) => (page as ListPage<unknown>).next,
  })

type ItemOf<P> = P extends ListPage<infer T> ? T : never

/**
 * Several lists as one, each read from page to page.
 * @param lists the arguments of a page of each.
 * @param pagesMax more of one are not asked for
 */
export const askingWhole = <E extends Endpoint>(
  queryKey: QueryKey,
  endpoint: E,
  lists: readonly ((cursor: string | null) => ArgsOf<E>)[],
  pagesMax = Number.POSITIVE_INFINITY,
) =>
  queryOptions({
    queryKey,
    queryFn: async ({ signal }) => {
      const whole = (args: (cursor: string | null) => ArgsOf<E>) =>
        wholeOf(
          (cursor) => askFor(endpoint, args(cursor), signal) as Promise<ListPage<ItemOf<ToldBy<E>>>>,
          pagesMax,
        )
      const found = await Promise.all(lists.map(whole))
      return { items: found.flatMap(({ items }) => items), isWhole: found.every(({ isWhole }) => isWhole) }
    },
  })

/** A list from page to page. @param pagesMax more are not asked for */
async function wholeOf<T>(ask: (cursor: string | null) => Promise<ListPage<T>>, pagesMax: number) {
  let { items, next } = await ask(null)
  for (let page = 1; next !== null && page < pagesMax; page++) {
    const more = await ask(next)
    items = [...items, ...more.items]
    next = more.next
  }
  return { items, isWhole: next === null }
}

interface DeedOptions<T> {
  /** what is asked for anew before `onDone`: queries whose keys begin so; all when left out, null for none */
  readonly stale?: QueryKey | null
  readonly onDone?: (told: T) => void
  /** what is told as not done where its form is gone by then; null: nobody asked for it */
  readonly called?: string | null
}

/** Whether what uses it is still drawn. */
function useIsDrawn(): { readonly current: boolean } {
  const isDrawn = useRef(true)
  useEffect(() => {
    isDrawn.current = true
    return () => {
      isDrawn.current = false
    }
  }, [])
  return isDrawn
}

/**
 * Does something on the server, and then asks anew for what it may have changed. A refusal is told where it
 * was asked for; once that is drawn no more, over whichever page the person is on.
 */
export function useDeed<A extends TypedAnswer, Of = void>(
  deed: (of: Of) => Promise<A>,
  { stale = [], onDone, called = t('What you sent last was not done.') }: DeedOptions<AnswerBody<A>> = {},
) {
  const queries = useQueryClient()
  const isDrawn = useIsDrawn()
  return useMutation<AnswerBody<A>, Error, Of>({
    mutationFn: (of: Of) => bodyOf(deed(of)),
    gcTime: 0, // what was sent may be secret
    onSuccess: async (told) => {
      if (stale !== null) await queries.invalidateQueries({ queryKey: stale })
      onDone?.(told)
    },
    onError: ({ message: why }) => {
      if (called !== null && !isDrawn.current) tellFailure(queries, { what: called, why })
    },
  })
}

export type DeedBody = Readonly<Record<string, unknown>>

/**
 * Acts by DO or BE as the person, or as the being that this tab drives.
 * @param stale what is asked for anew before it counts as done; all when left out. Live events make the rest
 *   stale
 */
export const useAct = (onDone: () => void = () => undefined, stale: QueryKey = []) =>
  useDeed(({ verb, ...rest }: DeedBody) => (verb === 'be' ? beOf(rest) : doOf(rest)), { stale, onDone })

/** A call as a form made it; the server checks it. */
type FormBody<Verb extends { $post(input: never): unknown }> = Parameters<Verb['$post']>[0] extends {
  json: infer Json
}
  ? Json
  : never
export const doOf = (call: object) => api.do.$post({ json: call as FormBody<typeof api.do>, header: {} })
const beOf = (call: object) => api.be.$post({ json: call as FormBody<typeof api.be>, header: {} })
