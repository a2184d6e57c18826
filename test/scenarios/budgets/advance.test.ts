/**
 * What a model call may cost is reserved with the claim of its wake. The account ends with what the call
 * really cost.
 */
import { newMemory, noopObserver } from '@treeos/activities'
import { setStandardBudgets } from '@treeos/reality'
import type { KyselyPlugin } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  beginByHand,
  type HandMoment,
  type HandWorker,
  handWorker,
  liveByHand,
  nextOf,
  openByHand,
  stampByHand,
  stampedIn,
  tellByHand,
} from '../../support/by-hand.ts'
import { askedFor, beingOf, doAs, setFlow, setRole } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'
import { modelAt } from '../../support/world.ts'

const model = useModelServer()

describe('a model call', () => {
  const world = useWorld({ extensions: [stage], modelServer: model })
  beforeAll(() =>
    setStandardBudgets({ db: world.owner, reality: world.reality }, { llm: { tokens: 1_000_000 } }),
  )

  /** A being that no workflow runs, with a worker that has run one moment of it. */
  async function thinkerOf(name: string, role = 'resident') {
    await world.birth({ name, cognition: 'llm', role })
    const worker = newWorker()
    const first = await beginByHand(world, name)
    await live(worker, first)
    return { worker, moment: nextOf(first) }
  }
  const newWorker = (more: Parameters<typeof handWorker>[1] = {}) =>
    handWorker(world, { model: modelAt(model.url, {}), memory: newMemory({ mindMs: 5000 }), ...more })

  const tell = (moment: HandMoment, content = 'hello') =>
    tellByHand(world, moment.being, moment.moment, content)

  async function live(worker: HandWorker, moment: HandMoment, content?: string) {
    await tell(moment, content)
    return stampByHand(worker, moment)
  }

  const reservations = async ({ moment }: HandMoment) =>
    (
      await world.db
        .selectFrom('reservation')
        .select(['attempt', 'tokens', 'settled_tokens'])
        .where('moment', '=', moment)
        .orderBy('settled_tokens')
        .execute()
    ).map(({ tokens, settled_tokens: settled }) => ({ tokens, settled }))

  /** Tokens that are counted, and held, on the account of a being. */
  const account = (being: string) =>
    world.db
      .selectFrom('account')
      .select(['total_tokens', 'reserved_tokens'])
      .where('being', '=', being)
      .executeTakeFirstOrThrow()

  const plus = (before: Awaited<ReturnType<typeof account>>, settled: number | null | undefined) => ({
    total_tokens: before.total_tokens + (settled ?? Number.NaN),
    reserved_tokens: 0,
  })

  it('is reserved when the moment opens, and settled when it ends', async () => {
    const { worker, moment } = await thinkerOf('regular')
    const before = await account('regular')
    await tell(moment)
    const opened = await openByHand(worker, moment)
    const [held, ...others] = await reservations(moment)
    expect({ held, others }).toEqual({ held: { tokens: expect.any(Number), settled: null }, others: [] })
    await opened.end()
    const [used] = await reservations(moment)
    expect(used).toEqual({ tokens: held?.tokens, settled: expect.any(Number) })
    expect(used?.settled).toBeLessThan(held?.tokens ?? 0)
    expect(await account('regular')).toEqual(plus(before, used?.settled))
  })

  it('that needs more than was reserved gives it back, and reserves what it needs', async () => {
    const { worker, moment } = await thinkerOf('longer')
    const before = await account('longer')
    await live(worker, moment, 'long '.repeat(4000))
    const [given, used, ...others] = await reservations(moment)
    expect(given).toEqual({ tokens: expect.any(Number), settled: 0 })
    expect(used?.tokens).toBeGreaterThan(20_000)
    expect(others).toEqual([])
    expect(await account('longer')).toEqual(plus(before, used?.settled))
  })

  it('is made once, though Postgres is away when the model has answered', async () => {
    await doAs(world, 'create-space', '/', { path: '/far' })
    await world.birthPuppet('unread', { home: '/far' }) // so its row was not read before
    const { moment } = await thinkerOf('kept', 'stage:free')
    let failures = 0
    const away: KyselyPlugin = {
      transformQuery({ node }) {
        if (failures-- > 0) throw Object.assign(new Error('the server shuts down'), { code: '57P01' })
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const errors: string[] = []
    const worker = newWorker({
      db: world.workerDb.withPlugin(away),
      triesMax: 1,
      observe: { ...noopObserver, error: (where) => errors.push(where) },
    })
    model.script((request) => {
      if (beingOf(request) !== 'kept') return undefined
      failures = 2
      return { tool: { name: 'summon', args: { target: '@unread', content: 'hello' } } }
    })
    const before = askedFor(model, 'kept').length
    await tell(moment)
    expect(await stampByHand(worker, moment)).toMatchObject({ kind: 'act' })
    expect(askedFor(model, 'kept')).toHaveLength(before + 1)
    expect(errors).toEqual(['the signal of a model', 'waiting for Postgres'])
    model.reset()
  })

  it('that is not made costs nothing', async () => {
    const { worker, moment } = await thinkerOf('cut')
    await setRole(world, { name: 'by-clock', triggerOn: ['schedule'] })
    await setFlow(world, 'cut', [{ when: { verb: 'summon' }, role: 'by-clock' }])
    const before = await account('cut')
    await tell(moment)
    expect(await stampByHand(worker, moment)).toMatchObject({ kind: 'skipped' })
    expect(await reservations(moment)).toEqual([{ tokens: expect.any(Number), settled: 0 }])
    expect(await account('cut')).toEqual(before)
  })

  it('is reserved once, when the opening runs again on the same worker', async () => {
    const { worker, moment } = await thinkerOf('again')
    const before = await account('again')
    await tell(moment)
    const opened = await openByHand(worker, moment)
    const again = liveByHand(worker, moment)
    await Promise.all([opened.end(), again])
    const [used, ...others] = await reservations(moment)
    expect(others).toEqual([])
    expect(await account('again')).toEqual(plus(before, used?.settled))
  })

  it('of a worker that died may have been made: what it reserved is counted', async () => {
    const { worker: dead, moment } = await thinkerOf('orphan')
    const before = await account('orphan')
    await tell(moment)
    await openByHand(dead, moment)
    const [held] = await reservations(moment)
    const worker = newWorker()
    await stampByHand(worker, moment)
    const [used, lost] = await reservations(moment)
    expect(lost?.settled).toBe(held?.tokens)
    expect(await account('orphan')).toEqual(plus(before, (used?.settled ?? 0) + (lost?.settled ?? 0)))
    expect(askedFor(model, 'orphan')).toHaveLength(2)
  })

  it('is not reserved in advance where it does not fit, and then it parks the being as without an advance', async () => {
    const { worker, moment } = await thinkerOf('poor')
    await setStandardBudgets({ db: world.owner, reality: world.reality }, { llm: { tokens: 100 } })
    await tell(moment)
    const opened = await openByHand(worker, moment)
    expect(await reservations(moment)).toEqual([])
    expect(stampedIn(await opened.end())).toMatchObject({
      kind: 'failure',
      reason: 'BUDGET_EXCEEDED',
    })
  })
})
