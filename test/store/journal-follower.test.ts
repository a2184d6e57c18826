import { setTimeout as sleep } from 'node:timers/promises'
import { follow, type Happening, type OpenPasts } from '@treeos/client'
import { append, beginLife, type JournalListener, listenToJournal, openDatabase } from '@treeos/store'
import { type KyselyPlugin, sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { FaultProxy, tcpTarget } from '../faults/proxy.ts'
import { useDatabase } from '../support/database.ts'
import { until } from '../support/life.ts'
import { batchOf, changed } from './batch.ts'

const base = useDatabase({ poolMax: 12 })

const endings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

/** A follower that keeps what comes. */
async function startFollower({
  after = undefined as string | undefined,
  being = undefined as string | undefined,
  url = base.url,
} = {}) {
  const stopping = new AbortController()
  const db = openDatabase(url, { poolMax: 2, statementSecondsMax: 2 })
  const listener: JournalListener = listenToJournal(url)
  let troubles = 0
  const onTrouble = () => (troubles += 1)
  const { from, happenings } = await follow(
    { db, listener },
    { after, being, signal: stopping.signal, onTrouble },
  )
  const seen: Happening[] = []
  const done = (async () => {
    for await (const happening of happenings) seen.push(happening)
  })()
  await listener.ready
  endings.push(async () => {
    stopping.abort()
    await done
    await listener.close()
    await db.destroy()
  })
  return { from, seen, ids: () => seen.map(({ id }) => id), troubles: () => troubles }
}

let written = 0
/** Appends `count` facts, `at once` of them in parallel, each on a reel of its own. @returns the reels */
async function writeMany(count: number, atOnce = 6): Promise<string[]> {
  const reels = Array.from({ length: count }, () => `space:/n${written++}`)
  const left = [...reels]
  const writer = async () => {
    for (let reel = left.shift(); reel !== undefined; reel = left.shift())
      await append(base.owner, await batchOf(base.db, base.reality, { drafts: [changed(reel)] }))
  }
  await Promise.all(Array.from({ length: atOnce }, writer))
  return reels
}

const reelsOf = (seen: readonly Happening[]): string[] =>
  seen.map((happening) => (happening.type === 'fact' ? happening.reel : happening.being))

describe('a follower', () => {
  it('gets each fact once and in order while six write at once', async () => {
    const follower = await startFollower()
    const reels = await writeMany(300)
    await until(() => follower.seen.length >= reels.length)
    await sleep(100)
    expect(reelsOf(follower.seen).sort()).toEqual([...reels].sort())
    const entries = follower.ids().map(Number.parseFloat)
    expect(entries).toEqual([...entries].sort((a, b) => a - b))
  })

  it('hears of a fact at once, long before it would ask', async () => {
    const follower = await startFollower()
    await sleep(500)
    const began = performance.now()
    await writeMany(1)
    await until(() => follower.seen.length === 1)
    expect(performance.now() - began).toBeLessThan(3_000) // it asks every 15 s
  })

  it('reads nothing of entries that belong to beings whose past is not open to it', async () => {
    const [hidden, shown] = ['hidden', 'shown']
    for (const being of [hidden, shown]) await beginLife(base.db, base.reality.id, being, `run-${being}`)
    const { from } = await startFollower()
    const lived = [hidden, hidden, hidden, shown].map((being, i) => ({
      being,
      generation: 1,
      n: (i % 3) + 1,
    }))
    for (const moment of lived) {
      const drafts = [changed(`being:${moment.being}`)]
      await append(base.owner, await batchOf(base.db, base.reality, { moment, drafts }))
    }
    const statementsOf = async (isOpen?: OpenPasts) => {
      let statements = 0
      const counting: KyselyPlugin = {
        transformQuery: ({ node }) => {
          statements += 1
          return node
        },
        transformResult: async ({ result }) => result,
      }
      const stopping = new AbortController()
      const db = base.db.withPlugin(counting)
      const listener = { subscribe: () => () => undefined } as unknown as JournalListener
      const { happenings } = await follow({ db, listener }, { after: from, isOpen, signal: stopping.signal })
      const seen: string[] = []
      for await (const happening of happenings) {
        if (happening.type === 'moment') seen.push(happening.being)
        if (happening.type === 'fact' && happening.actor === shown) break
      }
      return { seen, statements }
    }
    const all = await statementsOf()
    const some = await statementsOf(async (being) => being === shown)
    expect(all.seen).toEqual([hidden, hidden, hidden, shown])
    expect(some.seen).toEqual([shown])
    expect(some.statements).toBeLessThan(all.statements / 2)
  })

  it('goes on past an append that was rolled back, and one that commits late comes in its place', async () => {
    const follower = await startFollower()
    const gate = Promise.withResolvers<void>()
    const written = Promise.withResolvers<void>()
    const late = base.owner.transaction().execute(async (tx) => {
      await append(tx, await batchOf(tx, base.reality, { drafts: [changed('space:/late')] }))
      written.resolve()
      await gate.promise
    })
    await written.promise
    const failed = base.owner.transaction().execute(async (tx) => {
      await append(tx, await batchOf(tx, base.reality, { drafts: [changed('space:/never')] }))
      throw new Error('rolled back')
    })
    await expect(failed).rejects.toThrow('rolled back')
    const [early] = await writeMany(1)
    await sleep(300)
    expect(follower.seen).toEqual([]) // the late one may still come before the early one
    gate.resolve()
    await late
    await until(() => follower.seen.length === 2)
    expect(reelsOf(follower.seen)).toEqual(['space:/late', early])
  })

  it('that begins after any id gets exactly what came after it', async () => {
    await beginLife(base.db, base.reality.id, 'teller', 'run-1')
    const first = await startFollower()
    await append(
      base.owner,
      await batchOf(base.db, base.reality, {
        moment: { being: 'teller', generation: 1, n: 1 },
        drafts: [changed('being:teller'), changed('space:/told')],
      }),
    )
    await writeMany(3)
    await until(() => first.seen.length === 6)
    const all = first.seen
    expect(all.slice(0, 3)).toMatchObject([
      { type: 'moment', being: 'teller', stance: '@teller', n: 1, outcome: 'act' },
      { type: 'fact', reel: 'being:teller', seq: 1, actor: 'teller', kind: 'quality:set' },
      { type: 'fact', reel: 'space:/told', seq: 1, payload: { path: ['mood', 'tone'], value: 1 } },
    ])
    for (const [i, after] of [first.from, ...first.ids()].entries()) {
      const again = await startFollower({ after })
      await until(() => again.seen.length === all.length - i)
      expect(again.seen).toEqual(all.slice(i))
    }
    const ofOne = await startFollower({ after: first.from, being: 'teller' })
    await until(() => ofOne.seen.length === 3)
    expect(ofOne.seen).toEqual(all.slice(0, 3))
  })

  it.each([
    { after: 'yesterday', why: '"yesterday" is not an id of a happening' },
    { after: '99999999', why: 'no happening 99999999 is known here' },
  ])('cannot begin after $after', async ({ after, why }) => {
    await expect(startFollower({ after })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(why),
    })
  })
})

describe('a follower whose connections are lost again and again', () => {
  const killings = [
    {
      how: 'by Postgres',
      kill: () =>
        sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'treeos follower'`.execute(base.owner),
    },
    { how: 'in the network', kill: (proxy: FaultProxy) => proxy.cut() },
  ]

  it.each(killings)('$how gets each fact once', async ({ kill }) => {
    const proxy = await FaultProxy.start(tcpTarget(base.url), 'anything')
    endings.push(() => proxy.close())
    const url = new URL(base.url)
    url.host = proxy.address
    const follower = await startFollower({ url: url.href })
    let isWriting = true
    const killing = (async () => {
      let kills = 0
      for (; isWriting; kills += 1) {
        await sleep(60)
        await kill(proxy)
      }
      return kills
    })()
    const reels: string[] = []
    for (let round = 0; round < 12; round += 1) {
      reels.push(...(await writeMany(25)))
      await sleep(40)
    }
    isWriting = false
    expect(await killing).toBeGreaterThan(5)
    await until(() => follower.seen.length >= reels.length)
    await sleep(200)
    expect(reelsOf(follower.seen).sort()).toEqual([...reels].sort())
    expect(new Set(follower.ids()).size).toBe(reels.length)
  })

  it('misses what happens meanwhile, until it asks again: the control', async () => {
    const url = base.url
    let heard = 0
    const listener = listenToJournal(url)
    endings.push(() => listener.close())
    await listener.ready
    listener.subscribe(() => (heard += 1))
    await killings[0]?.kill({} as FaultProxy)
    await writeMany(1) // its notice reaches nobody
    expect(heard).toBe(0)
    await until(() => heard > 0) // the new connection says that something may have been missed
  })
})
