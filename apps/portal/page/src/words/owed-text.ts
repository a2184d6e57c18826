import { t } from '../language/index.ts'
import { wordsOf } from './tell.ts'

interface OwedQuestion {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly for?: string | undefined
}

/**
 * For whom beings work, one sentence each: a being that asked others for its own asker is told with them.
 * @param owed the open questions of a thread
 * @param me stance of who reads it
 */
export function owedText(owed: readonly OwedQuestion[], me: string | undefined): string[] {
  const known = new Map(owed.map((one) => [one.id, one]))
  const isAskedFor = new Set(owed.map((one) => one.for))
  const name = (stance: string): string => (stance === me ? t('you') : stance)
  return owed
    .filter(({ id }) => !isAskedFor.has(id))
    .map((leaf) => {
      const asker = name(leaf.from)
      const first =
        leaf.to === me
          ? t('You work for {{asker}}', { asker })
          : t('{{being}} works for {{asker}}', { being: leaf.to, asker })
      const others: string[] = []
      let above = known.get(leaf.for ?? '')
      while (above !== undefined && others.length < owed.length) {
        others.push(
          above.to === me
            ? t('who work for {{name}}', { name: name(above.from) })
            : t('who works for {{name}}', { name: name(above.from) }),
        )
        above = known.get(above.for ?? '')
      }
      return `${[first, ...others].join(', ')}.`
    })
}

const QUESTION_CHARS_MAX = 80

interface SpokenLine {
  readonly id: string
  readonly content: unknown
  readonly inReplyTo: string | null
}

/** The beginning of the question that a line answers; null where it answers none that one may read. */
export function answeredText({ inReplyTo }: SpokenLine, lines: readonly SpokenLine[]): string | null {
  const question = inReplyTo === null ? undefined : lines.find(({ id }) => id === inReplyTo)
  if (question === undefined) return null
  const words = wordsOf(question.content).replaceAll(/\s+/g, ' ').trim()
  return words.length <= QUESTION_CHARS_MAX ? words : `${words.slice(0, QUESTION_CHARS_MAX).toWellFormed()} …`
}
