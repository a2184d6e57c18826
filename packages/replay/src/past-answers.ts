import { askedBy, type BeingName, type OwedAnswer } from '@treeos/core'
import { type Db, findReply, type InboxEntry, listHeard, listReplies, type OpenRecord } from '@treeos/store'

/** What became of the questions that some moments of a being are about. All of it is read by two statements. */
export class PastAnswers {
  readonly #db: Db
  readonly #replies: ReadonlyMap<string, InboxEntry>
  readonly #questions: ReadonlyMap<string, BeingName>
  readonly #heard: ReadonlyMap<number, readonly BeingName[]>

  private constructor(
    db: Db,
    questions: ReadonlyMap<string, BeingName>,
    replies: ReadonlyMap<string, InboxEntry>,
    heard: ReadonlyMap<number, readonly BeingName[]>,
  ) {
    this.#db = db
    this.#questions = questions
    this.#replies = replies
    this.#heard = heard
  }

  static async of(db: Db, being: BeingName, opens: readonly OpenRecord[]): Promise<PastAnswers> {
    const owed = opens.flatMap(({ n, owed }) => (owed === undefined ? [] : [[n, owed] as const]))
    const asked = [...opens.map(({ wake }) => askedBy(wake, being)), ...owed.map(([, one]) => one)]
    const questions = new Map(asked.flatMap((one) => (one === null ? [] : [[one.id, one.caller.name]])))
    const [replies, heard] = await Promise.all([
      listReplies(db, questions),
      listHeard(db, new Map(owed.map(([n, { id }]) => [n, id]))),
    ])
    return new PastAnswers(db, questions, replies, heard)
  }

  /** The first reply to a question. One that only a moment before these is about is read by itself. */
  async reply({ id, caller: { name } }: OwedAnswer): Promise<InboxEntry | null> {
    if (this.#questions.get(id) !== name) return findReply(this.#db, name, id)
    return this.#replies.get(id) ?? null
  }

  /** Whose answers the being had got for what a moment is about. */
  heardBefore(n: number): readonly BeingName[] {
    return this.#heard.get(n) ?? []
  }
}
