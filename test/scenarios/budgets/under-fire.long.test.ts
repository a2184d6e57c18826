/** A tree of children draws on one budget, from worker processes that are killed in the middle of calls. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beings } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Random } from '../../faults/random.ts'
import type { WorkerProcess } from '../../faults/worker-process.ts'
import { beingOf, doAs, play, setRole, until, wakeUp } from '../../support/life.ts'
import {
  type ModelRequest,
  type ModelServer,
  type Reply,
  startModelServer,
} from '../../support/model-server.ts'
import { type Processes, prepareProcesses } from '../../support/processes.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { startWorld, type World } from '../../support/world.ts'

const ANSWER_TOKENS = 200
const PRICE = { prompt: 2, completion: 10 }
const CHILDREN = ['ann', 'ben', 'cleo', 'dora', 'emil']
const WAKES = 6
const KILLS = 3
/** Less than all of them may reserve at once. */
const STEP = { tokens: 4000, money: 0.02 }

let processes: Processes
let prices: string
let model: ModelServer
beforeAll(async () => {
  processes = await prepareProcesses()
  prices = join(processes.home, 'prices.json')
  await writeFile(prices, JSON.stringify({ perMillionTokens: { test: PRICE } }))
  model = await startModelServer()
})
afterAll(async () => {
  await model?.close()
  await processes?.close()
})

const ANSWER = 'so it is'

/** The provider's own record: every call it began, whether or not the caller lived to get the answer. */
class Provider {
  tokens = 0
  micros = 0
  calls = 0
  readonly #random: Random
  constructor(seed: number) {
    this.#random = new Random(seed)
  }

  /** Takes a while, may hang up in the middle, and reports any count within the bound. */
  async answer(request: ModelRequest): Promise<Reply> {
    const most = JSON.stringify(request).length
    const prompt_tokens = this.#random.between(Math.floor(most / 4), most)
    const fate = this.#random.between(1, 10)
    // What it does not tell is no more than what it sends.
    const completion_tokens = this.#random.between(0, fate === 2 ? ANSWER.length : Number(request.max_tokens))
    this.calls += 1
    this.tokens += prompt_tokens + completion_tokens
    this.micros += prompt_tokens * PRICE.prompt + completion_tokens * PRICE.completion
    await sleep(this.#random.between(200, 2000))
    if (fate === 1) return { reset: 'mid-body' }
    const usage = fate === 2 ? null : { prompt_tokens, completion_tokens }
    return { content: ANSWER, usage }
  }
}

interface Seen {
  /** budgets that the provider's own count, or what was settled, was above */
  readonly over: string[]
  samples: number
  parkings: number
}

interface Scene {
  readonly world: World
  readonly provider: Provider
  readonly wakes: readonly string[]
}

/** Five children of one maker, each with its wakes; nobody lives yet. */
async function setScene(seed: number, children: readonly string[], wakesEach: number): Promise<Scene> {
  const world = await startWorld({ extensions: [stage], modelUrl: model.url })
  await doAs(world, 'set-budget', '/', {}) // only the maker's budget bounds its children here
  // Of the world, not of an extension: the workers are processes that load what is shipped.
  await setRole(world, { name: 'errand', prompt: 'You may reach for nothing.' })
  await world.birthPuppet('maker')
  for (const name of children)
    await play(world, 'maker', {
      verb: 'be',
      operation: 'birth',
      args: { name, cognition: 'llm', role: 'errand' },
    })
  await setBudget(world, STEP)
  await world.stopWorker()
  const provider = new Provider(seed)
  model.script((request) => (children.includes(beingOf(request)) ? provider.answer(request) : undefined))
  const wakes: string[] = []
  for (const name of children)
    wakes.push(
      ...(await wakeUp(
        world,
        name,
        Array.from({ length: wakesEach }, (_, i) => `errand ${i}`),
      )),
    )
  return { world, provider, wakes }
}

const setBudget = (world: World, budget: JsonObject) => doAs(world, 'set-budget', '@maker', budget)

/** The worker may be dead just then; the act waits for the next one. */
const raise = (world: World, limits: JsonObject): Promise<unknown> =>
  setBudget(world, { ...limits }).catch((error: { code?: string }) => {
    if (error.code !== 'TIMEOUT') throw error
  })

const startProcess = (world: World): WorkerProcess =>
  processes.start(world, {
    OPENAI_BASE_URL: model.url,
    TREEOS_MODEL: 'test',
    TREEOS_MODEL_TIMEOUT_SECONDS: '3',
    TREEOS_PRICES: prices,
    TREEOS_ANSWER_TOKENS: String(ANSWER_TOKENS),
  })

/** Checks in a loop whether any count exceeds its budget, until it is stopped. */
async function watch(
  { world, provider }: Scene,
  limits: { tokens: number; money: number },
  seen: Seen,
  stop: AbortSignal,
) {
  while (!stop.aborted) {
    // The limits only grow, so those read last are above whatever was counted before.
    const told = { tokens: provider.tokens, micros: provider.micros }
    const account = await world.db
      .selectFrom('account')
      .select([
        'total_tokens',
        'total_micros',
        'reserved_tokens',
        'reserved_micros',
        'tokens_max',
        'micros_max',
      ])
      .where('being', '=', 'maker')
      .executeTakeFirstOrThrow()
    const { tokens_max, micros_max } = account
    if (account.total_tokens > (tokens_max ?? 0))
      seen.over.push(`${account.total_tokens} tokens of ${tokens_max}`)
    if (account.total_micros > (micros_max ?? 0))
      seen.over.push(`${account.total_micros} micros of ${micros_max}`)
    if (told.tokens > limits.tokens) seen.over.push(`${told.tokens} tokens told of ${limits.tokens}`)
    if (told.micros > limits.money * 1e6) seen.over.push(`${told.micros} micros told of ${limits.money}`)
    seen.samples += 1
    await sleep(20)
  }
}

const openWakes = async (world: World): Promise<number> => {
  const { rows } = await sql<{ open: number }>`
    select count(*) as open from treeos.inbox where being = any(${CHILDREN}::text[]) and closed_by is null`.execute(
    world.db,
  )
  return rows[0]?.open ?? 0
}

describe('a tree under one budget, its workers killed in the middle of calls', () => {
  it('is never over, rests where it must, and lives every wake once when it may', async () => {
    const seed = Number(process.env.TREEOS_SEED ?? 8)
    const scene = await setScene(seed, CHILDREN, WAKES)
    const { world, provider, wakes } = scene
    const limits = { ...STEP }
    const seen: Seen = { over: [], samples: 0, parkings: 0 }
    const stopped = new AbortController()
    const watching = watch(scene, limits, seen, stopped.signal)
    const random = new Random(seed + 1)
    const workers = [startProcess(world), startProcess(world)]
    await Promise.all(workers.map(({ ready }) => ready))
    let kills = 0
    try {
      // The operator is lived by the same workers, so a raise is asked for while they die.
      let raising: Promise<void> = Promise.resolve()
      let isRaising = false
      let nextKill = Date.now() + 1500
      await until(
        async () => {
          for (const [i, worker] of workers.entries())
            if (kills < KILLS && i === kills % 2 && Date.now() > nextKill && (await settled(worker.ready))) {
              worker.kill()
              kills += 1
              workers[i] = startProcess(world)
              nextKill = Date.now() + random.between(3000, 6000)
            }
          const open = await openWakes(world)
          const parked = (await beings(world.db)).filter((view) => view.parked !== undefined)
          if (!isRaising && parked.length > 0 && (await allRest(world))) {
            seen.parkings += parked.length
            limits.tokens += STEP.tokens
            limits.money = Math.round((limits.money + STEP.money) * 1e6) / 1e6
            isRaising = true
            raising = raise(world, limits).then(() => {
              isRaising = false
            })
          }
          return open === 0 && !isRaising && kills === KILLS
        },
        { seconds: 280, what: 'the last wake' },
      )
      await raising
      await expectReplays(world) // with the workers alive: a task reaches history after the last append in it
    } finally {
      stopped.abort()
      await watching
      for (const worker of workers) worker.kill()
      await Promise.all(workers.map(({ ended }) => ended))
    }
    expect(seen.over).toEqual([])
    expect(seen.parkings).toBeGreaterThan(0)
    const { rows } = await sql<{ wake: string; ends: number }>`
      select wake, count(*) as ends from treeos.moment_outcome
      where wake = any(${wakes}::text[]) and reason is distinct from 'superseded' group by wake`.execute(
      world.db,
    )
    expect(rows.length).toBe(wakes.length)
    expect(rows.every(({ ends }) => ends === 1)).toBe(true)
    const account = await world.db
      .selectFrom('account')
      .selectAll()
      .where('being', '=', 'maker')
      .executeTakeFirstOrThrow()
    const { rows: counted } = await sql<{ tokens: number; open: number; unknown: number }>`
      select sum(settled_tokens)::bigint as tokens, count(*) filter (where settled_at is null) as open,
        count(*) filter (where settled_tokens = tokens) as unknown
      from treeos.reservation`.execute(world.db)
    expect({ tokens: account.total_tokens, held: account.reserved_tokens }).toEqual({
      tokens: counted[0]?.tokens,
      held: 0,
    })
    expect(counted[0]?.open).toBe(0)
    expect(account.total_tokens).toBeGreaterThanOrEqual(provider.tokens)
    console.error(
      `seed ${seed}: ${wakes.length} wakes, ${provider.calls} calls, ${kills} kills, ${seen.parkings} parkings, ${seen.samples} samples; ` +
        `told ${provider.tokens}, counted ${account.total_tokens} of ${limits.tokens} tokens, ${counted[0]?.unknown} calls at their worst`,
    )
    await expectUnbroken(world)
    await world.close()
  }, 400_000)

  it('goes over when nothing is set aside and usage is only counted afterwards', async () => {
    const scene = await setScene(8, CHILDREN, 4)
    const { world, provider } = scene
    await sql`alter function treeos.reserve rename to reserve_worst`.execute(world.owner)
    await sql`
      create function treeos.reserve(whose text, for_moment text, its_attempt integer, need_tokens bigint, need_micros bigint)
      returns jsonb language sql security definer set search_path = treeos, pg_temp as $$
        select reserve_worst(whose, for_moment, its_attempt, 0, 0)
      $$`.execute(world.owner)
    const worker = startProcess(world)
    try {
      await until(() => provider.tokens > STEP.tokens || provider.micros > STEP.money * 1e6, { seconds: 90 })
    } finally {
      worker.kill()
      await worker.ended
      await world.close()
    }
  }, 150_000)
})

/** Whether a promise is kept already. */
const settled = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([promise.then(() => true), sleep(0, false)])

/** Every child with open wakes is parked, and no moment is open. */
async function allRest(world: World): Promise<boolean> {
  const { rows } = await sql<{ busy: number }>`
    select count(*) as busy from treeos.inbox
    where being = any(${CHILDREN}::text[]) and closed_by is null and (claimed_by is not null or not treeos.is_parked(being))`.execute(
    world.db,
  )
  return rows[0]?.busy === 0
}
