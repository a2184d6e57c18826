/** One reality under fire: gives birth to its beings, asks them things, predicts what must come of it, and judges. */
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
import { OpenQuestions, quiet } from './open-questions.ts'
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
  /** share of letters, which are posted outside, among what the load asks; none unless given */
  readonly letters?: number
  /** the model takes from none to this long */
  readonly modelMsMax?: number
  /** a defence that this run does without */
  readonly without?: Sabotage | null
  /** without progress for this long the run has stalled */
  readonly stallSeconds?: number
}

/** How often the row of an act is put in, and its doorbell rung. */
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
  /** ms since 1970 of everything that was killed or cut */
  readonly faults: number[] = []
  readonly asked: Asked[] = []
  /** a ring that failed: the sweep has to make up for it */
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

  /** Makes a database with a reality, and has a worker give birth to its beings. */
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

  /** Sends away the worker that the beings were born with, which is as good as any. */
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
      TREEOS_EXTENSIONS: MAIL_PATH,
      TREEOS_TEST_OFFICE: this.#office.url,
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

  /** Has a being do something outside as well: what has come to the office is judged with the rest. */
  async post(person: BeingName): Promise<Asked> {
    const id = this.#newId()
    const args = { text: id }
    await this.#submit(person, id, { verb: 'do', action: 'mail:post-surely', target: `@${person}`, args })
    return this.#accepted({ id, person, target: null, answer: null, posted: true })
  }

  /** Taken before anything is awaited: several may ask at once. */
  #newId(): string {
    this.#ids += 1
    return `${this.#name}-${this.#ids}`
  }

  #accepted(asked: Asked): Asked {
    this.asked.push(asked)
    this.#open.add(asked)
    return asked
  }

  /** As a client does: the row first, then one ring that may get lost. */
  async #submit(being: BeingName, id: string, call: VerbCall, { rows, rings } = ONCE): Promise<void> {
    await Promise.all(Array.from({ length: rows }, () => putAct(this.db, being, id, call)))
    await Promise.all(Array.from({ length: rings }, () => this.ring(being)))
  }

  async ring(being: BeingName): Promise<void> {
    if (!(await ring(this, being))) this.lostRings += 1
  }

  /** Keeps so many questions open, of all kinds, until told to stop. */
  load(open: number): Load {
    return new Load(this, open)
  }

  get open(): number {
    return this.#open.count
  }

  get openIds(): string[] {
    return this.#open.ids
  }

  /** The model has been asked, and what it answers is not recorded yet. */
  isThinkingOf(id: string): boolean {
    return this.#mind.calls.has(contentOf(id))
  }

  /** Resolves when something has been answered. @throws {StalledError} */
  progress(): Promise<void> {
    return this.#open.progress()
  }

  /** @throws {StalledError} */
  check(): void {
    this.#open.check()
  }

  /** Waits for what is open, or for these. @throws {StalledError} */
  answered(ids?: readonly string[]): Promise<void> {
    return this.#open.answered(ids)
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
    await quiet(this.db)
    const { asked, faults } = this
    return judge(this, { asked, modelCalls: this.#mind.calls, letters: this.#office.letters, faults, from })
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
