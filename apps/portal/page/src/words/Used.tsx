import { useQueries } from '@tanstack/react-query'
import { newestMomentsQuery } from '../api/queries.ts'
import { Inert, MomentLink, plural, Quiet } from '../parts/index.ts'

/** What a being did in a thread besides speaking. */
export interface Deed {
  readonly key: string
  readonly at: string
  readonly being: string
  readonly n: number
  readonly what: string
  readonly failed: boolean
  readonly tokens: number | null
}

/** Of more beings it is not asked. */
const BEINGS_MAX = 4

/** What beings did in a thread, from their latest moments. @param beings names of those whose past is open */
export function useDeeds(beings: readonly string[], thread: string | null): Deed[] {
  const found = useQueries({
    queries: (thread === null ? [] : beings.slice(0, BEINGS_MAX)).map((being) => newestMomentsQuery(being)),
  })
  return found.flatMap(({ data }, i) =>
    (data?.items ?? []).flatMap(({ n, openedAt, woke, did, outcome, cost }): Deed[] => {
      if (woke?.thread !== thread || did === null || did.verb === 'summon') return []
      const name = did.operation ?? did.verb
      return [
        {
          key: `${beings[i]} ${n}`,
          at: openedAt,
          being: beings[i] ?? '',
          n,
          what:
            did.verb === 'see'
              ? `looked at ${did.target ?? '?'}`
              : `${name}${did.target === undefined ? '' : ` on ${did.target}`}`,
          failed: outcome === 'failure',
          tokens: cost?.tokens ?? null,
        },
      ]
    }),
  )
}

/** One of them, between the words. */
export const Used = ({ deed: { being, n, what, failed, tokens } }: { readonly deed: Deed }) => (
  <Quiet size="xs" className="used quiet" component="div">
    @{being} {failed ? 'was refused' : 'used'} <Inert text={what} /> ·{' '}
    <MomentLink being={being} n={n}>
      moment {n}
    </MomentLink>
    {tokens === null ? '' : ` · ${plural(tokens, 'token')}`}
  </Quiet>
)
