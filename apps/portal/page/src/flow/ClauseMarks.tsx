import { useState } from 'react'
import { t } from '../language/index.ts'
import { MomentLink, Quiet, SmallButton } from '../parts/index.ts'
import type { ClauseMark } from './marks.ts'

interface ClauseMarksProps {
  /** of the being */
  readonly name: string
  /** as `sentence 2` */
  readonly of: string
  readonly marks: readonly ClauseMark[]
  /** how many moments were judged */
  readonly looked: number
}

/** The others are a press away: each mark is a stop of the tab key. */
const SHOWN_FIRST = 10
const CHANGES: Readonly<Record<ClauseMark['change'], { readonly sign: string; readonly words: string }>> = {
  none: { sign: '', words: '' },
  came: { sign: '+', words: `, ${t('only under the draft')}` },
  left: { sign: '−', words: `, ${t('not under the draft')}` },
}

/** The past moments in which a clause held, each a link; with a tried draft, what it brings and takes away. */
export function ClauseMarks({ name, of, marks, looked }: ClauseMarksProps) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? marks : marks.slice(0, SHOWN_FIRST)
  return (
    <div className="clause-marks">
      <Quiet size="xs">{summary(marks, looked)}</Quiet>
      {marks.length === 0 ? null : (
        <ol aria-label={t('Moments of {{of}}', { of })}>
          {shown.map(({ n, change }) => (
            <li key={n} data-change={change}>
              <MomentLink being={name} n={n} className="clause-mark">
                <span className="spoken">{`${t('moment')} `}</span>
                <span aria-hidden>{CHANGES[change].sign}</span>
                {n}
                <span className="spoken">{CHANGES[change].words}</span>
              </MomentLink>
            </li>
          ))}
        </ol>
      )}
      {shown.length === marks.length ? null : (
        <SmallButton size="compact-xs" onClick={() => setWhole(true)}>
          {t('{{n}} more', { n: marks.length - shown.length })}
          <span className="spoken">{` ${t('moments of {{of}}', { of })}`}</span>
        </SmallButton>
      )}
    </div>
  )
}

function summary(marks: readonly ClauseMark[], looked: number): string {
  const count = (change: ClauseMark['change']) => marks.filter((one) => one.change === change).length
  const [came, left] = [count('came'), count('left')]
  const held = t('Held in {{n}} of the last {{looked}}', { n: count('none') + left, looked })
  return came + left === 0 ? held : t('{{held}}; under the draft in {{n}}', { held, n: count('none') + came })
}
