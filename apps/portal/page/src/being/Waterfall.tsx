import { Text } from '@mantine/core'
import { Card, Inert, plural, Quiet } from '../parts/index.ts'
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
    <Card title="What took how long" note={`${durationOf(to - from)} from its wake to its record`}>
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

function beatText({ name, part, attempt, tokens, fault }: Beat, isFirst: boolean, isLast: boolean): string {
  if (name === 'wait') return 'waits in the inbox'
  if (name === 'think')
    return `model, try ${attempt}${fault === undefined ? '' : ' failed'}${tokens === undefined ? '' : `, ${plural(tokens, 'token')}`}`
  if (name === 'attempt') return `${part} ${attempt} failed`
  if (isFirst && isLast) return 'opens, decides and is recorded'
  return isFirst ? 'opens' : isLast ? 'judged and recorded' : 'between'
}
