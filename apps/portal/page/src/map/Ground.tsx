import { memo } from 'react'
import type { MapDrawing } from './layout.ts'
import type { Plan } from './plan.ts'

const GRID_CELL_MIN = 7

interface GroundProps {
  readonly plan: Plan
  readonly drawing: MapDrawing
}

/** The squares with their walls. */
export const Ground = memo(({ plan: { extent, walls }, drawing: { board } }: GroundProps) => {
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

function* gridOf(columns: number, rows: number) {
  for (let x = 1; x < columns; x++) yield { x1: x, y1: 0, x2: x, y2: rows }
  for (let y = 1; y < rows; y++) yield { x1: 0, y1: y, x2: columns, y2: y }
}
