/** One reality under fire: plants beings, asks them things, predicts what must come of it, and judges. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { type ChainDb, closeAsRead, enqueue, migrate, openDatabase, type Reality } from '@treeos/chain'
import { act, plantReality, ringBeing } from '@treeos/client'
import {
  actWakeId,
  type BeingName,
  type Json,
  type JsonObject,
  PRIORITIES,
  type VerbCall,
} from '@treeos/core'
import emotions from '@treeos/emotions'
import { beingWorkflowId, taskQueueOf } from '@treeos/workflows'
import { assemble, type Parts, seed as seedExtension } from '@treeos/world'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { type ModelServer, startModelServer } from '../support/model-server.ts'
import type { Ground, Say, Server, WorkerProcess } from './ground.ts'
import { type Asked, judge, type Verdict } from './oracle.ts'
import { Random } from './random.ts'
import { type Sabotage, sabotage } from './sabotage.ts'
import { describeStall } from './stall.ts'

export interface TrialOptions {
  readonly ground: Ground
  readonly say: Say
  readonly seed: number
  readonly name: string
  readonly persons?: number
  readonly scripted?: number
  readonly llm?: number
  /** the model takes from none to this long */
  readonly modelMsMax?: number
  /** a defence that this run does without */
  readonly without?: Sabotage | null
  /** without progress for this long the run has stalled */
  readonly stallSeconds?: number
}

/** Nothing came of anything for too long. Its message says how everything stands. */
export class StalledError extends Error {
  override readonly name = 'StalledError'
}

/** How often the row of an act is put in, and its doorbell rung. */
export interface Submitting {
  readonly rows: number
  readonly rings: number
}
const ONCE: Submitting = { rows: 1, rings: 1 }

const POLL_MS = 40
const PATIENCE_MS = 60_000
const SPAWN_FAILURES_MAX = 20

export class Trial {
  readonly random: Random
  readonly persons: readonly BeingName[]
  readonly scripted: readonly BeingName[]
  readonly llm: readonly BeingName[]
  readonly reality: Reality
  readonly parts: Parts
  readonly db: Kysely<ChainDb>
  readonly owner: Kysely<ChainDb>
  readonly temporal: Client
  readonly ground: Ground
  readonly say: Say
  /** ms since 1970 of everything that was killed or cut */
  readonly faults: number[] = []
  readonly asked: Asked[] = []
  /** a ring that failed: the sweep has to make up for it */
  lostRings = 0
  readonly #open = new Map<string, Asked>()
  readonly #model: ModelServer
  readonly #modelCalls: Map<string, number[]>
  readonly #connection: Connection
  readonly #databaseUrl: string
  readonly #database: string
  readonly #stallMs: number
  readonly #name: string
  #progressAt = Date.now()
  #moments = 0
  #ids = 0
  #midwife: WorkerProcess | null = null
  #watching: Promise<void> = Promise.resolve()
  #stalled: StalledError | null = null
  #closed = false
  #keeping = new Set<Keeper>()
  #listeners = new Set<() => void>()

  private constructor(parts: {
    options: TrialOptions
    names: { persons: BeingName[]; scripted: BeingName[]; llm: BeingName[] }
    reality: Reality
    world: Parts
    db: Kysely<ChainDb>
    owner: Kysely<ChainDb>
    connection: Connection
    model: ModelServer
    modelCalls: Map<string, number[]>
    database: string
    databaseUrl: string
    random: Random
  }) {
    const { options, names } = parts
    this.ground = options.ground
    this.say = options.say
    this.random = parts.random
    this.persons = names.persons
    this.scripted = names.scripted
    this.llm = names.llm
    this.reality = parts.reality
    this.parts = parts.world
    this.db = parts.db
    this.owner = parts.owner
    this.temporal = new Client({ connection: parts.connection })
    this.#connection = parts.connection
    this.#model = parts.model
    this.#modelCalls = parts.modelCalls
    this.#database = parts.database
    this.#databaseUrl = parts.databaseUrl
    this.#stallMs = 1000 * (options.stallSeconds ?? 30)
    this.#name = options.name
    this.#watching = this.#watch()
  }

  /** Makes a database with a reality, and has a worker give birth to its beings. */
  static async start(options: TrialOptions): Promise<Trial> {
    const { ground, seed, modelMsMax = 30 } = options
    const random = new Random(seed)
    const database = `faults_${randomUUID().replaceAll('-', '')}`
    await onServer(ground, `create database ${database}`)
    const owner = openDatabase(ground.postgresUrl(ground.postgres.calm, database), {
      asOwner: true,
      poolMax: 3,
    })
    await migrate(owner)
    const world = assemble([seedExtension, emotions])
    const { reality } = await plantReality(owner, world, { name: database.slice(0, 16), timeZone: 'UTC' })
    const db = openDatabase(ground.postgresUrl(ground.postgres.calm, database), { poolMax: 8 })
    const connection = await Connection.connect({ address: ground.temporal.calm.address })
    const modelCalls = new Map<string, number[]>()
    const model = await startModelServer()
    const thinking = random.fork()
    model.script(async ({ messages }) => {
      const said = messages.findLast(({ role }) => role === 'user')?.content ?? ''
      const calls = modelCalls.get(said) ?? []
      modelCalls.set(said, [...calls, Date.now()])
      await sleep(thinking.next() * modelMsMax)
      // Another answer every time: only one of them may ever be heard.
      return { tool: { name: 'summon', args: { content: `answer ${calls.length + 1} to ${said}` } } }
    })
    const many = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`)
    const names = {
      persons: many('person', options.persons ?? 2),
      scripted: many('echo', options.scripted ?? 3),
      llm: many('mind', options.llm ?? 2),
    }
    const databaseUrl = ground.postgresUrl(ground.postgres.proxy, database)
    const trial = new Trial({
      ...{
        options,
        names,
        reality,
        world,
        db,
        owner,
        connection,
        model,
        modelCalls,
        database,
        databaseUrl,
        random,
      },
    })
    await trial.#populate()
    if (options.without != null) await sabotage(owner, options.without)
    return trial
  }

  async #populate(): Promise<void> {
    this.#midwife = this.startWorker()
    const birth = (payload: JsonObject) => act(this, 'operator', { verb: 'be', operation: 'birth', payload })
    for (const name of this.persons) await birth({ name, cognition: 'human', role: 'operator' })
    for (const name of this.scripted) await birth({ name, cognition: 'scripted', script: 'echo' })
    for (const name of this.llm) await birth({ name, cognition: 'llm' })
  }

  /** Sends away the worker that the beings were born with, which is as good as any. */
  dismissMidwife(): void {
    this.#midwife?.kill()
    this.#midwife = null
  }

  /** @param crashAt `name:hit` of a crash point */
  startWorker(crashAt?: string): WorkerProcess {
    return this.ground.startWorker({
      DATABASE_URL: this.#databaseUrl,
      OPENAI_BASE_URL: this.#model.url,
      TREEOS_MODEL: 'test-model',
      ...(crashAt === undefined ? {} : { TREEOS_CRASH_AT: crashAt }),
    })
  }

  /** Keeps a worker alive: whenever it ends, another is started. */
  keepWorker(): Keeper {
    const keeper = new Keeper(this.#midwife ?? this.startWorker(), () => this.startWorker())
    this.#midwife = null
    this.#keeping.add(keeper)
    return keeper
  }

  /** Asks a being something by a person's act; what the being answers is known beforehand. */
  async ask(
    target: BeingName,
    person: BeingName = this.random.pick(this.persons),
    how: Submitting = ONCE,
  ): Promise<Asked> {
    const id = this.#newId()
    const content = contentOf(id)
    const answer = this.llm.includes(target)
      ? new RegExp(`^answer \\d+ to ${content}$`)
      : new RegExp(`^${content}$`)
    await this.#submit(person, id, { verb: 'summon', target: `@${target}`, content, inReplyTo: null }, how)
    return this.#accepted({ id, person, target, answer })
  }

  /** Has a being do something that nobody answers: one fact on its own reel. */
  async have(person: BeingName): Promise<Asked> {
    const id = this.#newId()
    const args = { field: 'load.last', value: id }
    await this.#submit(person, id, { verb: 'do', action: 'set-being', target: `@${person}`, args })
    return this.#accepted({ id, person, target: null, answer: null })
  }

  /** Taken before anything is awaited: several may ask at once. */
  #newId(): string {
    this.#ids += 1
    return `${this.#name}-${this.#ids}`
  }

  #accepted(asked: Asked): Asked {
    this.asked.push(asked)
    this.#open.set(asked.id, asked)
    return asked
  }

  /** As a client does: the row first, by its id as often as it takes, then one ring that may get lost. */
  async #submit(being: BeingName, id: string, call: VerbCall, { rows, rings } = ONCE): Promise<void> {
    await Promise.all(Array.from({ length: rows }, () => patiently(() => this.#putAct(being, id, call))))
    await Promise.all(Array.from({ length: rings }, () => this.ring(being)))
  }

  #putAct(being: BeingName, id: string, call: VerbCall): Promise<boolean> {
    return enqueue(this.db, {
      id: actWakeId(id),
      being,
      kind: 'act',
      priority: PRIORITIES.human,
      caller: null,
      content: { call: call as unknown as JsonObject, answers: null } as Json,
      root: id,
      inReplyTo: null,
      askedRole: null,
      hops: 0,
      continues: 0,
      cause: null,
    })
  }

  /** @returns false when the ring was lost */
  async ring(being: BeingName): Promise<boolean> {
    const { name } = this.reality
    const at = { reality: name, taskQueue: taskQueueOf(name) }
    try {
      await this.#connection.withDeadline(Date.now() + 2000, () => ringBeing(this.temporal, at, being))
      return true
    } catch {
      this.lostRings += 1
      return false
    }
  }

  /** Keeps so many questions open, of all kinds, until told to stop. */
  load(open: number): Load {
    return new Load(this, open)
  }

  get open(): number {
    return this.#open.size
  }

  get openIds(): string[] {
    return [...this.#open.keys()]
  }

  /** The model has been asked, and what it answers is not recorded yet. */
  isThinkingOf(id: string): boolean {
    return this.#modelCalls.has(contentOf(id))
  }

  /** Resolves when something has been answered. @throws {StalledError} */
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

  /** Waits for what is open, or for these. @throws {StalledError} */
  async answered(ids: readonly string[] = this.openIds): Promise<void> {
    while (ids.some((id) => this.#open.has(id))) await this.progress()
  }

  /** Notices what has come to its end, and when nothing has for too long. */
  async #watch(): Promise<void> {
    while (!this.#closed) {
      await sleep(POLL_MS)
      if (this.#open.size === 0) {
        this.#progressAt = Date.now()
        continue
      }
      const done = await this.#findDone().catch(() => []) // a server that is away answers nobody
      for (const id of done) this.#open.delete(id)
      const moments = done.length > 0 ? this.#moments : await this.#countMoments().catch(() => this.#moments)
      if (done.length > 0 || moments > this.#moments) this.#progressAt = Date.now()
      this.#moments = moments
      if (done.length > 0) this.#tell()
      else if (this.#stalled === null && Date.now() - this.#progressAt > this.#stallMs) {
        const seconds = this.#stallMs / 1000
        const how = await describeStall(this, [...this.#open.values()]).catch((error) => String(error))
        this.#stalled = new StalledError(
          `nothing came of ${this.#open.size} questions for ${seconds} s\n${how}`,
        )
        this.#tell()
      }
    }
  }

  #tell(): void {
    const told = [...this.#listeners]
    this.#listeners.clear()
    for (const listener of told) listener()
  }

  async #findDone(): Promise<string[]> {
    const ids = [...this.#open.keys()].slice(0, 5000)
    const { rows } = await sql<{ id: string; reply: string | null; kind: string }>`
      select asked.id, o.kind, r.id as reply from unnest(${ids}::text[]) as asked(id)
      join treeos.moment_outcome o on o.wake = 'act/' || asked.id and o.reason is distinct from 'superseded'
      left join treeos.inbox r on r.in_reply_to = asked.id`.execute(this.db)
    const done: string[] = []
    for (const { id, reply, kind } of rows) {
      if (reply === null && kind === 'act' && this.#open.get(id)?.target !== null) continue
      // As a person who has waited for it: it need not rest in the inbox as well.
      if (reply !== null) await closeAsRead(this.db, reply)
      done.push(id)
    }
    return done
  }

  async #countMoments(): Promise<number> {
    const { rows } = await sql<{ moments: number }>`
      select count(*)::int as moments from treeos.moment_outcome`.execute(this.db)
    return rows[0]?.moments ?? 0
  }

  /** Kills a server, and has it back. @returns ms until it was ready again */
  async killServer(server: Server): Promise<number> {
    const at = Date.now()
    this.faults.push(at)
    server.kill()
    await server.restart()
    this.faults.push(Date.now())
    return Date.now() - at
  }

  /** Lets everything come to its end, undisturbed, and judges it. */
  async verdict({ from = 'both' as 'chain' | 'both' } = {}): Promise<Verdict> {
    await this.answered()
    await this.#quiet()
    return judge(this, { asked: this.asked, modelCalls: this.#modelCalls, faults: this.faults, from })
  }

  /** Notices follow answers: waits until no being has anything left to do. */
  async #quiet(): Promise<void> {
    for (const until = Date.now() + 30_000; Date.now() < until; await sleep(POLL_MS)) {
      const { rows } = await sql<{ busy: number }>`
        select count(*)::int as busy from treeos.inbox i
        where closed_by is null and treeos.wakes(being, kind)`.execute(this.db)
      if (rows[0]?.busy === 0) return
    }
  }

  /** Closed runs of a being and the one that lives, oldest first, with what each weighs. */
  async runsOf(being: BeingName): Promise<{ runId: string; events: number; bytes: number }[]> {
    const workflowId = beingWorkflowId(this.reality.name, being)
    const runs: { runId: string; events: number; bytes: number; at: number }[] = []
    for await (const info of this.temporal.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
      const described = await this.temporal.workflow.getHandle(workflowId, info.runId).describe()
      const { historyLength, historySize } = described
      runs.push({
        runId: info.runId,
        events: historyLength,
        bytes: historySize ?? 0,
        at: info.startTime.getTime(),
      })
    }
    return runs.sort((a, b) => a.at - b.at)
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const keeper of this.#keeping) keeper.stop()
    for (const worker of this.ground.workers) worker.kill()
    await Promise.all([...this.ground.workers].map((worker) => worker.ended))
    await this.#watching
    this.#tell()
    await this.#connection.close()
    await Promise.all([this.db.destroy(), this.owner.destroy()])
    await this.#model.close()
    await patiently(() => onServer(this.ground, `drop database if exists ${this.#database} with (force)`))
  }
}

const contentOf = (id: string): string => `question ${id}`

/** A place for a worker that is never empty for long. */
export class Keeper {
  #worker: WorkerProcess
  #stopped = false
  starts = 1
  readonly #start: () => WorkerProcess

  constructor(first: WorkerProcess, start: () => WorkerProcess) {
    this.#start = start
    this.#worker = first
    void this.#keep()
  }

  get worker(): WorkerProcess {
    return this.#worker
  }

  async #keep(): Promise<void> {
    for (let failures = 0; failures < SPAWN_FAILURES_MAX; failures++) {
      await this.#worker.ended
      if (this.#stopped) return
      if (this.#worker.wasKilled) failures = 0
      else await sleep(250) // its servers are away
      this.#worker = this.#start()
      this.starts += 1
    }
  }

  stop(): void {
    this.#stopped = true
  }
}

/** Asks beings in turn and at random, never more than so many things at once. */
export class Load {
  #stopped = false
  readonly #done: Promise<void>
  readonly #trial: Trial

  constructor(trial: Trial, open: number) {
    this.#trial = trial
    this.#done = this.#run(open)
    this.#done.catch(() => undefined) // told by `stop`
  }

  async #run(open: number): Promise<void> {
    const trial = this.#trial
    const random = trial.random.fork()
    while (!this.#stopped) {
      while (!this.#stopped && trial.open < open) {
        const person = random.pick(trial.persons)
        const what = random.next()
        if (what < 0.2) await trial.have(person)
        else await trial.ask(random.pick(what < 0.7 ? trial.scripted : trial.llm), person)
      }
      if (!this.#stopped) await trial.progress()
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#trial.open > 0) await this.#done
  }
}

/** Tries again while a server is away: what is asked must bear to be asked twice. */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + PATIENCE_MS; ; await sleep(50)) {
    try {
      return await ask()
    } catch (error) {
      if (Date.now() > until) throw error
    }
  }
}

async function onServer(ground: Ground, statement: string): Promise<void> {
  const client = new pg.Client(ground.postgresUrl(ground.postgres.calm, 'postgres'))
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
