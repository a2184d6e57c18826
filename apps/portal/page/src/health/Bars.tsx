import { t } from '../language/index.ts'
import { Quiet } from '../parts/index.ts'
import { clockOf } from '../text/clock.ts'

interface Bar {
  readonly from: string
  readonly value: number
  /** how much of it failed */
  readonly bad: number
  readonly text: string
}

/** Values over time. For who cannot see them one sentence says the largest. */
export function Bars({ label, bars }: { readonly label: string; readonly bars: readonly Bar[] }) {
  const largest = bars.reduce<Bar | undefined>(
    (best, bar) => (bar.value > (best?.value ?? 0) ? bar : best),
    undefined,
  )
  const share = (value: number) => `${(100 * value) / (largest?.value ?? 1)}%`
  return (
    <div>
      <div className="bars" aria-hidden>
        {bars.map(({ from, value, bad, text }) => (
          <div
            key={from}
            className="bar"
            style={{ height: share(value) }}
            title={`${clockOf(new Date(from))}: ${text}${bad > 0 ? `, ${t('{{bad}} failed', { bad })}` : ''}`}
          >
            {bad > 0 ? <div className="bar bar-part" style={{ height: `${(100 * bad) / value}%` }} /> : null}
          </div>
        ))}
      </div>
      <Quiet size="xs">
        {largest === undefined
          ? t('{{label}}: nothing in this time.', { label })
          : t('{{label}}: at most {{text}}, from {{clock}} on.', {
              label,
              text: largest.text,
              clock: clockOf(new Date(largest.from)),
            })}
      </Quiet>
    </div>
  )
}
