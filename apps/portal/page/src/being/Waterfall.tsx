import { Text } from '@mantine/core'
import { t } from '../language/index.ts'
import { Card, Inert, Quiet } from '../parts/index.ts'
import { durationOf } from '../words/duration.ts'
import type { MomentView } from './moment-words.ts'

type Beat = MomentView['beats'][number]

/** A stretch that is too short to be seen is this wide, in percent. */
const WIDTH_MIN = 0.6

/** What took how long, from its wake to its record. */
export function Waterfall({ beats }: Pick<MomentView, 'beats'>) {
  const [first] = beats
  if (first === undefined) return null
  const from = first.from
  const to = Math.max(...beats.map((beat) => beat.to))
  const whole = Math.max(1, to - from)
  return (
    <Card
      title={t('What took how long')}
      note={t('{{duration}} from its wake to its record', { duration: durationOf(to - from) })}
    >
      <ol className="waterfall">
        {beats.map((beat, i) => {
          const left = (100 * (beat.from - from)) / whole
          const width = Math.max(WIDTH_MIN, (100 * (beat.to - beat.from)) / whole)
          return (
            <li key={i}>
              <Text size="xs">
                {beatText(beat, i === 0 || beats[i - 1]?.name === 'wait', i === beats.length - 1)}
              </Text>
              <svg width="100%" height="10" preserveAspectRatio="none" viewBox="0 0 100 10" aria-hidden>
                <rect
                  x={Math.min(left, 100 - WIDTH_MIN)}
                  width={Math.min(width, 100 - Math.min(left, 100 - WIDTH_MIN))}
                  height="10"
                  className="beat"
                  data-beat={beat.fault === undefined ? beat.name : 'failed'}
                />
              </svg>
              <Quiet size="xs">{durationOf(beat.to - beat.from)}</Quiet>
              {beat.fault === undefined ? null : (
                <Quiet size="xs" className="quiet beat-fault">
                  <Inert text={beat.fault} />
                </Quiet>
              )}
            </li>
          )
        })}
      </ol>
    </Card>
  )
}

function beatText(
  { name, part, attempt = 1, tokens, fault }: Beat,
  isFirst: boolean,
  isLast: boolean,
): string {
  if (name === 'wait') return t('waits in the inbox')
  if (name === 'think')
    return [
      fault === undefined
        ? t('model, try {{attempt}}', { attempt })
        : t('model, try {{attempt}} failed', { attempt }),
      ...(tokens === undefined ? [] : [t('{{count}} tokens', { count: tokens })]),
    ].join(', ')
  if (name === 'attempt') return t('{{part}} {{attempt}} failed', { part: part ?? '', attempt })
  if (isFirst && isLast) return t('opens, decides and is recorded')
  return isFirst ? t('opens') : isLast ? t('judged and recorded') : t('between')
}
