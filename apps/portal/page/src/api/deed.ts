import { type QueryKey, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from './client.ts'

/** An answer of the server as the typed client gives it: a refusal was thrown before. */
interface Answer {
  json(): Promise<unknown>
}
type Told<A extends Answer> = Awaited<ReturnType<A['json']>>
const tell = async <A extends Answer>(asked: Promise<A>): Promise<Told<A>> =>
  (await (await asked).json()) as Told<A>

/** What a query finds. */
export type FoundBy<Query extends { readonly queryFn?: unknown }> =
  NonNullable<Query['queryFn']> extends (...asked: never[]) => infer Told ? Awaited<Told> : never

/** Asks the server; what it said is kept under a key. The first word of each key is what `live.ts` makes stale. */
export const asking = <A extends Answer>(queryKey: QueryKey, ask: () => Promise<A>, options: Kept = {}) =>
  queryOptions({ queryKey, queryFn: () => tell(ask()), ...options })
interface Kept {
  readonly staleTime?: number
  readonly gcTime?: number
  readonly retry?: false
}

interface After<T> {
  /** what is asked for anew before `onDone`: queries whose keys begin so; all when left out, null for none */
  readonly stale?: QueryKey | null
  readonly onDone?: (told: T) => void
}

/** Does something on the server, and then asks anew for what it may have changed. */
export function useDeed<A extends Answer, Of = void>(
  deed: (of: Of) => Promise<A>,
  { stale = [], onDone }: After<Told<A>> = {},
) {
  const queries = useQueryClient()
  return useMutation<Told<A>, Error, Of>({
    mutationFn: (of: Of) => tell(deed(of)),
    gcTime: 0, // what was sent may be secret
    onSuccess: async (told) => {
      if (stale !== null) await queries.invalidateQueries({ queryKey: stale })
      onDone?.(told)
    },
  })
}

export type Call = Readonly<Record<string, unknown>>

/**
 * Acts by DO or BE as the person, or as the being that this tab drives.
 * @param stale what is asked for anew before it counts as done; all when left out. Live events make the rest stale
 */
export const useAct = (onDone: () => void = () => undefined, stale: QueryKey = []) =>
  useDeed(({ verb, ...rest }: Call) => (verb === 'be' ? beOf(rest) : doOf(rest)), { stale, onDone })

/** A call as a form made it; the server checks it. */
type Made<Verb extends { $post(input: never): unknown }> = Parameters<Verb['$post']>[0] extends {
  json: infer Json
}
  ? Json
  : never
export const doOf = (call: object) => api.do.$post({ json: call as Made<typeof api.do>, header: {} })
const beOf = (call: object) => api.be.$post({ json: call as Made<typeof api.be>, header: {} })
