import { type MomentId, owedIn, parseMomentId } from '@treeos/core'
import type { ComposedMoment, LoadedMoment } from '@treeos/reality'
import { isStreamed, NOTICE_BYTES_MAX, notifyWords, type WordNotice, type WordPiece } from '@treeos/store'
import { proseAnswers } from '@treeos/world'
import type { BeatDeps } from '../deps.ts'

/**
 * How long words wait for more of them: each notice serialises the commits of the database. The first words
 * of a call do not wait.
 */
const TOGETHER_MS = 100
/**
 * Most characters of one notice. JSON writes a character as up to six bytes, and the rest of a notice is
 * short.
 */
const CHARS_MAX = Math.floor((NOTICE_BYTES_MAX - 600) / 6)

/**
 * Finds out whether somebody watches the being of a moment that this process did not open, or opened long
 * ago.
 */
export async function noteStreaming({ db, memory, observe }: BeatDeps, moment: MomentId): Promise<void> {
  try {
    const known = memory.moments.find(moment)
    if (known !== undefined) known.isStreamed = await isStreamed(db, parseMomentId(moment).being)
  } catch (error) {
    observe.error('asking who streams', error) // nobody sees the words then, and the moment goes on
  }
}

/** @returns null when nobody watches the being */
export function wordSenderOf(
  { db, memory, observe }: BeatDeps,
  { record }: LoadedMoment,
  { role, answersBy }: Pick<ComposedMoment, 'role' | 'answersBy'>,
  attempt: number,
): WordSender | null {
  const { moment, wake } = record
  if (memory.moments.find(moment)?.isStreamed !== true) return null
  const { being } = parseMomentId(moment)
  const isAnswer = answersBy === null && proseAnswers(role, record)
  const answers = isAnswer ? (owedIn(record, being)?.id ?? null) : null
  return new WordSender(
    { being, moment, thread: wake.root, answers, attempt },
    (words) => notifyWords(db, words),
    (error) => observe.error('telling words', error),
  )
}

/**
 * Tells what a model writes to those who watch, while it writes. Words that follow each other soon are told
 * together. The call never waits for it, and a failure loses words only: the decision has them all.
 */
export class WordSender {
  readonly #of: Omit<WordNotice, 'part' | 'says' | 'end'>
  readonly #notify: (words: WordNotice) => Promise<void>
  readonly #onError: (error: unknown) => void
  #unsaid: WordPiece[] = []
  #half: WordPiece | null = null
  #end: WordNotice['end']
  #part = 0
  #timer: NodeJS.Timeout | undefined
  #telling: Promise<void> | null = null

  constructor(
    of: Omit<WordNotice, 'part' | 'says' | 'end'>,
    notify: (words: WordNotice) => Promise<void>,
    onError: (error: unknown) => void,
  ) {
    this.#of = of
    this.#notify = notify
    this.#onError = onError
  }

  hear(piece: WordPiece): void {
    const { tool, text } = this.#wholeCharacters(piece)
    if (text === '') return
    const last = this.#unsaid.at(-1)
    if (last?.tool === tool) this.#unsaid[this.#unsaid.length - 1] = { tool, text: last.text + text }
    else this.#unsaid.push({ tool, text })
    this.#timer ??= setTimeout(() => this.#tell(), this.#part === 0 ? 0 : TOGETHER_MS)
  }

  /**
   * A model server may send an emoji in two pieces, each half of a pair. The first half waits for the other,
   * since whoever prints it alone prints a replacement for each.
   */
  #wholeCharacters({ tool, text }: WordPiece): WordPiece {
    const half = this.#half?.tool === tool ? this.#half.text : ''
    const joined = half + text
    const isHalf = HALF_AT_END.test(joined)
    this.#half = isHalf ? { tool, text: joined.slice(-1) } : null
    return { tool, text: (isHalf ? joined.slice(0, -1) : joined).toWellFormed() }
  }

  end(how: NonNullable<WordNotice['end']>): void {
    this.#end = how
    clearTimeout(this.#timer)
    this.#tell()
  }

  #tell(): void {
    this.#timer = undefined
    this.#telling ??= this.#tellAll().catch(this.#onError)
  }

  async #tellAll(): Promise<void> {
    try {
      while (this.#unsaid.length > 0 || this.#end !== undefined) {
        const says = takeUpTo(this.#unsaid)
        const end = this.#unsaid.length === 0 ? this.#end : undefined
        if (end !== undefined) this.#end = undefined
        const words = { ...this.#of, part: this.#part, says, ...(end === undefined ? {} : { end }) }
        this.#part += 1
        await this.#notify(words)
      }
    } finally {
      this.#telling = null
    }
  }
}

const HALF_AT_END = /[\ud800-\udbff]$/

/** Takes from the front what one notice holds. A text that is longer is cut, never within a character. */
function takeUpTo(unsaid: WordPiece[]): WordPiece[] {
  const taken: WordPiece[] = []
  for (let room = CHARS_MAX; room > ROOM_MIN; ) {
    const first = unsaid.shift()
    if (first === undefined) break
    const { text } = first
    const tool = first.tool?.slice(0, TOOL_CHARS_MAX) ?? null
    room -= (tool?.length ?? 0) + PIECE_CHARS_MIN
    const at = text.length <= room ? text.length : isWithinPair(text, room) ? room - 1 : room
    if (at < text.length) unsaid.unshift({ ...first, text: text.slice(at) })
    taken.push({ tool, text: text.slice(0, at) })
    room -= at
  }
  return taken
}

/** Of a name that the model invented. */
const TOOL_CHARS_MAX = 64
/** What a piece takes beside its text and its tool, at least. */
const PIECE_CHARS_MIN = 4
/** Less is left for the next notice. */
const ROOM_MIN = TOOL_CHARS_MAX + PIECE_CHARS_MIN + 2

/** Whether a cut here would part a pair of surrogates. */
const isWithinPair = (text: string, at: number): boolean =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1))
