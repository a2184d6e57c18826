import { Select, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useDeferredValue, useMemo } from 'react'
import { sessionQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { MapView } from '../map/MapView.tsx'
import { type MapMark, markKind, markName } from '../map/plan.ts'
import { Empty, Rows } from '../parts/index.ts'
import { Compare } from './Compare.tsx'
import { PastBeing } from './PastBeing.tsx'
import { fullestOf, pathsOf, planOf } from './planOf.ts'
import type { Track, TrackPoint } from './track.ts'

interface SceneProps {
  readonly track: Track
  readonly position: number
  readonly upTo: number
}

/** One space and its beings as they were at a position of the record. */
export function Scene({ track, position, upTo }: SceneProps) {
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
  const open = (mark: MapMark) => {
    const [kind, name] = [markKind(mark), markName(mark)]
    if (kind === 'space') void navigate({ search: (old) => ({ ...old, in: name }) })
    const n = traces.find(({ key }) => key === mark.key)?.n ?? 0
    const search = n > 0 ? { n } : {}
    if (kind === 'being') void navigate({ to: '/beings/$name', params: { name: name.slice(1) }, search })
  }
  return (
    <div className="halves">
      <Stack gap="xs">
        <Select
          label={t('Space')}
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
        <Empty title={t('Nobody was there yet')}>{t('Go forward: beings appear as they are born.')}</Empty>
      ) : (
        <Rows label={t('What each being wore')} items={beings} keyOf={({ key }) => key} height={46}>
          {(trace) => <PastBeing trace={trace} track={track} isMoving={trace.key === `being:${mover}`} />}
        </Rows>
      )}
    </div>
  )
}

/** Those in the space first. @param traces in the order of names, as they stay */
function beingsOf(traces: readonly TrackPoint[], path: string): TrackPoint[] {
  const beings = traces.filter(({ key }) => key.startsWith('being:'))
  return [...beings.filter(({ place }) => place === path), ...beings.filter(({ place }) => place !== path)]
}
