/**
 * One reality under attack: births its beings, asks them questions whose answers it knows beforehand, and
 * judges the result.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { act } from '@treeos/client'
import type { BeingName, JsonObject, VerbCall } from '@treeos/core'
import { beingWorkflowId } from '@treeos/protocol'
import type { Reality, StoreDb } from '@treeos/store'
import { type Extension, OPERATOR, type Registry } from '@treeos/world'
import { type Kysely, sql } from 'kysely'
import mail, { MAIL_PATH } from '../support/mail.ts'
import type { Ground, Say } from './ground.ts'
import { History } from './history.ts'
import { Keeper } from './keeper.ts'
import { type Office, startOffice } from './letters.ts'
import { anomalies } from './linearizable.ts'
import { Load } from './load.ts'
import { type Mind, POISON, startMind } from './mind.ts'
import { historiesAtRest, OpenQuestions, quiet } from './open-questions.ts'
import { type Asked, judge, type Verdict } from './oracle.ts'
import { type Plot, plant } from './plot.ts'
import { FaultProxy } from './proxy.ts'
import { Random } from './random.ts'
import { Reader } from './reader.ts'
import { type Sabotage, sabotage } from './sabotage.ts'
import type { Server } from './server.ts'
import { describeStall } from './stall.ts'
import { putAct, ring } from './submitted-acts.ts'
import type { WorkerProcess } from './worker-process.ts'

export interface ExperimentOptions {
  readonly ground: Ground
  readonly say: Say
  readonly seed: number
  readonly name: string
  readonly persons?: number
  readonly scripted?: number
  readonly llm?: number
  /** the role that they wear; left out, they are born without one */
  readonly llmRole?: string
  /** share of the load that posts letters, an effect outside; default none */
  readonly letters?: number
  /** how they are posted */
  readonly letterAction?: PostAction
  /** share of the load that does what a rule asks about, see `askFor`; default none */
  readonly spends?: number
  /** longest time of a model's answer; default 30 */
  readonly modelMsMax?: number
  /** longest time that the office takes for a letter; default 0 */
  readonly officeMsMax?: number
  /** more extensions, which workers load by their paths */
  readonly extensions?: readonly { readonly extension: Extension; readonly path: string }[]
  /** more of the environment of all workers */
  readonly workerEnv?: NodeJS.ProcessEnv
  /** workers take acts by signal; default false */
  readonly takesSignals?: boolean
  /** a defence to take away for this run */
  readonly without?: Sabotage | readonly Sabotage[] | null
  /** of the reality; default UTC */
  readonly timeZone?: string
  /** the run has stalled after this long without progress */
  readonly stallSeconds?: number
}

/** Operations of the extension `mail` that post letters until one arrives, or only once. */
export type PostAction = 'mail:post-surely' | 'mail:post-once'

/** How often the row of an act is inserted and its doorbell rung. */
export interface Submitting {
  readonly rows: number
  readonly rings: number
}
const ONCE: Submitting = { rows: 1, rings: 1 }

/** So many calls of one person wait for a yes in an experiment; the bound of the product is 20. */
const ASKS_MAX = 8

/** For a machine that others use too. */
const OPERATE_SECONDS_MAX = 120

/** What is special about one worker. */
export interface WorkerHow {
  readonly env?: NodeJS.ProcessEnv
  /** its link to Postgres, if it has one of its own */
  readonly through?: FaultProxy
}

export class Experiment {
  readonly random: Random
  readonly persons: readonly BeingName[]
  readonly scripted: readonly BeingName[]
  readonly llm: readonly BeingName[]
  readonly letters: number
  readonly spends: number
  readonly reality: Reality
  readonly registry: Registry
  readonly db: Kysely<StoreDb>
  /** as the owner of the database, for sabotage and for what only the owner sees */
  readonly owner: Kysely<StoreDb>
  readonly temporal: Client
  readonly ground: Ground
  readonly say: Say
  /** times of every kill and cut, ms since 1970 */
  readonly faults: number[] = []
  readonly asked: Asked[] = []
  /** rings that failed; the sweep must make up for them */
  lostRings = 0
  /** what its clients saw */
  readonly history = new History()
  readonly #plot: Plot
  readonly #reader: Reader
  readonly #workerEnv: NodeJS.ProcessEnv
  readonly #takesSignals: boolean
  readonly #letterAction: PostAction
  readonly #mind: Mind
  readonly #office: Office
  readonly #open: OpenQuestions
  readonly #name: string
  readonly #keeping = new Set<Keeper>()
  readonly #links: FaultProxy[] = []
  #ids = 0
  #midwife: WorkerProcess | null = null

  private constructor(
    options: ExperimentOptions,
    { random, plot, mind, office }: { random: Random; plot: Plot; mind: Mind; office: Office },
  ) {
    this.ground = options.ground
    this.say = options.say
    this.random = random
    this.persons = many('person', options.persons ?? 2)
    this.scripted = many('echo', options.scripted ?? 3)
    this.llm = many('mind', options.llm ?? 2)
    this.letters = options.letters ?? 0
    this.spends = options.spends ?? 0
    this.reality = plot.reality
    this.registry = plot.registry
    this.db = plot.db
    this.owner = plot.owner
    this.temporal = plot.temporal
    this.#plot = plot
    this.#mind = mind
    this.#office = office
    this.#name = options.name
    const paths = [MAIL_PATH, ...(options.extensions ?? []).map(({ path }) => path)]
    this.#letterAction = options.letterAction ?? 'mail:post-surely'
    this.#workerEnv = { TREEOS_EXTENSIONS: paths.join(','), ...options.workerEnv }
    this.#takesSignals = options.takesSignals ?? false
    this.#open = new OpenQuestions(plot.db, {
      stallMs: 1000 * (options.stallSeconds ?? 30),
      describe: (open) => describeStall(this, open),
      onDone: (id) => this.history.end(id),
    })
    this.#reader = new Reader(plot.db, this.history, random.fork())
  }

  /** Creates a database with a reality; a worker births its beings. */
  static async start(options: ExperimentOptions): Promise<Experiment> {
    const { ground, seed, modelMsMax = 30, officeMsMax = 0, extensions = [] } = options
    const random = new Random(seed)
    const known = [mail, ...extensions.map(({ extension }) => extension)]
    const plot = await plant(ground, known, options.timeZone)
    const mind = await startMind(random.fork(), modelMsMax)
    const office = await startOffice(plot, { random: random.fork(), letterMsMax: officeMsMax })
    const experiment = new Experiment(options, { random, plot, mind, office })
    await experiment.#populate(options.llmRole)
    for (const what of [options.without ?? []].flat()) await sabotage(plot.owner, what)
    return experiment
  }

  async #populate(llmRole?: string): Promise<void> {
    this.#midwife = this.startWorker()
    const birth = (args: JsonObject) => this.operate({ verb: 'be', operation: 'birth', args })
    for (const name of this.persons) await birth({ name, cognition: 'human', role: 'operator' })
    for (const name of this.scripted) await birth({ name, cognition: 'scripted', script: 'echo' })
    for (const name of this.llm)
      await birth({ name, cognition: 'llm', ...(llmRole === undefined ? {} : { role: llmRole }) })
  }

  /** Kills the worker that birthed the beings, unless a keeper has taken it over. */
  dismissMidwife(): void {
    this.#midwife?.kill()
    this.#midwife = null
  }

  /** @param crashAt `name:hit` of a crash point */
  startWorker(crashAt?: string, { env = {}, through }: WorkerHow = {}): WorkerProcess {
    const signalsUrl = this.#takesSignals ? this.#plot.signalsUrl(through) : null
    return this.ground.startWorker({
      DATABASE_URL: this.#plot.databaseUrl(through),
      ...(signalsUrl === null ? {} : { TREEOS_SIGNALS_DATABASE_URL: signalsUrl }),
      OPENAI_BASE_URL: this.#mind.url,
      TREEOS_MODEL: 'test-model',
      TREEOS_SHORT_MIND_MS: '500', // so that slower answers go the long way
      TREEOS_TEST_OFFICE: this.#office.url,
      ...this.#workerEnv,
      ...(crashAt === undefined ? {} : { TREEOS_CRASH_AT: crashAt }),
      ...env,
    })
  }

  /** Of the role of workers, with its password. */
  databaseUrl(through: FaultProxy): string {
    return this.#plot.databaseUrl(through)
  }

  /** Lets the operator act, and waits for the result. */
  operate(call: VerbCall): Promise<unknown> {
    return act(this, OPERATOR, call, OPERATE_SECONDS_MAX)
  }

  /** Starts another worker whenever the current one ends. */
  keepWorker(how: WorkerHow = {}): Keeper {
    const start = () => this.startWorker(undefined, how)
    const keeper = new Keeper(this.#midwife ?? start(), start)
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
    this.history.begin(id, `being:${target}`, `answered ${id}`)
    await this.#submit(person, id, { verb: 'summon', target: `@${target}`, content, inReplyTo: null }, how)
    return this.#accepted({ id, person, target, answer })
  }

  /** Summons an LLM being with a content that its model never answers, so that its moment fails. */
  async poison(target: BeingName, person: BeingName = this.random.pick(this.persons)): Promise<Asked> {
    const id = this.#newId()
    const content = poisonOf(id)
    await this.#submit(person, id, { verb: 'summon', target: `@${target}`, content, inReplyTo: null })
    return this.#accepted({ id, person, target, answer: null, fails: /^failure LLM_FAILED$/ })
  }

  /** How often the model was asked about a poison. */
  attemptsOf({ id }: Asked): number {
    return this.#mind.poisons.get(poisonOf(id)) ?? 0
  }

  /** Makes a person do something that has no answer: one fact on the person's own reel. */
  async have(person: BeingName): Promise<Asked> {
    const id = this.#newId()
    const args = { field: 'load.last', value: id }
    await this.#submit(person, id, { verb: 'do', operation: 'set-being', target: `@${person}`, args })
    return this.#accepted({ id, person, target: null, answer: null })
  }

  /** Makes a person post a letter. The verdict counts the letters that reached the office. */
  async post(person: BeingName): Promise<Asked> {
    const id = this.#newId()
    const args = { text: id }
    await this.#submit(person, id, { verb: 'do', operation: this.#letterAction, target: `@${person}`, args })
    return this.#accepted({ id, person, target: null, answer: null, posted: true })
  }

  /** Makes the till, and the rule that asks before something is put into it; null: it asks nobody. */
  async askFor(ask: JsonObject | null): Promise<void> {
    await this.operate({ verb: 'do', operation: 'create-space', target: '/', args: { path: '/till' } })
    const rule = { requires: ['anyone'], ...(ask === null ? {} : { ask }) }
    const args = { field: 'permissions.do', value: { 'set-space': rule } }
    await this.operate({ verb: 'do', operation: 'set-space', target: '/till', args })
  }

  /**
   * Makes a person pay from the till. The rule of the till asks somebody first, so the moment ends as
   * waiting.
   */
  async spend(person: BeingName): Promise<Asked> {
    // more are refused: who answers is slower than who asks
    while ((await this.#waitingOf(person)) >= ASKS_MAX) await sleep(200)
    const id = this.#newId()
    const args = { field: `load.${id}`, value: id }
    await putAct(this.db, person, id, { verb: 'do', operation: 'set-space', target: '/till', args })
    await this.ring(person)
    return this.#accepted({ id, person, target: null, answer: null, fails: /^waiting$/ })
  }

  /** How many calls of a person wait for a yes. */
  async #waitingOf(person: BeingName): Promise<number> {
    this.check()
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::int as waiting from treeos.projection
      where key like 'approval:%' and state::json->>'state' = 'open' and state::json->>'asker' = ${person}`.execute(
      this.db,
    )
    return rows[0]?.waiting ?? 0
  }

  /** Makes a person do something on itself that must fail. @param fails the outcome: its kind and reason */
  async fail(person: BeingName, operation: string, args: JsonObject, fails: RegExp): Promise<Asked> {
    const id = this.#newId()
    await putAct(this.db, person, id, {
      verb: 'do',
      operation,
      target: `@${person}`,
      args: { ...args, text: id },
    })
    await this.ring(person)
    return this.#accepted({ id, person, target: null, answer: null, fails })
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
    this.history.begin(id, `being:${being}`, `${call.verb === 'summon' ? 'asked' : 'did'} ${id}`)
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
    const letters = this.#office.letters
    const verdict = await judge(this, { asked, modelCalls: this.#mind.calls, letters, faults, from })
    await this.#reader.close()
    await this.#reader.readAll()
    return { ...verdict, broken: [...verdict.broken, ...anomalies(this.history.operations)] }
  }

  /** All workflow runs of a being, oldest first, with their sizes. */
  async runsOf(
    being: BeingName,
  ): Promise<{ runId: string; events: number; bytes: number; continuedAsNew: boolean }[]> {
    const workflowId = beingWorkflowId(this.reality.name, being)
    const runs: { runId: string; events: number; bytes: number; continuedAsNew: boolean; at: number }[] = []
    for await (const info of this.temporal.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
      const described = await this.temporal.workflow.getHandle(workflowId, info.runId).describe()
      const { historyLength, historySize, status } = described
      runs.push({
        runId: info.runId,
        events: historyLength,
        bytes: historySize ?? 0,
        continuedAsNew: status.name === 'CONTINUED_AS_NEW',
        at: info.startTime.getTime(),
      })
    }
    return runs.sort((a, b) => a.at - b.at)
  }

  /** One more link to Postgres, for workers that have one of their own. It is closed with the experiment. */
  async newLink(): Promise<FaultProxy> {
    const link = await FaultProxy.start(this.ground.postgres.calm.target, 'postgres')
    this.#links.push(link)
    return link
  }

  async close(): Promise<void> {
    for (const keeper of this.#keeping) keeper.stop()
    for (const worker of this.ground.workers) worker.kill()
    await Promise.all([...this.ground.workers].map((worker) => worker.ended))
    for (const link of this.#links) await link.close()
    await this.#reader.close()
    await this.#open.close()
    await this.#mind.close()
    await this.#office.close()
    await this.#plot.close()
  }
}

const many = (prefix: string, count: number): BeingName[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`)

const contentOf = (id: string): string => `question ${id}`
const poisonOf = (id: string): string => `${POISON} ${id}`
