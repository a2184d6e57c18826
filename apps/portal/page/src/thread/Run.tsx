import { t } from '../language/index.ts'
import './run.css'
import { Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { Quiet } from '../parts/index.ts'
import { durationOf } from '../words/duration.ts'
import { endedAs } from '../words/end-words.ts'
import { useMoney } from '../words/useMoney.ts'
import { RunBars } from './RunBars.tsx'
import type { RunRow, RunTotals } from './run.ts'
import { STORY, scrollStoryTo, useSeenRows } from './story-scroll.ts'

/** px of a row where all fit, and where there are very many. */
const ROW = { max: 20, min: 2 }
const HEIGHT_MAX = 520

interface RunProps {
  readonly rows: readonly RunRow[]
  readonly totals: RunTotals
  /** key of the moment that is open beside the story */
  readonly chosen: string | null
  readonly onChoose: (row: RunRow) => void
}

/** All moments of a thread over all its beings, one below the other. It scrolls the story beside it. */
export const Run = ({ totals, ...run }: RunProps) => (
  <section className="card run" aria-label={t('The run')}>
    <Totals {...totals} />
    <RunScroll {...run} />
  </section>
)

function Totals({ beings, moments, ms, tokens, money }: RunTotals) {
  const inCurrency = useMoney()
  return (
    <div>
      <Text size="sm" fw={600}>
        {t('{{count}} moments of {{beings}}', {
          count: moments,
          beings: t('{{count}} beings', { count: beings }),
        })}
      </Text>
      <Quiet size="xs">
        {t('{{duration}} at work', { duration: durationOf(ms) })}
        {tokens === 0 ? '' : `, ${t('{{count}} tokens', { count: tokens })}`}
        {money === 0 ? '' : `, ${inCurrency(money)}`}
      </Quiet>
    </div>
  )
}

/** How one goes from a row by a key; null for any other key. */
const stepBy = (key: string, at: number, last: number): number | null =>
  key === 'ArrowDown'
    ? Math.min(at + 1, last)
    : key === 'ArrowUp'
      ? Math.max(at - 1, 0)
      : key === 'Home'
        ? 0
        : key === 'End'
          ? last
          : null

function RunScroll({ rows, chosen, onChoose }: Omit<RunProps, 'totals'>) {
  const { ref, width } = useElementSize<HTMLDivElement>()
  const seen = useSeenRows(rows)
  const row = Math.max(ROW.min, Math.min(ROW.max, HEIGHT_MAX / rows.length))
  const at = rows.findIndex(({ key }) => key === chosen)
  const now = at >= 0 ? at : Math.max(0, seen.first)
  const choose = (i: number) => {
    const found = rows[i]
    if (found === undefined) return
    scrollStoryTo(rows, i)
    if (found.n !== null) onChoose(found)
  }
  const rowAt = ({ clientY, currentTarget }: React.PointerEvent) =>
    Math.floor((clientY - currentTarget.getBoundingClientRect().top) / row)
  return (
    <div
      ref={ref}
      role="scrollbar"
      tabIndex={0}
      className="run-rows"
      aria-label={t('Moments of the thread')}
      aria-controls={STORY}
      aria-orientation="vertical"
      aria-valuemin={1}
      aria-valuemax={rows.length}
      aria-valuenow={now + 1}
      aria-valuetext={rowText(rows[now])}
      onKeyDown={(event) => {
        const next = stepBy(event.key, now, rows.length - 1)
        if (next === null) return
        event.preventDefault()
        choose(next)
      }}
      onPointerDown={(event) => choose(rowAt(event))}
      onPointerMove={(event) => {
        event.currentTarget.title = rowText(rows[rowAt(event)])
        if (event.buttons === 1) scrollStoryTo(rows, rowAt(event))
      }}
    >
      <svg width={width} height={row * rows.length} aria-hidden>
        <rect className="run-seen" y={row * seen.first} width={width} height={row * seen.count} />
        <RunBars rows={rows} row={row} width={width} chosen={chosen} />
      </svg>
    </div>
  )
}

/** A row in words: whose moment it is, how it ended, and how long it took. */
function rowText(row: RunRow | undefined): string {
  if (row === undefined) return ''
  const { being, n, outcome, from, to } = row
  const took = durationOf(to - from)
  return n === null || outcome === 'open'
    ? t('{{being}} is waited for since {{took}}', { being, took })
    : t('{{being}}, moment {{n}}: {{words}}, {{took}}', { being, n, words: endedAs(outcome).words, took })
}
