/** The questions that have no answer yet. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { REALITY } from '@treeos/protocol'
import { closeEntries, type StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import type { Asked } from './oracle.ts'

/**
 * A question was not answered for too long. The message describes the state of beings, workflows and
 * Postgres.
 */
export class StalledError extends Error {
  override readonly name = 'StalledError'
  /** others were answered in that time, so it is not the machine that was too slow */
  readonly isLost: boolean

  constructor(message: string, isLost: boolean) {
    super(message)
    this.isLost = isLost
  }
}

/** A question that waits this many times as long as a stall may take is lost, whatever else is answered. */
const LOST_STALLS = 3

const POLL_MS = 40
const HISTORY_POLL_MS = 250
const LOOKED_AT_MAX = 5000
const QUIET_MS_MAX = 30_000

/** Polls open questions, removes those that were answered, and notices a stall. */
export class OpenQuestions {
  readonly #open = new Map<string, Asked & { readonly at: number }>()
  readonly #db: Kysely<StoreDb>
  readonly #stallMs: number
  readonly #describe: (open: readonly Asked[]) => Promise<string>
  readonly #onDone: (id: string) => void
  readonly #watching: Promise<void>
  readonly #listeners = new Set<() => void>()
  #progressAt = Date.now()
  #moments = 0
  #stalled: StalledError | null = null
  #closed = false

  /**
   * @param describe describes the state at a stall, for the error's message
   * @param onDone told of each question that was answered
   */
  constructor(
    db: Kysely<StoreDb>,
    {
      stallMs,
      describe,
      onDone,
    }: {
      stallMs: number
      describe: (open: readonly Asked[]) => Promise<string>
      onDone: (id: string) => void
    },
  ) {
    this.#db = db
    this.#onDone = onDone
    this.#stallMs = stallMs
    this.#describe = describe
    this.#watching = this.#watch()
  }

  add(asked: Asked): void {
    this.#open.set(asked.id, { ...asked, at: Date.now() })
  }

  get count(): number {
    return this.#open.size
  }

  get ids(): string[] {
    return [...this.#open.keys()]
  }

  /** Resolves at the next answer. @throws {StalledError} */
  async progress(): Promise<void> {
    this.check()
    await new Promise<void>((resolve) => {
      this.#listeners.add(resolve)
    })
    this.check()
  }

  /** @throws {StalledError} */
  check(): void {
    if (this.#stalled !== null) throw this.#stalled
  }

  /** Waits until these questions, or all open ones, are answered. @throws {StalledError} */
  async answered(ids: readonly string[] = this.ids): Promise<void> {
    while (ids.some((id) => this.#open.has(id))) await this.progress()
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#watching
    this.#tell()
  }

  async #watch(): Promise<void> {
    while (!this.#closed) {
      await sleep(POLL_MS)
      if (this.#open.size === 0) {
        this.#progressAt = Date.now()
        continue
      }
      const done = await this.#findDone().catch(() => []) // a server that is away answers nobody
      for (const id of done) {
        this.#open.delete(id)
        this.#onDone(id)
      }
      const moments = done.length > 0 ? this.#moments : await this.#countMoments().catch(() => this.#moments)
      if (done.length > 0 || moments > this.#moments) this.#progressAt = Date.now()
      this.#moments = moments
      if (done.length > 0) this.#tell()
      if (this.#stalled === null) await this.#judge()
    }
  }

  async #judge(): Promise<void> {
    const [oldest] = this.#open.values()
    const isLost = oldest !== undefined && Date.now() - oldest.at > LOST_STALLS * this.#stallMs
    if (!isLost && Date.now() - this.#progressAt <= this.#stallMs) return
    const seconds = ((isLost ? LOST_STALLS : 1) * this.#stallMs) / 1000
    const what = isLost ? `${oldest.id}, though others were answered,` : `${this.#open.size} questions`
    const how = await this.#describe([...this.#open.values()]).catch((error) => String(error))
    this.#stalled = new StalledError(`nothing came of ${what} for ${seconds} s\n${how}`, isLost)
    this.#tell()
  }

  #tell(): void {
    const told = [...this.#listeners]
    this.#listeners.clear()
    for (const listener of told) listener()
  }

  async #findDone(): Promise<string[]> {
    const ids = this.ids.slice(0, LOOKED_AT_MAX)
    const { rows } = await sql<{
      id: string
      reply: string | null
      asker: string | null
      kind: string
      failed: boolean
    }>`
      select asked.id, o.kind, r.id as reply, r.being as asker,
        exists (select from treeos.moment_outcome f where f.wake = asked.id and f.kind = 'failure') as failed
      from unnest(${ids}::text[]) as asked(id)
      join treeos.moment_outcome o on o.wake = 'act/' || asked.id and o.reason is distinct from 'superseded'
      left join treeos.inbox r on r.in_reply_to = asked.id`.execute(this.#db)
    const done: string[] = []
    for (const { id, reply, asker, kind, failed } of rows) {
      const asked = this.#open.get(id)
      const isOver = reply !== null || (asked?.fails !== undefined && failed)
      if (!isOver && kind === 'act' && asked?.target !== null) continue
      // A person who waited for the answer has read it, so its row in the inbox is closed.
      if (reply !== null && asker !== null) await closeEntries(this.#db, asker, [reply], 'read')
      done.push(id)
    }
    return done
  }

  async #countMoments(): Promise<number> {
    const { rows } = await sql<{ moments: number }>`
      select count(*)::int as moments from treeos.moment_outcome`.execute(this.#db)
    return rows[0]?.moments ?? 0
  }
}

/** Waits until no being has anything left to do, since notices follow answers. */
export async function quiet(db: Kysely<StoreDb>): Promise<void> {
  for (const until = Date.now() + QUIET_MS_MAX; Date.now() < until; await sleep(POLL_MS)) {
    const { rows } = await sql<{ busy: number }>`
      select count(*)::int as busy from treeos.inbox i
      where closed_by is null and treeos.wakes(being, kind)`.execute(db)
    if (rows[0]?.busy === 0) return
  }
}

/**
 * Waits until no workflow of the reality has a task or an activity under way. A worker killed after a stamp
 * leaves a task whose results are not in history yet: it runs again, on another worker, once its timeout is
 * over.
 */
export async function historiesAtRest(client: Client, reality: string): Promise<void> {
  const query = `${REALITY.name} = "${reality}" AND ExecutionStatus = "Running"`
  for (const until = Date.now() + QUIET_MS_MAX; Date.now() < until; await sleep(HISTORY_POLL_MS)) {
    let busy = 0
    for await (const { workflowId } of client.workflow.list({ query })) {
      const { raw } = await client.workflow.getHandle(workflowId).describe()
      if (raw.pendingWorkflowTask || (raw.pendingActivities?.length ?? 0) > 0) busy += 1
    }
    if (busy === 0) return
  }
}
