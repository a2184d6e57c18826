import { Group, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { FoundBy } from '../api/deed.ts'
import { momentsQuery, type newestMomentsQuery } from '../api/queries.ts'
import { Trans, t } from '../language/index.ts'
import { Answer, Empty, Inert, MomentLink, Quiet, Rows, SmallButton, Time } from '../parts/index.ts'
import { durationOf } from '../words/duration.ts'
import { MomentFilters } from './MomentFilters.tsx'
import { ALL_MOMENTS, filterMoments, isFiltered } from './moment-filter.ts'
import { OutcomeBadge } from './Outcome.tsx'

interface TimelineProps {
  readonly name: string
  readonly chosen: number | undefined
}

/** The moments of a being, the last one first. */
export function Timeline({ name, chosen }: TimelineProps) {
  const moments = useInfiniteQuery(momentsQuery(name))
  const [filter, setFilter] = useState(ALL_MOMENTS)
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = moments
  const earlier = hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined
  return (
    <Answer of={moments}>
      {({ pages }) => {
        const all = pages.flatMap(({ items }) => items)
        if (all.length === 0)
          return (
            <Empty title={t('No moments yet')}>{t('Something has to wake it: say something to it.')}</Empty>
          )
        const found = filterMoments(all, filter)
        return (
          <Stack gap="xs">
            <MomentFilters moments={all} filter={filter} onFilter={setFilter} />
            {found.length === 0 ? null : (
              <Rows
                label={t('Moments')}
                items={found}
                keyOf={({ n }) => n}
                height={58}
                onEnd={isFiltered(filter) ? undefined : earlier}
              >
                {(moment) => <MomentRow name={name} moment={moment} isChosen={moment.n === chosen} />}
              </Rows>
            )}
            {isFiltered(filter) ? (
              <FoundIn found={found.length} all={all.length} onEarlier={earlier} />
            ) : null}
          </Stack>
        )
      }}
    </Answer>
  )
}

interface FoundInProps {
  readonly found: number
  readonly all: number
  /** undefined where there are none, or they are being asked for */
  readonly onEarlier: (() => void) | undefined
}

/** In how many moments it was looked. Earlier ones are asked for on a press, since they may be very many. */
const FoundIn = ({ found, all, onEarlier }: FoundInProps) => (
  <Group gap="xs">
    <Quiet size="xs" role="status">
      {t('{{found}} of the newest {{count}} moments', { found, count: all })}
    </Quiet>
    {onEarlier === undefined ? null : (
      <SmallButton onClick={onEarlier}>{t('Look at earlier ones')}</SmallButton>
    )}
  </Group>
)

type TimelineMoment = FoundBy<ReturnType<typeof newestMomentsQuery>>['items'][number]

interface TimelineRowProps {
  readonly name: string
  readonly moment: TimelineMoment
  readonly isChosen: boolean
}

/** What a moment said or did, what woke it, when, how long, and what it cost. */
function MomentRow({ name, moment, isChosen }: TimelineRowProps) {
  const { n, openedAt, endedAt, primary, stacked, outcome, reason, woke, did, words, args, message, cost } =
    moment
  const wokenBy = woke === null ? '' : joined(woke.trigger, woke.from, woke.what)
  const done =
    words ??
    message ??
    (did === null
      ? t('did nothing')
      : joined(did.verb, did.operation, args === null ? null : `(${args})`, did.target))
  return (
    <MomentLink being={name} n={n} className="row" isChosen={isChosen}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" lineClamp={2} component="div" miw={0}>
          <span className="quiet">{n}</span>
          {'\u2002'}
          {words === null ? (
            <Inert text={done} />
          ) : (
            <Trans text="“<words/>”" parts={{ words: <Inert text={words} /> }} />
          )}
        </Text>
        <OutcomeBadge outcome={outcome} reason={reason} />
      </Group>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Quiet size="xs" truncate>
          {wokenBy} · {primary ?? t('no role')}
          {stacked.length === 0 ? '' : ` + ${stacked.join(', ')}`}
        </Quiet>
        <Quiet size="xs" className="quiet nowrap">
          {cost === null ? '' : `${t('{{count}} tokens', { count: cost.tokens })} · `}
          {durationOf(Date.parse(endedAt) - Date.parse(openedAt))} · <Time iso={openedAt} seconds />
        </Quiet>
      </Group>
    </MomentLink>
  )
}

const joined = (...parts: readonly (string | null | undefined)[]): string =>
  parts.filter((part) => part != null).join(' ')
