import { Badge, Group, Stack, Text, Title } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { beingQuery, momentsQuery } from '../api/queries.ts'
import { BeingControls } from '../control/BeingControls.tsx'
import { BeingLink } from '../shell/links.tsx'
import { Rows } from '../shell/Rows.tsx'
import { Answer, Empty } from '../shell/states.tsx'
import { Time } from '../shell/Time.tsx'
import { Content, Inert } from '../text/Inert.tsx'
import { Moment } from './Moment.tsx'
import { OutcomeBadge } from './Outcome.tsx'
import { Writing } from './Writing.tsx'

/** One being: who it is, and its past, moment by moment. */
export function Being() {
  const { name } = useParams({ from: '/signed-in/beings/$name' })
  const { n } = useSearch({ from: '/signed-in/beings/$name' })
  const being = useQuery(beingQuery(name))
  return (
    <Answer of={being}>
      {({ type, address, identity, beingLineage, matters, qualities, isPastOpen }) => (
        <Stack gap="md">
          <div>
            <Group gap="xs" align="baseline">
              <Title order={1}>
                <Inert text={`@${name}`} />
              </Title>
              {identity.ended === undefined ? null : (
                <Badge color="gray" variant="light">
                  ended
                </Badge>
              )}
              {identity.paused === undefined || identity.ended !== undefined ? null : (
                <Badge color="yellow" variant="light">
                  paused
                </Badge>
              )}
              {identity.inhabitedBy === undefined ? null : (
                <Badge color="orange" variant="light" tt="none">
                  driven by {identity.inhabitedBy}
                </Badge>
              )}
            </Group>
            {type === 'unseen' ? (
              <Text size="sm" className="quiet">
                Your lists do not hold it now; its past is open to you.
              </Text>
            ) : (
              <Text size="sm" className="quiet">
                {identity.cognition} · {identity.defaultRole ?? 'no role'} ·{' '}
                <Link to="/world" search={{ at: address.path }} className="plain">
                  {address.path}
                </Link>
                {beingLineage.map((maker, i) => (
                  <span key={maker}>
                    {i === 0 ? ' · child of ' : ', of '}
                    <BeingLink stance={maker} />
                  </span>
                ))}
                {' · '}
                <Link to="/beings/$name/flow" params={{ name }}>
                  its flow
                </Link>
                {matters.length === 0
                  ? null
                  : ` · holds ${matters.map((one) => one.replace(/^matter:/, '')).join(', ')}`}
              </Text>
            )}
          </div>
          <BeingControls
            name={name}
            lineage={beingLineage}
            isEnded={identity.ended !== undefined}
            isDriven={identity.inhabitedBy !== undefined}
            isPaused={identity.paused !== undefined}
            isPerson={identity.cognition === 'human'}
            isPastOpen={isPastOpen}
          />
          {isPastOpen ? <Writing being={name} /> : null}
          {isPastOpen ? (
            <div className="wide" data-chosen={n !== undefined}>
              <Timeline name={name} chosen={n} />
              {n === undefined ? (
                <Empty title="Choose a moment">
                  It shows what woke the being, what it wore, and what it did.
                </Empty>
              ) : (
                <Moment name={name} n={n} />
              )}
            </div>
          ) : (
            <Stack gap="md">
              <Empty title="Its past is not open to you">
                The moments of a being are open to itself, to its makers and to the operator.
              </Empty>
              {Object.keys(qualities).length === 0 ? null : (
                <section className="card code" aria-label="Qualities">
                  <Content value={qualities} />
                </section>
              )}
            </Stack>
          )}
        </Stack>
      )}
    </Answer>
  )
}

function Timeline({ name, chosen }: { readonly name: string; readonly chosen: number | undefined }) {
  const moments = useInfiniteQuery(momentsQuery(name))
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = moments
  const earlier = hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined
  return (
    <Answer of={moments}>
      {({ pages }) => {
        const all = pages.toReversed().flat().toReversed()
        if (all.length === 0)
          return <Empty title="No moments yet">Something has to wake it: say something to it.</Empty>
        return (
          <Rows label="Moments" items={all} keyOf={({ n }) => n} height={58} onEnd={earlier}>
            {(moment) => (
              <Link
                to="/beings/$name"
                params={{ name }}
                search={{ n: moment.n }}
                className="row"
                data-chosen={moment.n === chosen}
              >
                <Group justify="space-between" wrap="nowrap" gap="xs">
                  <Text size="sm">
                    <span className="quiet">{moment.n}</span>&ensp;{moment.primary ?? 'no role'}
                    {moment.stacked.length === 0 ? '' : ` + ${moment.stacked.join(', ')}`}
                  </Text>
                  <OutcomeBadge outcome={moment.outcome} reason={moment.reason} />
                </Group>
                <Group justify="space-between" wrap="nowrap" gap="xs">
                  <Text size="xs" className="quiet" truncate>
                    {wokenText(moment.woke)} {moment.did == null ? '' : `→ ${didText(moment.did)}`}
                  </Text>
                  <Text size="xs">
                    <Time iso={moment.openedAt} />
                  </Text>
                </Group>
              </Link>
            )}
          </Rows>
        )
      }}
    </Answer>
  )
}

interface Woken {
  readonly trigger: string
  readonly from: string | null
  readonly what?: string
}
interface Did {
  readonly verb: string
  readonly operation?: string
  readonly target?: string
}

export const wokenText = (woke: Woken | null): string =>
  woke === null ? '' : [woke.trigger, woke.from, woke.what].filter((part) => part != null).join(' ')
export const didText = ({ verb, operation, target }: Did): string =>
  [verb, operation, target].filter((part) => part !== undefined).join(' ')
