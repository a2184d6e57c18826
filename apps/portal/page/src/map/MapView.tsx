import { t } from '../language/index.ts'
import './map.css'
import { useElementSize } from '@mantine/hooks'
import { type KeyboardEvent, type ReactNode, useId, useMemo, useState } from 'react'
import { ChosenMark } from './ChosenMark.tsx'
import { Figure } from './Figure.tsx'
import { Ground } from './Ground.tsx'
import { layOut, type MapDrawing, nearest } from './layout.ts'
import { measure } from './measure.ts'
import { type DrawnMark, type MapMark, markKind, markName, type Plan } from './plan.ts'

const ARROW_KEYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}
interface MapViewProps {
  readonly plan: Plan
  readonly onOpen: (mark: MapMark) => void
  /** what can be done at a place, which is pressed or chosen by keys: the path of a space */
  readonly actionAt?: (path: string) => ReactNode
}

/**
 * A space from above. One stop of the Tab key: arrow keys go from mark to mark, Enter opens one. The list of
 * the same page says the same in words.
 */
export function MapView({ plan, onOpen, actionAt }: MapViewProps) {
  const { ref, width } = useElementSize<HTMLDivElement>()
  const drawing = useMemo(() => (width === 0 ? null : layOut(plan, width, measure)), [plan, width])
  const [chosen, choose] = useState<string | null>(null)
  const id = useId()
  const one = drawing?.drawn.find(({ mark }) => mark.key === chosen) ?? null
  const idOf = (mark: MapMark) => `${id}-${mark.key}`
  const onKeyDown = (event: KeyboardEvent) => {
    if (drawing === null || drawing.drawn.length === 0) return
    if (event.key === 'Enter' && one !== null) onOpen(one.mark)
    else if (event.key === 'Escape') choose(null)
    else {
      const reached = reach(drawing, one, event.key)
      if (reached === undefined) return
      choose((current) => reached?.mark.key ?? current)
    }
    event.preventDefault()
  }
  return (
    <div>
      <div
        ref={ref}
        className="map"
        role="listbox"
        tabIndex={0}
        aria-label={t('Map of {{path}}', { path: plan.path })}
        aria-describedby={`${id}-told`}
        aria-activedescendant={one === null ? undefined : idOf(one.mark)}
        onKeyDown={onKeyDown}
        onClick={() => choose(null)} // the ground was pressed: a mark keeps its own press
      >
        {drawing === null ? null : (
          <svg role="presentation" width={drawing.width} height={drawing.height}>
            <Ground plan={plan} drawing={drawing} />
            {drawing.drawn.map((drawn) => (
              <Figure
                key={drawn.mark.key}
                id={idOf(drawn.mark)}
                drawn={drawn}
                isChosen={drawn.mark.key === chosen}
                name={drawing.names.get(drawn.mark.key)}
                bubble={drawing.bubbles.get(drawn.mark.key)}
                onChoose={choose}
                onOpen={onOpen}
              />
            ))}
          </svg>
        )}
      </div>
      <ChosenMark
        id={`${id}-told`}
        mark={one?.mark ?? null}
        action={actionAt?.(placeOf(one?.mark, plan.path))}
      />
    </div>
  )
}

/** The space that is chosen, or the one in which all else is. */
const placeOf = (mark: MapMark | undefined, path: string): string =>
  mark !== undefined && markKind(mark) === 'space' ? markName(mark) : path

/**
 * The mark to which a key leads; null when there is none that way, undefined for a key that leads nowhere.
 */
function reach({ drawn }: MapDrawing, from: DrawnMark | null, key: string): DrawnMark | null | undefined {
  if (key === 'Home') return drawn[0]
  if (key === 'End') return drawn.at(-1)
  const way = ARROW_KEYS[key]
  if (way === undefined) return undefined
  return from === null ? drawn[0] : nearest(drawn, from, way)
}
