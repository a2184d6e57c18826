import type { BeingName } from '@treeos/core'
import type { JournalListener, WordNotice } from '@treeos/store'

/** Hears the words of an answer while a model writes them. */
export interface AnswerHearer {
  readonly listener: Pick<JournalListener, 'streamWords'>
  readonly heard: (words: string) => void
}

/** How long a summon waits until its words can be heard: Postgres may be away. */
const READY_MS_MAX = 1_000

/**
 * Hears the plain words by which a being answers one question. Nothing of them is an answer before the
 * decision is recorded, so what may be a call of a tool is not told, and after a call that failed or was
 * refused nothing more is.
 */
export class AnswerWords {
  readonly #hearer: AnswerHearer
  readonly #stream: ReturnType<JournalListener['streamWords']>
  #question: string | null = null
  /** of calls that began before the question was known */
  #early: WordNotice[] = []
  /** the call whose words are told */
  #call: string | null = null
  #part = 0
  #written = ''
  #told = 0

  /** From now on the model of this being is asked to stream. */
  constructor(being: BeingName, hearer: AnswerHearer) {
    this.#hearer = hearer
    this.#stream = hearer.listener.streamWords(being, (words) => this.#hear(words))
  }

  async ready(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, READY_MS_MAX)
    await Promise.race([this.#stream.ready, promise])
    clearTimeout(timer)
  }

  /** @param question id of the summon. Whoever asks this sent it: words go to nobody else */
  of(question: string): void {
    this.#question = question
    for (const words of this.#early.splice(0)) this.#hear(words)
  }

  end(): void {
    this.#stream.end()
  }

  #hear(words: WordNotice): void {
    if (this.#question === null) {
      if (words.answers !== null && this.#early.length < EARLY_MAX) this.#early.push(words)
      return
    }
    if (words.answers !== this.#question) return
    const call = `${words.moment} ${words.attempt}`
    this.#call ??= call
    // A part that was lost on its way leaves a gap: the answer has it.
    if (call !== this.#call || words.part !== this.#part) return
    this.#part += 1
    if (words.says.some(({ tool }) => tool !== null)) {
      this.#part = Number.NaN // it calls a tool: these words are no answer
      return
    }
    this.#written += words.says.map(({ text }) => text).join('')
    const sure = proseIn(this.#written)
    if (sure.length <= this.#told) return
    const more = sure.slice(this.#told)
    this.#told = sure.length
    this.#hearer.heard(more)
  }
}

const EARLY_MAX = 100

interface HeardSummon {
  readonly target: BeingName
  readonly words?: AnswerHearer | undefined
  readonly onSent?: (correlation: string) => void
}

/** Hears the words of the answer, if somebody wants to, while a summon is sent and waited for. */
export async function hearingAnswer<T>(
  { target, words, onSent = () => undefined }: HeardSummon,
  send: (onSent: (correlation: string) => void) => Promise<T>,
): Promise<T> {
  if (words === undefined) return send(onSent)
  const hearing = new AnswerWords(target, words)
  try {
    await hearing.ready()
    return await send((correlation) => {
      hearing.of(correlation)
      onSent(correlation)
    })
  } finally {
    hearing.end()
  }
}

/** What begins a call of a tool that a model writes as words: JSON, a fence, a control token. */
const OPENS = '[{[<`]'
const BEGINS_AS_CALL = new RegExp(`^\\s*(?:${OPENS}|[\\w.:-]+\\s*[([])`)
const IS_ONE_WORD = /^\s*[\w.:-]*\s*$/
const CALL_BELOW = new RegExp(`\\n\\s*(?:${OPENS}|$)|<(?:\\||$)`)

/** The beginning of a text that is plain words, whatever comes after it. */
export function proseIn(text: string): string {
  if (BEGINS_AS_CALL.test(text) || IS_ONE_WORD.test(text)) return ''
  const at = CALL_BELOW.exec(text)?.index
  return (at === undefined ? text : text.slice(0, at)).trimStart()
}
