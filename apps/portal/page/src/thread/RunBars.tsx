import { useMemo } from 'react'
import { shortName } from '../text/short.ts'
import { axisOf, type RunRow } from './run.ts'

/** Lower rows have no names. */
const NAMED_ROW_MIN = 13
const NAME_MAX = 10
const NAME_PX = 72
/** A moment that takes no time to be seen is this wide. */
const BAR_MIN = 3
/** Above and below a bar, in px. */
const GAP = 2

interface RunBarsProps {
  readonly rows: readonly RunRow[]
  /** key of the moment that is open beside the story */
  readonly chosen: string | null
  /** its height in px */
  readonly row: number
  readonly width: number
}

/** Each row by itself, or so many that they have no names: those that ended alike as one shape. */
export const RunBars = ({ rows, row, width, chosen }: RunBarsProps) =>
  row < NAMED_ROW_MIN ? (
    <ManyBars rows={rows} row={row} width={width} chosen={chosen} />
  ) : (
    <NamedBars rows={rows} row={row} width={width} chosen={chosen} />
  )

function NamedBars({ rows, row, width, chosen }: RunBarsProps) {
  const bars = useMemo(() => barsOf(rows, width - NAME_PX), [rows, width])
  return bars.map(({ of: { key, being, outcome }, x, length }, i) => (
    <g key={key} data-row={key} data-chosen={key === chosen} className="run-row">
      <rect className="run-ground" y={row * i} width={width} height={row} />
      <text x={4} y={row * i + row / 2 + 4}>
        {outcome === 'failure' ? '✗ ' : ''}
        {shortName(being, NAME_MAX)}
      </text>
      <rect
        className="run-bar"
        data-outcome={outcome}
        x={NAME_PX + x}
        y={row * i + GAP}
        width={length}
        height={row - 2 * GAP}
      />
    </g>
  ))
}

/** Drawn anew for another thread or width only: what is chosen in it is a mark above it. */
function ManyBars({ rows, row, width, chosen }: RunBarsProps) {
  const shapes = useMemo(() => shapesOf(rows, row, width), [rows, row, width])
  const at = rows.findIndex(({ key }) => key === chosen)
  return (
    <>
      {shapes.map(({ outcome, d }) => (
        <path key={outcome} className="run-bar" data-outcome={outcome} d={d} />
      ))}
      {at < 0 ? null : <rect className="run-chosen" y={row * at} width={width} height={row} />}
    </>
  )
}

/** The bar of each row: where it begins and how long it is, in px. */
function barsOf(rows: readonly RunRow[], width: number) {
  const place = axisOf(rows)
  const span = Math.max(0, width - BAR_MIN)
  return rows.map((of) => {
    const x = span * place(of.from)
    return { of, x, length: Math.max(BAR_MIN, span * place(of.to) - x) }
  })
}

/** All bars of each outcome as one path. */
function shapesOf(rows: readonly RunRow[], row: number, width: number) {
  const gap = row >= GAP * 3 ? GAP : 0
  const height = Math.max(1, row - 2 * gap)
  const boxes = barsOf(rows, width).map(({ of: { outcome }, x, length }, i) => ({
    outcome,
    d: `M${x},${row * i + gap}h${length}v${height}h${-length}z`,
  }))
  return [...Map.groupBy(boxes, ({ outcome }) => outcome)].map(([outcome, some]) => ({
    outcome,
    d: some.map(({ d }) => d).join(''),
  }))
}
