/** What each moment has to answer, by the moments of its being before it and by what its being has said. */
import {
  askedBy,
  heardWith,
  isContinuation,
  isToSelf,
  type OwedAnswer,
  type OwingRecord,
  owedIn,
  type WakeRecord,
} from '@treeos/core'
import { at, isObject, type Json, type JsonObject, same } from '../canonical.ts'

/** One fact of a summon. */
interface SummonFact {
  readonly seq: number
  /** null: it was erased */
  readonly said: JsonObject | null
}

/** The questions of a bundle. Facts and moments are taken in their order. */
export class Questions {
  /** by reel */
  readonly #said = new Map<string, SummonFact[]>()
  /** what the moments before had to answer, by their ids */
  readonly #owed = new Map<string, Json>()
  /** whose answers came for a question, by its id; of those questions alone whose first moment is here */
  readonly #heard = new Map<string, readonly string[]>()

  takeFact(reel: string, seq: number, header: Json, payload: Json): void {
    if (at(header, 'kind') !== 'being:summoned') return
    const said = this.#said.get(reel) ?? []
    this.#said.set(reel, said)
    said.push({ seq, said: isObject(payload) ? payload : null })
  }

  /**
   * Takes a moment. That a question was let go is said by its record, and where no moment before it is here, all of it.
   * @param seq of the last fact on its being's reel that it read
   * @returns what is wrong with it, in words; null where nothing is
   */
  takeMoment(open: Json, being: string, seq: number): string | null {
    const told = owedIn(open as unknown as OwingRecord, being) as unknown as Json
    this.#owed.set(String(at(open, 'moment')), told)
    const due = this.#dueTo(at(open, 'wake') as unknown as WakeRecord, being)
    const said = (this.#said.get(`being:${being}`) ?? []).filter((one) => one.seq <= seq)
    if (told === null) return null
    if (due !== undefined && !same(told, due as unknown as Json))
      return 'it has to answer something else than what it says'
    const isAnswered = said.some((one) => one.said?.inReplyTo === at(told, 'id'))
    if (isAnswered) return 'its being had answered before what it says that it has to answer'
    return this.#isHeard(open, being, String(at(told, 'id')))
      ? null
      : 'it has heard others than it says for what it has to answer'
  }

  /** Whether a moment about a question lists those whose answers came for it. */
  #isHeard(open: Json, being: string, question: string): boolean {
    const wake = at(open, 'wake') as unknown as WakeRecord
    const before = wake.id === question ? [] : this.#heard.get(question)
    if (before === undefined) return true
    const heard = heardWith(wake, before, being)
    this.#heard.set(question, heard)
    return same(at(open, 'heard') ?? [], heard as string[])
  }

  /** @returns undefined where that is not known */
  #dueTo(wake: WakeRecord, being: string): OwedAnswer | null | undefined {
    if (wake.kind === 'act') return null
    const isAnswer = wake.inReplyTo !== null && !isContinuation(wake) // or a notice that none comes
    if (!isAnswer && !isContinuation(wake) && !isToSelf(wake, being)) return askedBy(wake, being)
    if (isAnswer) {
      const asked = (this.#said.get(`being:${being}`) ?? []).find(
        (one) => one.said?.correlation === wake.inReplyTo,
      )
      if (asked === undefined) return undefined // it was erased, or another being said it
      if (asked.said?.inReplyTo !== null) return null
    }
    const prior = isAnswer
      ? String(wake.inReplyTo)
      : wake.id.slice(isContinuation(wake) ? wake.id.indexOf('/') + 1 : 0)
    return this.#owed.has(prior) ? (this.#owed.get(prior) as unknown as OwedAnswer | null) : undefined
  }
}
