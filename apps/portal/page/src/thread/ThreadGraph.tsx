import { Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { graphOf } from './graph.ts'

const ROW = 84
const TOP = 30
const HALF = 46
const NAME_MAX = 13
/** More beings than fit side by side are listed instead. */
const SHOWN_MAX = 60

type Line = Parameters<typeof graphOf>[0][number]

/** Who asked whom. The conversation beside it says the same in words. */
export function ThreadGraph({ lines }: { readonly lines: readonly Line[] }) {
  const { ref, width } = useElementSize<HTMLElement>()
  const { nodes, edges } = useMemo(() => graphOf(lines), [lines])
  const navigate = useNavigate()
  const layers = Math.max(0, ...nodes.map(({ layer }) => layer)) + 1
  const at = new Map(
    nodes.map(({ stance, layer, place, of }) => [
      stance,
      { x: (width * (place + 0.5)) / of, y: TOP + ROW * layer, half: Math.min(HALF, width / of / 2 - 3) },
    ]),
  )
  if (edges.length === 0 || nodes.length > SHOWN_MAX) return null
  return (
    <section className="card graph" aria-label="Who asked whom" ref={ref}>
      <Text size="sm" fw={600} mb="xs">
        Who asked whom
      </Text>
      {width === 0 ? null : (
        <svg width={width} height={TOP * 2 + ROW * (layers - 1)}>
          <title>Beings in layers, from who began down to who was asked last</title>
          <defs>
            <marker
              id="ask"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0,0 L8,4 L0,8 z" className="graph-head" />
            </marker>
          </defs>
          {edges.map(({ from, to, asks, answers }) => {
            const [a, b] = [at.get(from), at.get(to)]
            if (a === undefined || b === undefined) return null
            return (
              <g key={`${from} ${to}`} className="graph-edge" data-answered={answers > 0}>
                <path d={pathOf(a, b)} markerEnd="url(#ask)" />
                <text x={(a.x + b.x) / 2 + 6} y={(a.y + b.y) / 2 + (a.y === b.y ? 34 : 4)}>
                  {answers === 0 ? `${asks}` : `${asks}, ${answers} answered`}
                </text>
              </g>
            )
          })}
          {nodes.map(({ stance }) => {
            const spot = at.get(stance)
            if (spot === undefined) return null
            const open = () => void navigate({ to: '/beings/$name', params: { name: stance.slice(1) } })
            return (
              <g key={stance} transform={`translate(${spot.x} ${spot.y})`} className="graph-node">
                <a
                  href={`/beings/${stance.slice(1)}`}
                  aria-label={tellOf(stance, edges)}
                  onClick={(event) => {
                    event.preventDefault()
                    open()
                  }}
                >
                  <rect x={-spot.half} y={-15} width={2 * spot.half} height={30} rx={9} />
                  <text aria-hidden y={4}>
                    {short(stance, Math.max(3, Math.floor(spot.half / 3.6)))}
                  </text>
                </a>
              </g>
            )
          })}
        </svg>
      )}
    </section>
  )
}

interface At {
  readonly x: number
  readonly y: number
}

/** From the edge of one box to that of the other; along the same layer it goes below. */
function pathOf(a: At, b: At): string {
  const away = b.y > a.y ? 16 : -16
  if (a.y === b.y) return `M${a.x},${a.y + 16} C${a.x},${a.y + 44} ${b.x},${b.y + 44} ${b.x},${b.y + 18}`
  return `M${a.x},${a.y + away} C${a.x},${a.y + 2.4 * away} ${b.x},${b.y - 2.4 * away} ${b.x},${b.y - away - Math.sign(away) * 2}`
}

type Edge = ReturnType<typeof graphOf>['edges'][number]

function tellOf(stance: string, edges: readonly Edge[]): string {
  const asked = edges.filter(({ from, asks }) => from === stance && asks > 0).map(({ to }) => to)
  return asked.length === 0 ? `${stance}, asked nobody` : `${stance}, asked ${asked.join(', ')}`
}

const short = (text: string, max: number): string =>
  text.length <= Math.min(max, NAME_MAX) ? text : `${text.slice(0, Math.min(max, NAME_MAX) - 1)}…`
