import { t } from '../language/index.ts'
import './graph.css'
import { Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ArrowHead } from '../parts/index.ts'
import { shortName } from '../text/short.ts'
import { type Edge, graphOf } from './graph.ts'

const ROW = 84
const TOP = 30
const HALF = 46
const NAME_MAX = 13
/** More beings than fit side by side are listed instead. */
const DRAWN_BEINGS_MAX = 60

/** Who asked whom. The conversation beside it says the same in words. */
export function ThreadGraph({ lines }: { readonly lines: Parameters<typeof graphOf>[0] }) {
  const { ref, width } = useElementSize<HTMLElement>()
  const { nodes, edges } = useMemo(() => graphOf(lines), [lines])
  const layers = Math.max(0, ...nodes.map(({ layer }) => layer)) + 1
  const at = new Map(
    nodes.map(({ stance, layer, place, of }) => [
      stance,
      { x: (width * (place + 0.5)) / of, y: TOP + ROW * layer, half: Math.min(HALF, width / of / 2 - 3) },
    ]),
  )
  if (edges.length === 0 || nodes.length > DRAWN_BEINGS_MAX) return null
  return (
    <section className="card graph" aria-label={t('Who asked whom')} ref={ref}>
      <Text size="sm" fw={600} mb="xs">
        {t('Who asked whom')}
      </Text>
      {width === 0 ? null : (
        <svg width={width} height={TOP * 2 + ROW * (layers - 1)}>
          <title>{t('Beings in layers, from who began down to who was asked last')}</title>
          <ArrowHead id="ask" />
          {edges.map((edge) => (
            <Arrow key={`${edge.from} ${edge.to}`} edge={edge} a={at.get(edge.from)} b={at.get(edge.to)} />
          ))}
          {nodes.map(({ stance }) => (
            <GraphBox key={stance} stance={stance} edges={edges} at={at.get(stance)} />
          ))}
        </svg>
      )}
    </section>
  )
}

interface GraphSpot {
  readonly x: number
  readonly y: number
  /** of the width of its box */
  readonly half: number
}
interface ArrowProps {
  readonly edge: Edge
  readonly a: GraphSpot | undefined
  readonly b: GraphSpot | undefined
}

function Arrow({ edge: { asks, answers }, a, b }: ArrowProps) {
  if (a === undefined || b === undefined) return null
  return (
    <g className="graph-edge" data-answered={answers > 0}>
      <path d={pathOf(a, b)} markerEnd="url(#ask)" />
      <text x={(a.x + b.x) / 2 + 6} y={(a.y + b.y) / 2 + (a.y === b.y ? 34 : 4)}>
        {answers === 0 ? `${asks}` : t('{{asks}}, {{answers}} answered', { asks, answers })}
      </text>
    </g>
  )
}

interface BoxProps {
  readonly stance: string
  readonly edges: readonly Edge[]
  readonly at: GraphSpot | undefined
}

function GraphBox({ stance, edges, at }: BoxProps) {
  if (at === undefined) return null
  const { x, y, half } = at
  const asked = edges.filter(({ from, asks }) => from === stance && asks > 0).map(({ to }) => to)
  return (
    <g transform={`translate(${x} ${y})`} className="graph-node">
      <Link
        to="/beings/$name"
        params={{ name: stance.slice(1) }}
        aria-label={t('{{stance}}, asked {{asked}}', {
          stance,
          asked: asked.length === 0 ? t('nobody') : asked.join(', '),
        })}
      >
        <rect x={-half} y={-15} width={2 * half} height={30} rx={9} />
        <text aria-hidden y={4}>
          {shortName(stance, Math.min(NAME_MAX, Math.max(3, Math.floor(half / 3.6))))}
        </text>
      </Link>
    </g>
  )
}

/** From the edge of one box to that of the other; along the same layer it goes below. */
function pathOf(a: GraphSpot, b: GraphSpot): string {
  const away = b.y > a.y ? 16 : -16
  if (a.y === b.y) return `M${a.x},${a.y + 16} C${a.x},${a.y + 44} ${b.x},${b.y + 44} ${b.x},${b.y + 18}`
  return `M${a.x},${a.y + away} C${a.x},${a.y + 2.4 * away} ${b.x},${b.y - 2.4 * away} ${b.x},${b.y - away - Math.sign(away) * 2}`
}
