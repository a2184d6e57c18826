import { Badge, Group, Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type KeyboardEvent, memo, useId, useMemo, useState } from 'react'
import { Inert } from '../text/Inert.tsx'
import { seen } from '../text/unseen.ts'
import { type Drawing, type Drawn, layOut, nearest } from './layout.ts'
import { kindOf, type Mark, nameOf, type Plan } from './plan.ts'

const KINDS = { being: 'being', space: 'space', matter: 'thing' } as const
const WAYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}
/** So few beings that what they said stands beside them. */
const SPEAKERS_MAX = 12
const GRID_CELL_MIN = 7
/** The title of a mark says all that is drawn of it. */
const UNHEARD = { 'aria-hidden': true } as const

/**
 * A space from above. One stop of the Tab key: arrow keys go from mark to mark, Enter opens one. The list of the same page says
 * the same in words.
 */
export function MapView({ plan, onOpen }: { readonly plan: Plan; readonly onOpen: (mark: Mark) => void }) {
  const { ref, width } = useElementSize<HTMLDivElement>()
  const drawing = useMemo(() => (width === 0 ? null : layOut(plan, width)), [plan, width])
  const [chosen, choose] = useState<string | null>(null)
  const id = useId()
  const one = drawing?.drawn.find(({ mark }) => mark.key === chosen) ?? null
  const idOf = (mark: Mark) => `${id}-${mark.key}`
  const onKeyDown = (event: KeyboardEvent) => {
    const way = WAYS[event.key]
    if (drawing === null || drawing.drawn.length === 0) return
    if (event.key === 'Enter' && one !== null) onOpen(one.mark)
    else if (event.key === 'Home') choose(drawing.drawn[0]?.mark.key ?? null)
    else if (event.key === 'End') choose(drawing.drawn.at(-1)?.mark.key ?? null)
    else if (way !== undefined)
      choose(
        (current) =>
          (one === null ? drawing.drawn[0] : nearest(drawing.drawn, one, way))?.mark.key ?? current,
      )
    else return
    event.preventDefault()
  }
  return (
    <div>
      <div
        ref={ref}
        className="map"
        role="listbox"
        tabIndex={0}
        aria-label={`Map of ${plan.path}`}
        aria-describedby={`${id}-told`}
        aria-activedescendant={one === null ? undefined : idOf(one.mark)}
        onKeyDown={onKeyDown}
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
                isSpeaking={drawing.drawn.length <= SPEAKERS_MAX}
                onChoose={choose}
                onOpen={onOpen}
              />
            ))}
          </svg>
        )}
      </div>
      <Told id={`${id}-told`} mark={one?.mark ?? null} />
    </div>
  )
}

/** The squares with their walls. */
const Ground = memo(({ plan: { extent, walls }, drawing: { board } }: GroundProps) => {
  if (extent === null || board === null) return null
  const { x, y, cell } = board
  const lines = cell < GRID_CELL_MIN ? [] : [...gridOf(extent.x, extent.y)]
  return (
    <g>
      <rect className="map-floor" x={x} y={y} width={cell * extent.x} height={cell * extent.y} rx={3} />
      {lines.map(({ x1, y1, x2, y2 }) => (
        <line
          key={`${x1} ${y1} ${x2} ${y2}`}
          className="map-line"
          x1={x + cell * x1}
          y1={y + cell * y1}
          x2={x + cell * x2}
          y2={y + cell * y2}
        />
      ))}
      {walls.map((wall) => (
        <rect
          key={`${wall.x} ${wall.y}`}
          className="map-wall"
          x={x + cell * wall.x}
          y={y + cell * wall.y}
          width={cell}
          height={cell}
        />
      ))}
    </g>
  )
})
interface GroundProps {
  readonly plan: Plan
  readonly drawing: Drawing
}

function* gridOf(columns: number, rows: number) {
  for (let x = 1; x < columns; x++) yield { x1: x, y1: 0, x2: x, y2: rows }
  for (let y = 1; y < rows; y++) yield { x1: 0, y1: y, x2: columns, y2: y }
}

interface FigureProps {
  readonly id: string
  readonly drawn: Drawn
  readonly isChosen: boolean
  readonly isSpeaking: boolean
  readonly onChoose: (key: string) => void
  readonly onOpen: (mark: Mark) => void
}

/** One mark. Drawn again only when something of it changed, however many there are. */
const Figure = memo(
  ({ id, drawn, isChosen, isSpeaking, onChoose, onOpen }: FigureProps) => {
    const { mark, x, y, rx, ry, isLabelled } = drawn
    const kind = kindOf(mark)
    const name = nameOf(mark)
    return (
      <g
        id={id}
        role="option"
        aria-selected={isChosen}
        className={`map-mark map-${kind}`}
        data-hue={hueOf(mark)}
        data-ended={mark.isEnded}
        data-key={mark.key}
        data-spot={mark.spot === null ? undefined : `${mark.spot.x} ${mark.spot.y}`}
        style={{ transform: `translate(${x}px, ${y}px)` }}
        onClick={() => (isChosen ? onOpen(mark) : onChoose(mark.key))}
        onDoubleClick={() => onOpen(mark)}
      >
        <title>{tellOf(mark)}</title>
        {kind === 'being' ? (
          <circle r={rx} />
        ) : (
          <rect x={-rx} y={-ry} width={2 * rx} height={2 * ry} rx={kind === 'space' ? 8 : 3} />
        )}
        {kind === 'space' && isLabelled ? (
          <>
            <text {...UNHEARD} y={mark.beings === null ? 4 : -2}>
              {short(lastOf(name), 20)}
            </text>
            {mark.beings === null ? null : (
              <text {...UNHEARD} y={13} className="map-note">
                {mark.beings === 1 ? '1 being' : `${mark.beings} beings`}
              </text>
            )}
          </>
        ) : null}
        {kind !== 'space' && rx >= 10 ? (
          <text {...UNHEARD} y={4}>
            {lettersOf(name)}
          </text>
        ) : null}
        {kind !== 'space' && isLabelled ? (
          <text {...UNHEARD} y={ry + 13} className="map-name">
            {short(name, 12)}
          </text>
        ) : null}
        {isSpeaking && mark.words !== null ? <Bubble words={mark.words} above={ry + 6} /> : null}
      </g>
    )
  },
  (a, b) =>
    a.isChosen === b.isChosen &&
    a.isSpeaking === b.isSpeaking &&
    a.drawn.x === b.drawn.x &&
    a.drawn.y === b.drawn.y &&
    a.drawn.rx === b.drawn.rx &&
    a.drawn.isLabelled === b.drawn.isLabelled &&
    a.onOpen === b.onOpen &&
    isSame(a.drawn.mark, b.drawn.mark),
)

const isSame = (a: Mark, b: Mark): boolean =>
  a === b ||
  (a.key === b.key &&
    a.words === b.words &&
    a.isEnded === b.isEnded &&
    a.beings === b.beings &&
    a.spot?.x === b.spot?.x &&
    a.spot?.y === b.spot?.y &&
    a.roles.join() === b.roles.join())

const BUBBLE_LETTERS = 22
const LETTER_PX = 6

function Bubble({ words, above }: { readonly words: string; readonly above: number }) {
  const text = short(seen(words).replaceAll(/\s+/g, ' '), BUBBLE_LETTERS)
  const width = LETTER_PX * text.length + 14
  return (
    <g className="map-bubble">
      <rect x={-width / 2} y={-above - 20} width={width} height={20} rx={9} />
      <text {...UNHEARD} y={-above - 6}>
        {text}
      </text>
    </g>
  )
}

/** What is chosen, in words. */
function Told({ id, mark }: { readonly id: string; readonly mark: Mark | null }) {
  return (
    <Group id={id} gap={6} mih={28} px={4} pt={6} aria-live="polite">
      {mark === null ? (
        <Text size="xs" className="quiet">
          Arrow keys go from mark to mark, Enter opens one.
        </Text>
      ) : (
        <>
          <Text size="sm" fw={600}>
            <Inert text={nameOf(mark)} />
          </Text>
          {mark.spot === null ? null : (
            <Text size="xs" className="quiet">
              at {mark.spot.x}, {mark.spot.y}
            </Text>
          )}
          {mark.roles.map((role, i) => (
            <Badge key={role} variant={i === 0 ? 'light' : 'outline'} tt="none">
              {role}
            </Badge>
          ))}
          {mark.words === null ? null : (
            <Text size="sm" className="quiet" lineClamp={2}>
              “<Inert text={mark.words} />”
            </Text>
          )}
        </>
      )}
    </Group>
  )
}

/** A mark in words, for those who do not see it. */
function tellOf(mark: Mark): string {
  const { spot, roles, words, isEnded, beings } = mark
  return [
    `${KINDS[kindOf(mark)]} ${nameOf(mark)}`,
    ...(isEnded ? ['ended'] : []),
    ...(spot === null ? [] : [`at ${spot.x}, ${spot.y}`]),
    ...(roles.length === 0 ? [] : [`wears ${roles.join(' and ')}`]),
    ...(beings === null ? [] : [`${beings} beings in it`]),
    ...(words === null ? [] : [`said: ${seen(words)}`]),
  ].join(', ')
}

const HUES = 8
/** Beings in the same primary role have the same colour; the role itself stands in the list and below the map. */
function hueOf({ roles: [primary] }: Mark): number | undefined {
  if (primary === undefined) return undefined
  let sum = 0
  for (const letter of primary) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973
  return sum % HUES
}

const lastOf = (path: string): string => (path === '/' ? '/' : `/${path.split('/').at(-1)}`)
const lettersOf = (name: string): string => name.replace(/^@/, '').slice(0, 2)
const short = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1)}…`
