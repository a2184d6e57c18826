import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { memo, useCallback, useMemo } from 'react'
import { mapQuery, sessionQuery, worldQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { MapView } from '../map/MapView.tsx'
import { groundOf, type MapMark, markKind, markName, type Plan, spotOn } from '../map/plan.ts'
import { Answer, Quiet } from '../parts/index.ts'
import { inNameOrder } from '../text/by-name.ts'

/**
 * The map of a space as it is now. It may have thousands of marks, and is not drawn anew when the list below
 * it grows.
 */
export const SpaceMap = memo(({ path }: { readonly path: string }) => {
  const charted = useQuery(mapQuery(path))
  const { data: world } = useQuery(worldQuery)
  const { data: session } = useQuery(sessionQuery)
  const mayBear = session?.uses.births === true
  const { data } = charted
  const navigate = useNavigate()
  const plan = useMemo((): Plan | null => {
    if (data === undefined) return null
    const ground = groundOf(data.size, data.floors)
    const within = new Map((world?.spaces ?? []).map((one) => [`space:${one.path}`, one.within.beings]))
    const marks = inNameOrder(data.marks, ({ key }) => key).map(
      (mark): MapMark => ({
        ...mark,
        spot: spotOn(ground, mark),
        beings: mark.beings === null ? null : (within.get(mark.key) ?? mark.beings),
      }),
    )
    return { path, extent: ground.extent, walls: ground.walls, marks }
  }, [data, path, world])
  const open = useCallback(
    (mark: MapMark) => {
      const kind = markKind(mark)
      if (kind === 'space') void navigate({ to: '/world', search: { at: markName(mark) } })
      if (kind === 'being') void navigate({ to: '/beings/$name', params: { name: markName(mark).slice(1) } })
    },
    [navigate],
  )
  return (
    <Answer of={charted}>
      {({ others }) =>
        plan === null || (plan.marks.length === 0 && plan.extent === null) ? null : (
          <div>
            <MapView plan={plan} onOpen={open} {...(mayBear ? { actionAt: birthAt } : {})} />
            {others === 0 ? null : (
              <Quiet size="xs" px={4}>
                {t('{{others}} more are here, but not on this map: the list has all beings.', { others })}
              </Quiet>
            )}
          </div>
        )
      }
    </Answer>
  )
})

/** From a place to a birth in it. */
const birthAt = (path: string) => (
  <Text size="sm">
    <Link to="/birth" search={{ home: path }}>
      {t('Give birth here')}
    </Link>
  </Text>
)
