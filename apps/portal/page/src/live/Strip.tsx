import { useNavigate } from '@tanstack/react-router'
import { t } from '../language/index.ts'
import { byName } from '../text/by-name.ts'
import { CLOCK_SECONDS } from '../text/clock.ts'
import { shortName } from '../text/short.ts'
import { seen } from '../text/unseen-text.ts'
import { endedBy } from '../words/end-words.ts'
import type { LatelyFound, StripMark } from './queries.ts'
import { useIsNarrow } from './useIsNarrow.ts'

const LANES_MAX = 12
const LANE = 24
const AXIS = 22
/** In px: the names before the lanes, all of it, and how many times are written below. */
const WIDE_STRIP = { names: 130, width: 1000, ticks: 5, nameChars: 17 }
const NARROW_STRIP = { names: 90, width: 330, ticks: 2, nameChars: 11 }

/** The last minutes from left to right, a lane for each being: a mark for each moment, as long as it took. The list below says the same in words. */
export function Strip({ since, until, strip }: Pick<LatelyFound, 'since' | 'until' | 'strip'>) {
  const navigate = useNavigate()
  const { names, width, ticks, nameChars } = useIsNarrow() ? NARROW_STRIP : WIDE_STRIP
  const lanes = [...Map.groupBy(strip, ({ being }) => being)]
    .sort(([a, m], [b, n]) => n.length - m.length || byName(a, b))
    .slice(0, LANES_MAX)
  const [begin, end] = [Date.parse(since), Date.parse(until)]
  const x = (iso: string) => names + ((Date.parse(iso) - begin) / (end - begin)) * (width - names - 8)
  const height = lanes.length * LANE + AXIS
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it is reached by keys
    <section className="map strip" aria-label={t('Strip of the last minutes')} tabIndex={0}>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={t('The last minutes')}>
        {Array.from({ length: ticks }, (_, i) => {
          const at = begin + ((end - begin) * i) / (ticks - 1)
          const left = x(new Date(at).toISOString())
          return (
            <g key={at}>
              <line x1={left} x2={left} y1={0} y2={height - AXIS} className="map-line" />
              <text
                x={left}
                y={height - 6}
                textAnchor={i === ticks - 1 ? 'end' : 'middle'}
                className="strip-note"
              >
                {CLOCK_SECONDS.format(at)}
              </text>
            </g>
          )
        })}
        {lanes.map(([being, marks], lane) => (
          <g key={being}>
            <text x={8} y={lane * LANE + 16} className="strip-name">
              <title>{seen(being)}</title>
              {shortName(seen(being), nameChars)}
            </text>
            {marks.map((mark) => (
              // biome-ignore lint/a11y/noStaticElementInteractions: the list below has the same links
              <rect
                key={mark.n}
                x={x(mark.openedAt ?? mark.endedAt)}
                y={lane * LANE + 4}
                width={Math.max(4, x(mark.endedAt) - x(mark.openedAt ?? mark.endedAt))}
                height={LANE - 8}
                rx={2}
                className="strip-mark"
                data-outcome={mark.outcome}
                onClick={() =>
                  void navigate({
                    to: '/beings/$name',
                    params: { name: being.slice(1) },
                    search: { n: mark.n },
                  })
                }
              >
                <title>{titleOf(mark)}</title>
              </rect>
            ))}
          </g>
        ))}
      </svg>
      <StripLegend />
    </section>
  )
}

const LEGEND = [
  { outcome: 'act', words: t('acted') },
  { outcome: 'see', words: t('did nothing or was skipped') },
  { outcome: 'waiting', words: t('asked for a yes') },
  { outcome: 'failure', words: t('failed') },
]

const StripLegend = () => (
  <ul className="strip-legend" aria-label={t('What the colours mean')}>
    {LEGEND.map(({ outcome, words }) => (
      <li key={outcome}>
        <svg viewBox="0 0 10 16" aria-hidden>
          <rect width={10} height={16} rx={2} className="strip-mark" data-outcome={outcome} />
        </svg>
        {words}
      </li>
    ))}
  </ul>
)

const titleOf = ({ being, n, outcome, reason, role, endedAt }: StripMark): string =>
  seen(
    [
      t('moment {{n}} of {{being}}', { n, being }),
      endedBy(outcome, reason),
      role === null ? null : t('as {{role}}', { role }),
      CLOCK_SECONDS.format(Date.parse(endedAt)),
    ]
      .filter((part) => part !== null)
      .join(', '),
  )
