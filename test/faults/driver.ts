/** One reality under attack: births its beings, asks them questions whose answers it knows beforehand, and judges the result. */
import type { Client } from '@temporalio/client'
import type { ChainDb, Reality } from '@treeos/chain'
import { act } from '@treeos/client'
import type { BeingName, JsonObject, VerbCall } from '@treeos/core'
import { beingWorkflowId } from '@treeos/protocol'
import type { Registry } from '@treeos/world'
import type { Kysely } from 'kysely'
import mail, { MAIL_PATH } from '../support/mail.ts'
import type { Ground, Say, Server, WorkerProcess } from './ground.ts'
import { Keeper } from './keeper.ts'
import { type Office, startOffice } from './letters.ts'
import { Load } from './load.ts'
import { type Mind, startMind } from './mind.ts'
import { historiesAtRest, OpenQuestions, quiet } from './open-questions.ts'
import { type Asked, judge, type Verdict } from './oracle.ts'
import { type Plot, plant } from './plot.ts'
import { Random } from './random.ts'
import { type Sabotage, sabotage } from './sabotage.ts'
import { describeStall } from './stall.ts'
import { putAct, ring } from './submitting.ts'

export interface TrialOptions {
  readonly ground: Ground
  readonly say: Say
  readonly seed: number
  readonly name: string
  readonly persons?: number
  readonly scripted?: number
  readonly llm?: number
  /** share of the load that posts letters, an effect outside; default none */
  readonly letters?: number
  /** longest time of a model's answer; default 30 */
  readonly modelMsMax?: number
  /** a defence to take away for this run */
  readonly without?: Sabotage | null
  /** the run has stalled after this long without progress */
  readonly stallSeconds?: number
}

/** How often the row of an act is inserted and its doorbell rung. */
export interface Submitting {
  readonly rows: number
  readonly rings: number
}
const ONCE: Submitting = { rows: 1, rings: 1 }

export class Trial {
  readonly random: Random
  readonly persons: readonly BeingName[]
  readonly scripted: readonly BeingName[]
  readonly llm: readonly BeingName[]
  readonly letters: number
  readonly reality: Reality
  readonly registry: Registry
  readonly db: Kysely<ChainDb>
  readonly temporal: Client
  readonly ground: Ground
  readonly say: Say
  /** times of every kill and cut, ms since 1970 */
  readonly faults: number[] = []
  readonly asked: Asked[] = []
  /** rings that failed; the sweep must make up for them */
  lostRings = 0
  readonly #plot: Plot
  readonly #mind: Mind
  readonly #office: Office
  readonly #open: OpenQuestions
  readonly #name: string
  readonly #keeping = new Set<Keeper>()
  #ids = 0
  #midwife: WorkerProcess | null = null

  private constructor(
    options: TrialOptions,
    { random, plot, mind, office }: { random: Random; plot: Plot; mind: Mind; office: Office },
  ) {
    this.ground = options.ground
    this.say = options.say
    this.random = random
    this.persons = many('person', options.persons ?? 2)
    this.scripted = many('echo', options.scripted ?? 3)
    this.llm = many('mind', options.llm ?? 2)
    this.letters = options.letters ?? 0
    this.reality = plot.reality
    this.registry = plot.registry
    this.db = plot.db
    this.temporal = plot.temporal
    this.#plot = plot
    this.#mind = mind
    this.#office = office
    this.#name = options.name
    this.#open = new OpenQuestions(plot.db, {
      stallMs: 1000 * (options.stallSeconds ?? 30),
      describe: (open) => describeStall(this, open),
    })
  }

  /** Creates a database with a reality; a worker births its beings. */
  static async start(options: TrialOptions): Promise<Trial> {
    const { ground, seed, modelMsMax = 30 } = options
    const random = new Random(seed)
    const plot = await plant(ground, [mail])
    const mind = await startMind(random.fork(), modelMsMax)
    const office = await startOffice(plot.db, plot.reality)
    const trial = new Trial(options, { random, plot, mind, office })
    await trial.#populate()
    if (options.without != null) await sabotage(plot.owner, options.without)
    return trial
  }

  async #populate(): Promise<void> {
    this.#midwife = this.startWorker()
    const birth = (payload: JsonObject) => act(this, 'operator', { verb: 'be', operation: 'birth', payload })
    for (const name of this.persons) await birth({ name, cognition: 'human', role: 'operator' })
    for (const name of this.scripted) await birth({ name, cognition: 'scripted', script: 'echo' })
    for (const name of this.llm) await birth({ name, cognition: 'llm' })
  }

  /** Kills the worker that birthed the beings, unless a keeper has taken it over. */
  dismissMidwife(): void {
    this.#midwife?.kill()
    this.#midwife = null
  }

  /** @param crashAt `name:hit` of a crash point */
  startWorker(crashAt?: string): WorkerProcess {
    return this.ground.startWorker({
      DATABASE_URL: this.#plot.databaseUrl,
      OPENAI_BASE_URL: this.#mind.url,
      TREEOS_MODEL: 'test-model',
      TREEOS_SHORT_MIND_MS: '500', // so that slower answers go the long way
      TREEOS_EXTENSIONS: MAIL_PATH,
      TREEOS_TEST_OFFICE: this.#office.url,
      ...(crashAt === undefined ? {} : { TREEOS_CRASH_AT: crashAt }),
    })
  }

  /** Starts another worker whenever the current one ends. */
  keepWorker(): Keeper {
    const keeper = new Keeper(this.#midwife ?? this.startWorker(), () => this.startWorker())
    this.#midwife = null
    this.#keeping.add(keeper)
    return keeper
  }

  /** Summons a being by a person's act. The expected answer is recorded. */
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

  /** Makes a person do something that has no answer: one fact on the person's own reel. */
  async have(person: BeingName): Promise<Asked> {
    const id = this.#newId()
    const args = { field: 'load.last', value: id }
    await this.#submit(person, id, { verb: 'do', action: 'set-being', target: `@${person}`, args })
    return this.#accepted({ id, person, target: null, answer: null })
  }

  /** Makes a person post a letter. The verdict counts the letters that reached the office. */
  async post(person: BeingName): Promise<Asked> {
    const id = this.#newId()
    const args = { text: id }
    await this.#submit(person, id, { verb: 'do', action: 'mail:post-surely', target: `@${person}`, args })
    return this.#accepted({ id, person, target: null, answer: null, posted: true })
  }

  /** Called before the first await, since several calls may run at once. */
  #newId(): string {
    this.#ids += 1
    return `${this.#name}-${this.#ids}`
  }

  #accepted(asked: Asked): Asked {
    this.asked.push(asked)
    this.#open.add(asked)
    return asked
  }

  /** Works as a client does: inserts the row, then rings once, and that ring may be lost. */
  async #submit(being: BeingName, id: string, call: VerbCall, { rows, rings } = ONCE): Promise<void> {
    await Promise.all(Array.from({ length: rows }, () => putAct(this.db, being, id, call)))
    await Promise.all(Array.from({ length: rings }, () => this.ring(being)))
  }

  async ring(being: BeingName): Promise<void> {
    if (!(await ring(this, being))) this.lostRings += 1
  }

  /** Keeps this many questions of all kinds open until it is stopped. */
  load(open: number): Load {
    return new Load(this, open)
  }

  get open(): number {
    return this.#open.count
  }

  get openIds(): string[] {
    return this.#open.ids
  }

  /** True once the model was asked and until its answer is recorded. */
  isThinkingOf(id: string): boolean {
    return this.#mind.calls.has(contentOf(id))
  }

  /** Resolves at the next answer. @throws {StalledError} */
  progress(): Promise<void> {
    return this.#open.progress()
  }

  /** @throws {StalledError} */
  check(): void {
    this.#open.check()
  }

  /** Waits until these questions, or all open ones, are answered. @throws {StalledError} */
  answered(ids?: readonly string[]): Promise<void> {
    return this.#open.answered(ids)
  }

  /** Kills a server and restarts it. @returns ms until it was ready again */
  async killServer(server: Server): Promise<number> {
    const at = Date.now()
    this.faults.push(at)
    server.kill()
    await server.restart()
    this.faults.push(Date.now())
    return Date.now() - at
  }

  /** Waits until nothing is left to do, then judges the result. */
  async verdict({ from = 'both' as 'chain' | 'both' } = {}): Promise<Verdict> {
    await this.answered()
    await quiet(this.db)
    await historiesAtRest(this.temporal, this.reality.name)
    const { asked, faults } = this
    return judge(this, { asked, modelCalls: this.#mind.calls, letters: this.#office.letters, faults, from })
  }

  /** All workflow runs of a being, oldest first, with their sizes. */
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
    for (const keeper of this.#keeping) keeper.stop()
    for (const worker of this.ground.workers) worker.kill()
    await Promise.all([...this.ground.workers].map((worker) => worker.ended))
    await this.#open.close()
    await this.#mind.close()
    await this.#office.close()
    await this.#plot.close()
  }
}

const many = (prefix: string, count: number): BeingName[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`)

const contentOf = (id: string): string => `question ${id}`
