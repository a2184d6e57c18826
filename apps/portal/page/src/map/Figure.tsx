import { memo } from 'react'
import { t } from '../language/index.ts'
import { STATES } from '../parts/index.ts'
import { shortName } from '../text/short.ts'
import { seen } from '../text/unseen-text.ts'
import { type DrawnMark, type MapMark, markKind, markName } from './plan.ts'
import type { PlacedText } from './words.ts'

const MARK_KINDS = { being: t('being'), space: t('space'), matter: t('thing') } as const
/** The title of a mark says all that is drawn of it. */
const UNHEARD = { 'aria-hidden': true } as const

interface FigureProps {
  readonly id: string
  readonly drawn: DrawnMark
  readonly name: PlacedText | undefined
  readonly bubble: PlacedText | undefined
  readonly isChosen: boolean
  readonly onChoose: (key: string) => void
  readonly onOpen: (mark: MapMark) => void
}

/** One mark. Drawn again only when something of it changed, however many there are. */
export const Figure = memo(
  ({ id, drawn, name, bubble, isChosen, onChoose, onOpen }: FigureProps) => {
    const { mark, x, y, rx, ry } = drawn
    const kind = markKind(mark)
    return (
      <g
        id={id}
        role="option"
        aria-selected={isChosen}
        className={`map-mark map-${kind}`}
        data-hue={hueOf(mark)}
        data-ended={mark.isEnded}
        data-state={mark.states?.[0]}
        data-key={mark.key}
        data-spot={mark.spot === null ? undefined : `${mark.spot.x} ${mark.spot.y}`}
        style={{ transform: `translate(${x}px, ${y}px)` }}
        onClick={(event) => {
          event.stopPropagation() // it is not the ground that was pressed
          if (isChosen) onOpen(mark)
          else onChoose(mark.key)
        }}
        onDoubleClick={() => onOpen(mark)}
      >
        <title>{tellOf(mark)}</title>
        {kind === 'being' ? (
          <circle r={rx} />
        ) : (
          <rect x={-rx} y={-ry} width={2 * rx} height={2 * ry} rx={kind === 'space' ? 8 : 3} />
        )}
        {kind === 'space' ? <SpaceLabel mark={mark} /> : null}
        {kind !== 'space' && rx >= 10 ? (
          <text {...UNHEARD} y={4}>
            {markName(mark).replace(/^@/, '').slice(0, 2)}
          </text>
        ) : null}
        {name === undefined ? null : (
          <text {...UNHEARD} x={name.x - x + name.width / 2} y={name.y - y + 11} className="map-name">
            {name.text}
          </text>
        )}
        {bubble === undefined ? null : <Bubble {...bubble} x={bubble.x - x} y={bubble.y - y} />}
      </g>
    )
  },
  (a, b) =>
    a.isChosen === b.isChosen &&
    a.onOpen === b.onOpen &&
    (['x', 'y', 'rx'] as const).every((field) => a.drawn[field] === b.drawn[field]) &&
    isSamePlace(a.name, b.name) &&
    isSamePlace(a.bubble, b.bubble) &&
    isSame(a.drawn.mark, b.drawn.mark),
)

const isSamePlace = (a: PlacedText | undefined, b: PlacedText | undefined): boolean =>
  (['text', 'x', 'y', 'width'] as const).every((field) => a?.[field] === b?.[field])

const isSame = (a: MapMark, b: MapMark): boolean =>
  a === b ||
  ((['key', 'words', 'isEnded', 'beings'] as const).every((field) => a[field] === b[field]) &&
    a.states?.join() === b.states?.join() &&
    a.spot?.x === b.spot?.x &&
    a.spot?.y === b.spot?.y &&
    a.roles.join() === b.roles.join())

function SpaceLabel({ mark }: Pick<DrawnMark, 'mark'>) {
  const { beings } = mark
  return (
    <>
      <text {...UNHEARD} y={beings === null ? 4 : -2}>
        {shortName(lastOf(markName(mark)), 20)}
      </text>
      {beings === null ? null : (
        <text {...UNHEARD} y={13} className="map-note">
          {t('{{count}} beings', { count: beings })}
        </text>
      )}
    </>
  )
}

const Bubble = ({ text, x, y, width, height }: PlacedText) => (
  <g className="map-bubble">
    <rect x={x} y={y} width={width} height={height} rx={9} />
    <text {...UNHEARD} x={x + width / 2} y={y + 14}>
      {text}
    </text>
  </g>
)

/** A mark in words, for those who do not see it. */
function tellOf(mark: MapMark): string {
  const { spot, roles, words, isEnded, states = [], beings } = mark
  return [
    `${MARK_KINDS[markKind(mark)]} ${markName(mark)}`,
    ...(isEnded ? [t('ended', { context: 'state' })] : states.map((state) => STATES[state].words)),
    ...(spot === null ? [] : [t('at {{x}}, {{y}}', { x: spot.x, y: spot.y })]),
    ...(roles.length === 0 ? [] : [t('wears {{roles}}', { roles: roles.join(` ${t('and')} `) })]),
    ...(beings === null ? [] : [t('{{beings}} beings in it', { beings })]),
    ...(words === null ? [] : [t('said: {{words}}', { words: seen(words) })]),
  ].join(', ')
}

const HUES = 8
/**
 * Beings in the same primary role have the same colour; the role itself stands in the list and below the map.
 */
function hueOf({ roles: [primary] }: MapMark): number | undefined {
  if (primary === undefined) return undefined
  let sum = 0
  for (const letter of primary) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973
  return sum % HUES
}

const lastOf = (path: string): string => (path === '/' ? '/' : `/${path.split('/').at(-1)}`)
