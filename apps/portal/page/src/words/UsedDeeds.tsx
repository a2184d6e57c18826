import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Trans, t } from '../language/index.ts'
import { Inert, MomentLink, Quiet, Time } from '../parts/index.ts'
import { momentKey } from './run-key.ts'
import { type ThreadMoment, threadMomentsQuery } from './thread-moments.ts'

/** What a being did in a thread besides speaking. */
export interface UsedDeed {
  readonly key: string
  readonly at: string
  /** a stance */
  readonly being: string
  readonly n: number
  readonly what: string
  readonly failed: boolean
  readonly tokens: number | null
}

export const NOTHING_USED: UsedDeeds = { deeds: [], isWhole: true }

export interface UsedDeeds {
  readonly deeds: readonly UsedDeed[]
  /** false: earlier ones are left out */
  readonly isWhole: boolean
}

/** What beings did in a thread, of those whose past is open. */
export function useDeeds(thread: string | null): UsedDeeds {
  const { data } = useQuery({ ...threadMomentsQuery(thread ?? ''), enabled: thread !== null })
  return useMemo(
    () => (data === undefined ? NOTHING_USED : { deeds: data.items.flatMap(deedIn), isWhole: data.isWhole }),
    [data],
  )
}

function deedIn({ being, n, openedAt, did, outcome, cost }: ThreadMoment): readonly UsedDeed[] {
  if (did === null || did.verb === 'summon') return []
  const name = did.operation ?? did.verb
  const used =
    did.target === undefined ? name : t('{{call}} on {{target}}', { call: name, target: did.target })
  return [
    {
      key: momentKey(being, n),
      at: openedAt,
      being,
      n,
      what: did.verb === 'see' ? t('looked at {{target}}', { target: did.target ?? '?' }) : used,
      failed: outcome === 'failure',
      tokens: cost?.tokens ?? null,
    },
  ]
}

/** One of them, between the words. */
export const UsedDeedLine = ({
  deed: { at, being, n, what, failed, tokens },
}: {
  readonly deed: UsedDeed
}) => (
  <Quiet size="sm" className="happened quiet" component="div">
    <Trans
      text={failed ? '{{being}} was refused <what/> <time/>' : '{{being}} used <what/> <time/>'}
      values={{ being }}
      parts={{ what: <Inert text={what} />, time: <Time iso={at} /> }}
    />
    {' · '}
    <MomentLink being={being} n={n}>
      {t('moment {{n}}', { n })}
    </MomentLink>
    {tokens === null ? '' : ` · ${t('{{count}} tokens', { count: tokens })}`}
  </Quiet>
)

/** That not all is shown between the words. */
export const NotShown = ({ isWhole }: Pick<UsedDeeds, 'isWhole'>) =>
  isWhole ? null : (
    <Quiet size="sm" className="happened quiet" component="div">
      {t('What was used before is not shown here: each being has all its moments.')}
    </Quiet>
  )
