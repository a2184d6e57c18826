import { useQueries } from '@tanstack/react-query'
import { newestMomentsQuery } from '../api/queries.ts'
import { BeingLink, Inert, MomentLink, plural, Quiet, Time } from '../parts/index.ts'

/** What a being did in a thread besides speaking. */
export interface UsedDeed {
  readonly key: string
  readonly at: string
  readonly being: string
  readonly n: number
  readonly what: string
  readonly failed: boolean
  readonly tokens: number | null
}

/** Of more beings it is not asked. */
const ASKED_BEINGS_MAX = 4

export interface UsedDeeds {
  readonly deeds: readonly UsedDeed[]
  /** of each being of which earlier ones may be left out, since when they are there; null: none of it is */
  readonly cut: readonly { readonly being: string; readonly since: string | null }[]
}

/** What beings did in a thread, from their latest moments. @param beings names of those whose past is open */
export function useDeeds(beings: readonly string[], thread: string | null): UsedDeeds {
  const asked = thread === null ? [] : beings.slice(0, ASKED_BEINGS_MAX)
  const found = useQueries({ queries: asked.map((being) => newestMomentsQuery(being)) })
  const cut = found.flatMap(({ data }, i) => {
    if (data === undefined || data.next === null) return []
    const oldest = data.items.map(({ openedAt }) => openedAt).sort()[0]
    return oldest === undefined ? [] : [{ being: asked[i] ?? '', since: oldest }]
  })
  const beyond =
    thread === null ? [] : beings.slice(ASKED_BEINGS_MAX).map((being) => ({ being, since: null }))
  const deeds = found.flatMap(({ data }, i) =>
    (data?.items ?? []).flatMap(({ n, openedAt, woke, did, outcome, cost }): UsedDeed[] => {
      if (woke?.thread !== thread || did === null || did.verb === 'summon') return []
      const name = did.operation ?? did.verb
      return [
        {
          key: `${asked[i]} ${n}`,
          at: openedAt,
          being: asked[i] ?? '',
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
  return { deeds, cut: [...cut, ...beyond] }
}

/** One of them, between the words. */
export const UsedDeedLine = ({
  deed: { at, being, n, what, failed, tokens },
}: {
  readonly deed: UsedDeed
}) => (
  <Quiet size="sm" className="happened quiet" component="div">
    @{being} {failed ? 'was refused' : 'used'} <Inert text={what} /> <Time iso={at} /> ·{' '}
    <MomentLink being={being} n={n}>
      moment {n}
    </MomentLink>
    {tokens === null ? '' : ` · ${plural(tokens, 'token')}`}
  </Quiet>
)

/** What is not shown between the words, where it may be missed. @param began when the thread did */
export const NotShown = ({ cut, began }: Pick<UsedDeeds, 'cut'> & { readonly began: string }) =>
  cut
    .filter(({ since }) => since === null || since > began)
    .map(({ being, since }) => (
      <Quiet key={being} size="sm" className="happened quiet" component="div">
        What @{being} used {since === null ? '' : 'before '}
        {since === null ? null : <Time iso={since} />} is not shown here: <BeingLink stance={`@${being}`} />{' '}
        has all its moments.
      </Quiet>
    ))
