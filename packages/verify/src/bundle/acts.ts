import { at, type Json } from '../canonical.ts'
import { checkFacts, inOrder } from '../facts.ts'
import type { Heads } from '../heads.ts'
import { momentlessKind } from '../momentless.ts'
import type { Moment } from './moment.ts'
import type { States } from './states.ts'

/** What the acts in a bundle wrote. It keeps the facts of each moment until the moment comes. */
export class Acts {
  /** by moment and by place, kind and payload of its facts as text */
  readonly #facts = new Map<string, Map<string, string>>()
  /** in words, by how many acts, what of their facts is said by their records */
  readonly #attested = new Map<string, number>()

  /** when the reality was made; null before that is told */
  #madeAt: Json = null
  /** facts of its beginning, with their times */
  readonly #first: (readonly [reel: string, seq: number, at: Json])[] = []

  /**
   * @param payload null: it was erased, or is not the one whose digest its header holds
   * @returns what is wrong, in words; null where nothing is
   */
  take(header: Json, payload: Json): string | null {
    const [moment, reel, seq] = [at(header, 'moment'), String(at(header, 'reel')), Number(at(header, 'seq'))]
    const kind = String(at(header, 'kind'))
    if (typeof moment === 'string') {
      const facts = this.#facts.get(moment) ?? new Map<string, string>()
      this.#facts.set(moment, facts.set(`${reel} ${seq}`, JSON.stringify([kind, payload])))
      return null
    }
    const time = at(header, 'at') ?? null
    const found = momentlessKind(header, payload)
    if (found === 'first') this.#first.push([reel, seq, time])
    if (kind === 'reality:made') this.#madeAt ??= time
    return found === null ? `no moment wrote it, and TreeOS writes no ${kind} without one` : null
  }

  /** Facts of the beginning of the reality that are of another time. Call it at the end. */
  get untimely(): (readonly [reel: string, seq: number])[] {
    return this.#first.flatMap(([reel, seq, time]) =>
      this.#madeAt === null || time === this.#madeAt ? [] : [[reel, seq] as const],
    )
  }

  /**
   * Compares the facts of a moment with its decision.
   * @param role the spec of its primary role
   * @param isWhole whether the bundle holds a reel from its first fact on
   * @returns what is wrong, in words; null where nothing is
   */
  check(
    { record, open, decision }: Moment,
    {
      judgedFrom,
      states,
      isWhole,
      role,
    }: Pick<Heads, 'judgedFrom'> & { states: States; isWhole: (reel: string) => boolean; role: Json },
  ): string | null {
    const kept = this.#facts.get(String(record.moment))
    const facts = inOrder(record.facts, (reel, seq) => {
      const [kind, payload] = JSON.parse(kept?.get(`${reel} ${seq}`) ?? '[]') as [string, Json]
      return kind === undefined ? undefined : { kind, payload }
    })
    this.#facts.delete(String(record.moment))
    const stateOf = (reel: string) => {
      const [, seq] = judgedFrom.get(reel) ?? []
      return seq === undefined || !isWhole(reel) ? null : states.at(reel, seq)
    }
    const { fault, attested } = checkFacts(facts, { record, open, decision, role, stateOf })
    for (const what of attested) this.#attested.set(what, (this.#attested.get(what) ?? 0) + 1)
    return fault
  }

  /** Drops the facts of a moment that are not compared. */
  forget(moment: string): void {
    this.#facts.delete(moment)
  }

  /** In words, what of the facts is said by records alone. */
  get unproven(): string[] {
    return [...this.#attested].map(([what, count]) => `${what} (${count} acts)`)
  }
}
