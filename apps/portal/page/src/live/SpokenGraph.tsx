import { useNavigate } from '@tanstack/react-router'
import { t } from '../language/index.ts'
import { ArrowHead, Quiet } from '../parts/index.ts'
import { shortName } from '../text/short.ts'
import { seen } from '../text/unseen-text.ts'
import { circleOf, heightOf, labelAt, NARROW, WIDE, widthOf } from './circle.ts'
import type { SpokenWords } from './queries.ts'
import { useIsNarrow } from './useIsNarrow.ts'

/** Who spoke to whom, as a picture. The list beside it says the same in words, and leads to each. */
export function SpokenGraph({ spoken }: { readonly spoken: readonly SpokenWords[] }) {
  const navigate = useNavigate()
  const size = useIsNarrow() ? NARROW : WIDE
  const { nodes, lines, others } = circleOf(spoken, size)
  const height = heightOf(size)
  return (
    <div className="map">
      <svg
        viewBox={`0 0 ${widthOf(size)} ${height}`}
        role="img"
        aria-label={t('Who spoke to whom')}
        className="spoken-graph"
      >
        <ArrowHead id="spoken-head" />
        {lines.map(({ from, to, path, width, isFailing }) => (
          <path
            key={`${from.stance} ${to.stance}`}
            d={path}
            strokeWidth={width}
            className="spoken-line"
            data-failing={isFailing}
            markerEnd="url(#spoken-head)"
          />
        ))}
        {nodes.map(({ stance, x, y, side }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the list beside it has the same links
          <g
            key={stance}
            className="spoken-node"
            onClick={() => void navigate({ to: '/beings/$name', params: { name: stance.slice(1) } })}
          >
            <circle cx={x} cy={y} r={10} />
            <text {...labelAt({ x, y, side }, height)} textAnchor={side}>
              <title>{seen(stance)}</title>
              {shortName(seen(stance), size.nameChars)}
            </text>
          </g>
        ))}
      </svg>
      <Quiet size="xs" p="xs">
        {t(
          'An arrow leads from who spoke to who heard it: the thicker, the more often; red where some of that failed.',
        )}
        {others > 0 ? ` ${t('{{others}} more spoke less, and are in the list.', { others })}` : ''}
      </Quiet>
    </div>
  )
}
