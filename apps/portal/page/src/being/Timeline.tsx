import { Group, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { MomentView } from '@treeos/client'
import { momentsQuery } from '../api/queries.ts'
import { Answer, Empty, MomentLink, Quiet, Rows, Time } from '../parts/index.ts'
import { OutcomeBadge } from './Outcome.tsx'

interface Props {
  readonly name: string
  readonly chosen: number | undefined
}

/** The moments of a being, the last one first. */
export function Timeline({ name, chosen }: Props) {
  const moments = useInfiniteQuery(momentsQuery(name))
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = moments
  const earlier = hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined
  return (
    <Answer of={moments}>
      {({ pages }) => {
        const all = pages.flatMap(({ items }) => items)
        if (all.length === 0)
          return <Empty title="No moments yet">Something has to wake it: say something to it.</Empty>
        return (
          <Rows label="Moments" items={all} keyOf={({ n }) => n} height={58} onEnd={earlier}>
            {(moment) => <MomentRow name={name} moment={moment} isChosen={moment.n === chosen} />}
          </Rows>
        )
      }}
    </Answer>
  )
}

interface RowProps {
  readonly name: string
  readonly moment: MomentView
  readonly isChosen: boolean
}

function MomentRow({ name, moment, isChosen }: RowProps) {
  const { n, openedAt, primary, stacked, outcome, reason, woke, did } = moment
  const wokenBy = woke === null ? '' : joined(woke.trigger, woke.from, woke.what)
  return (
    <MomentLink being={name} n={n} className="row" isChosen={isChosen}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm">
          <span className="quiet">{n}</span>&ensp;{primary ?? 'no role'}
          {stacked.length === 0 ? '' : ` + ${stacked.join(', ')}`}
        </Text>
        <OutcomeBadge outcome={outcome} reason={reason} />
      </Group>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Quiet size="xs" truncate>
          {wokenBy} {did == null ? '' : `→ ${joined(did.verb, did.operation, did.target)}`}
        </Quiet>
        <Text size="xs">
          <Time iso={openedAt} />
        </Text>
      </Group>
    </MomentLink>
  )
}

const joined = (...parts: readonly (string | null | undefined)[]): string =>
  parts.filter((part) => part != null).join(' ')
