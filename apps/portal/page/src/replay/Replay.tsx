import { Badge, Button, Group, Progress, Select, Slider, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { sessionQuery } from '../api/queries.ts'
import { MapView } from '../map/MapView.tsx'
import { kindOf, type Mark, nameOf } from '../map/plan.ts'
import { BeingLink } from '../shell/links.tsx'
import { Rows } from '../shell/Rows.tsx'
import { Answer, Empty } from '../shell/states.tsx'
import { Time } from '../shell/Time.tsx'
import { Inert } from '../text/Inert.tsx'
import { Branch } from './Branch.tsx'
import { Compare } from './Compare.tsx'
import { fullestOf, pathsOf, planOf } from './planOf.ts'
import type { Trace, Track } from './track.ts'
import { useTrack } from './useTrack.ts'

const SPEEDS = { '1': 'slow', '4': 'four a second', '20': 'twenty a second' }
const LINK_MS = 300

/** The world as it was after any entry of its record: where everyone was, and what they wore. */
export function Replay() {
  const { track, upTo, query, isStopped, stop, goOn } = useTrack()
  return (
    <Stack gap="md">
      <div>
        <Title order={1}>Replay</Title>
        <Text size="sm" className="quiet">
          The record from its first fact on, as far as the past is open to you.
        </Text>
      </div>
      {query.isFetching && track.upTo < track.newest ? (
        <Loaded track={track} onStop={stop} />
      ) : isStopped ? (
        <Group gap="sm">
          <Text size="sm" className="quiet">
            Loaded up to {track.upTo} of {track.newest}.
          </Text>
          <Button size="xs" variant="default" onClick={goOn}>
            Load the rest
          </Button>
        </Group>
      ) : null}
      <Answer of={upTo > 0 ? { ...query, data: upTo } : query}>
        {() =>
          track.next(0) === null ? (
            <Empty title="Nothing is open to you yet">
              The past of a being is open to itself, to its makers and to the operator.
            </Empty>
          ) : (
            <Player track={track} upTo={upTo} />
          )
        }
      </Answer>
    </Stack>
  )
}

const Loaded = ({ track, onStop }: { readonly track: Track; readonly onStop: () => void }) => (
  <Group gap="sm" wrap="nowrap">
    <Progress
      flex={1}
      value={(100 * track.upTo) / Math.max(1, track.newest)}
      aria-label="Loading of the record"
    />
    <Text size="sm" className="quiet">
      {track.upTo} of {track.newest}
    </Text>
    <Button size="xs" variant="default" onClick={onStop}>
      Stop
    </Button>
  </Group>
)

function Player({ track, upTo }: { readonly track: Track; readonly upTo: number }) {
  const search = useSearch({ from: '/signed-in/replay' })
  const navigate = useNavigate({ from: '/replay' })
  /** null: the end, wherever that is */
  const [chosen, choose] = useState<number | null>(search.at ?? null)
  const [speed, setSpeed] = useState<string | null>(null)
  const position = Math.min(chosen ?? upTo, upTo)
  useEffect(() => {
    if (speed === null) return
    const timer = setInterval(() => {
      choose((current) => {
        const next = track.next(current ?? track.upTo)
        if (next === null) setSpeed(null)
        return next ?? current
      })
    }, 1000 / Number(speed))
    return () => clearInterval(timer)
  }, [speed, track])
  useEffect(() => {
    const timer = setTimeout(() => {
      const at = chosen === null ? {} : { at: chosen }
      void navigate({
        search: ({ in: path }) => ({ ...at, ...(path === undefined ? {} : { in: path }) }),
        replace: true,
      })
    }, LINK_MS)
    return () => clearTimeout(timer)
  }, [chosen, navigate])
  const goTo = (to: number | null) => {
    setSpeed(null)
    if (to !== null) choose(to >= upTo ? null : to)
  }
  const play = () => {
    if (track.next(position) === null) choose(0)
    setSpeed('4')
  }
  const step = track.stepAt(position)
  return (
    <>
      <section className="card" aria-label="Position">
        <Stack gap="xs">
          <Slider
            min={0}
            max={upTo}
            value={position}
            onChange={goTo}
            label={null}
            thumbLabel="Position in the record"
            thumbProps={{ 'aria-valuetext': `${position} of ${upTo}` }}
          />
          <Group justify="space-between" gap="sm">
            <Group gap="xs">
              <Button size="xs" variant="default" onClick={() => goTo(0)} disabled={position === 0}>
                Genesis
              </Button>
              <Button
                size="xs"
                variant="default"
                onClick={() => goTo(track.previous(position))}
                disabled={position === 0}
              >
                Back
              </Button>
              {speed === null ? (
                <Button size="xs" onClick={play} w={72}>
                  Play
                </Button>
              ) : (
                <Button size="xs" onClick={() => setSpeed(null)} w={72}>
                  Pause
                </Button>
              )}
              <Button
                size="xs"
                variant="default"
                onClick={() => goTo(track.next(position))}
                disabled={track.next(position) === null}
              >
                Forward
              </Button>
              <Button size="xs" variant="default" onClick={() => goTo(upTo)} disabled={chosen === null}>
                Now
              </Button>
              {speed === null ? null : (
                <Select
                  size="xs"
                  w={140}
                  aria-label="Speed"
                  allowDeselect={false}
                  data={Object.entries(SPEEDS).map(([value, label]) => ({ value, label }))}
                  value={speed}
                  onChange={setSpeed}
                />
              )}
            </Group>
            <Text size="sm" role="status">
              <b data-entry={position}>{position}</b> <span className="quiet">of {upTo}</span>
              {step === null ? null : (
                <>
                  {' · '}
                  <Time iso={step.at} />
                </>
              )}
            </Text>
          </Group>
          <What step={step} />
        </Stack>
      </section>
      <Scene track={track} position={position} upTo={upTo} />
    </>
  )
}

/** What happened last at a position, with a link to its moment. */
function What({ step }: { readonly step: ReturnType<Track['stepAt']> }) {
  if (step === null)
    return (
      <Text size="sm" className="quiet">
        Before the first fact.
      </Text>
    )
  const { moment } = step
  if (moment === null)
    return (
      <Text size="sm" className="quiet">
        Facts of no moment: the reality was made or changed by its owner.
      </Text>
    )
  const { being, n, outcome, reason } = moment
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm">
        <BeingLink stance={`@${being}`} />
        {' · '}
        <Link to="/beings/$name" params={{ name: being }} search={{ n }}>
          moment {n}: {outcome}
          {reason === null ? '' : ` (${reason})`}
        </Link>
      </Text>
      <Branch at={`@${being}:${n}`} />
    </Group>
  )
}

function Scene({
  track,
  position,
  upTo,
}: {
  readonly track: Track
  readonly position: number
  readonly upTo: number
}) {
  const shown = useDeferredValue(position)
  // The track changes in place as more of it is loaded, up to `upTo`.
  const traces = useMemo(() => track.at(shown), [track, shown, upTo])
  const { in: wanted } = useSearch({ from: '/signed-in/replay' })
  const navigate = useNavigate({ from: '/replay' })
  const path = wanted ?? fullestOf(traces)
  const plan = useMemo(() => planOf(track, traces, path), [track, traces, path])
  const beings = useMemo(() => beingsOf(traces, path), [traces, path])
  const session = useQuery(sessionQuery)
  const mover = track.stepAt(shown)?.moment?.being
  const open = (mark: Mark) => {
    const kind = kindOf(mark)
    if (kind === 'space') void navigate({ search: (old) => ({ ...old, in: nameOf(mark) }) })
    const n = traces.find(({ key }) => key === mark.key)?.n ?? 0
    if (kind === 'being')
      void navigate({
        to: '/beings/$name',
        params: { name: nameOf(mark).slice(1) },
        search: n > 0 ? { n } : {},
      })
  }
  return (
    <div className="halves">
      <Stack gap="xs">
        <Select
          label="Space"
          searchable
          limit={100}
          allowDeselect={false}
          data={[...new Set([path, ...pathsOf(traces)])]}
          value={path}
          onChange={(to) => void navigate({ search: (old) => ({ ...old, in: to ?? '/' }), replace: true })}
        />
        <MapView plan={plan} onOpen={open} />
        <Compare
          me={session.data?.stance ?? null}
          beings={beings.map(({ key }) => key.slice('being:'.length))}
        />
      </Stack>
      {beings.length === 0 ? (
        <Empty title="Nobody was there yet">Go forward: beings appear as they are born.</Empty>
      ) : (
        <Rows label="What each being wore" items={beings} keyOf={({ key }) => key} height={46}>
          {(trace) => <Worn trace={trace} track={track} isMoving={trace.key === `being:${mover}`} />}
        </Rows>
      )}
    </div>
  )
}

/** Those in the space first, then by name. */
const beingsOf = (traces: readonly Trace[], path: string): Trace[] =>
  traces
    .filter(({ key }) => key.startsWith('being:'))
    .sort((a, b) => Number(b.place === path) - Number(a.place === path) || (a.key < b.key ? -1 : 1))

interface WornProps {
  readonly trace: Trace
  readonly track: Track
  readonly isMoving: boolean
}

function Worn({ trace: { key, n, stack: digest, place, words, isEnded }, track, isMoving }: WornProps) {
  const name = key.slice('being:'.length)
  const stack = track.stack(digest)
  return (
    <div
      className="row"
      data-chosen={isMoving}
      data-being={name}
      data-n={n}
      data-stack={digest ?? ''}
      data-worn={JSON.stringify(stack)}
    >
      <Group justify="space-between" wrap="nowrap" gap="xs" align="flex-start">
        <Text size="sm" fw={600}>
          <BeingLink stance={`@${name}`} />{' '}
          {n === 0 ? null : (
            <Link to="/beings/$name" params={{ name }} search={{ n }} className="number">
              {n}
            </Link>
          )}
        </Text>
        <Group gap={6} justify="flex-end">
          {isEnded ? (
            <Badge variant="light" color="gray">
              ended
            </Badge>
          ) : null}
          {stack === null ? (
            <Text size="xs" className="quiet">
              {n === 0 ? 'no moment yet' : 'no role'}
            </Text>
          ) : (
            [stack.primary, ...stack.stacked].map((role, i) => (
              <Badge key={role.name} variant={i === 0 ? 'light' : 'outline'} tt="none">
                {role.name}
              </Badge>
            ))
          )}
        </Group>
      </Group>
      <Text size="xs" className="quiet" lineClamp={1}>
        {place}
        {words === null ? null : (
          <>
            {' · '}“<Inert text={words} />”
          </>
        )}
      </Text>
    </div>
  )
}
