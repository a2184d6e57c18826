import { t } from '../language/index.ts'
import './difference.css'
import { diffLines } from 'diff'
import { Inert, Quiet } from '../parts/index.ts'

interface DifferenceProps {
  readonly title: string
  readonly before: string
  readonly after: string
}

const MARKS = { added: '+', removed: '−', same: ' ' }

/** Two texts, line by line. */
export function Difference({ title, before, after }: DifferenceProps) {
  if (before === after) return <Quiet size="xs">{t('{{title}}: the same', { title })}</Quiet>
  const lines = diffLines(before, after).flatMap(({ value, added, removed }) => {
    const kind = added ? ('added' as const) : removed ? ('removed' as const) : ('same' as const)
    const text = value.replace(/\n$/, '')
    return text.split('\n').map((line) => ({ kind, line }))
  })
  return (
    <figure className="difference">
      <Quiet size="xs" component="figcaption">
        {title}
      </Quiet>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys have to reach what scrolls */}
      <section className="block code" tabIndex={0} aria-label={title}>
        {lines.map(({ kind, line }, i) => (
          <div key={i} data-kind={kind}>
            <span aria-hidden>{MARKS[kind]} </span>
            {kind === 'same' ? null : <span className="spoken">{kind}: </span>}
            <Inert text={line} />
          </div>
        ))}
      </section>
    </figure>
  )
}
