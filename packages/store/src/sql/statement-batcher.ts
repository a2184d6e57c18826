import type { Db } from './database.ts'

/** What sends asks of one kind to Postgres, by themselves and several at once. */
interface StatementForms<Ask, Answer> {
  readonly one: (db: Db, ask: Ask) => Promise<Answer>
  /** one statement, which does all or nothing, with an answer for each ask in their order */
  readonly many: (db: Db, asks: readonly Ask[]) => Promise<readonly Answer[]>
  /** of the text of an ask */
  readonly lengthOf: (ask: Ask) => number
}

/** Statements under way, so that what comes meanwhile goes together. One that is slow is not counted. */
const UNDER_WAY_MAX = 2
/**
 * How long a statement holds up what comes after it. Also how long one of several asks waits for a lock: see
 * `append_together`.
 */
const SLOW_MS = 50
const ASKS_MAX = 16
/** A longer text goes by itself. */
const LENGTH_MAX = 64 * 1024

const paces = new WeakMap<Db, () => number>()

/**
 * Holds each statement back until so many ms after the one before it of its kind, so that more asks go
 * together. One that comes later than that is sent at once.
 * @param paceMs asked before each statement; 0: none is held back
 */
export const paceStatements = (db: Db, paceMs: () => number): void => void paces.set(db, paceMs)

/**
 * Sends asks in one statement if they come while others are under way. That saves round trips, transactions
 * and commits that wait for the disk. An ask that comes alone is sent at once and by itself. Where a
 * statement of several fails, nothing of it was done, and each ask is sent by itself, so that each is done or
 * refused as if there were no others.
 */
export class StatementBatcher<Ask, Answer> {
  readonly #ways: StatementForms<Ask, Answer>
  readonly #queues = new WeakMap<Db, AskQueue<Ask, Answer>>()

  constructor(ways: StatementForms<Ask, Answer>) {
    this.#ways = ways
  }

  ask(db: Db, ask: Ask): Promise<Answer> {
    if (db.isTransaction || this.#ways.lengthOf(ask) > LENGTH_MAX) return this.#ways.one(db, ask)
    const queue = this.#queues.get(db) ?? newQueue<Ask, Answer>()
    this.#queues.set(db, queue)
    return new Promise((resolve, reject) => {
      queue.waiting.push({ ask, resolve, reject })
      this.#sendNext(db, queue)
    })
  }

  #sendNext(db: Db, queue: AskQueue<Ask, Answer>): void {
    if (queue.underWay === UNDER_WAY_MAX || queue.waiting.length === 0) return
    const now = performance.now()
    const heldMs = queue.waiting.length >= ASKS_MAX ? 0 : queue.sentAt + (paces.get(db)?.() ?? 0) - now
    if (heldMs >= 1) {
      queue.held ??= setTimeout(() => {
        queue.held = null
        this.#sendNext(db, queue)
      }, heldMs)
      return
    }
    queue.sentAt = now
    const asks = queue.waiting.splice(0, ASKS_MAX)
    queue.underWay += 1
    let isCounted = true
    const letNext = () => {
      if (!isCounted) return
      isCounted = false
      queue.underWay -= 1
      this.#sendNext(db, queue)
    }
    const slow = setTimeout(letNext, SLOW_MS)
    void this.#send(db, asks).finally(() => {
      clearTimeout(slow)
      letNext()
    })
  }

  async #send(db: Db, asks: readonly WaitingAsk<Ask, Answer>[]): Promise<void> {
    if (asks.length > 1) {
      try {
        const answers = await this.#ways.many(
          db,
          asks.map(({ ask }) => ask),
        )
        if (answers.length !== asks.length) throw new Error('a statement of several has not one answer each')
        for (const [i, { resolve }] of asks.entries()) resolve(answers[i] as Answer)
        return
      } catch (error) {
        if (!tookBack(error)) {
          for (const { reject } of asks) reject(error)
          return
        }
      }
    }
    await Promise.all(asks.map(({ ask, resolve, reject }) => this.#ways.one(db, ask).then(resolve, reject)))
  }
}

/**
 * Whether Postgres rolled the statement back. After any other error, such as a lost connection, it may have
 * been committed.
 */
const tookBack = (error: unknown): boolean => (error as { severity?: unknown }).severity === 'ERROR'

interface AskQueue<Ask, Answer> {
  waiting: WaitingAsk<Ask, Answer>[]
  underWay: number
  /** `performance.now()` at the last statement */
  sentAt: number
  /** ends the wait of a statement that is held back */
  held: NodeJS.Timeout | null
}

const newQueue = <Ask, Answer>(): AskQueue<Ask, Answer> => ({
  waiting: [],
  underWay: 0,
  sentAt: Number.NEGATIVE_INFINITY,
  held: null,
})

interface WaitingAsk<Ask, Answer> {
  readonly ask: Ask
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}
