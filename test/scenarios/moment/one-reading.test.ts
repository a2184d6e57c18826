/**
 * A moment reads the world once. What its act was decided from is checked when it is stored; what nothing
 * checks is read again.
 */
import { newMemory } from '@treeos/activities'
import type { JsonObject } from '@treeos/core'
import type { StampedMoment } from '@treeos/protocol'
import type { StoreDb } from '@treeos/store'
import type { Kysely, KyselyPlugin } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { sabotage } from '../../faults/sabotage.ts'
import {
  beginByHand,
  type HandMoment,
  type HandWorker,
  handWorker,
  nextOf,
  openByHand,
  stampedIn,
  tellByHand,
} from '../../support/by-hand.ts'
import { createSpace, doAs } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { brokenIn } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'
import type { World } from '../../support/world.ts'

/** The same pool, and the statements that were sent since it was asked last. */
function counted(db: Kysely<StoreDb>): { db: Kysely<StoreDb>; statements: () => number } {
  let count = 0
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      count += 1
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const statements = () => {
    const was = count
    count = 0
    return was
  }
  return { db: db.withPlugin(plugin), statements }
}

/** A puppet that no workflow runs, with a worker of its own that has run one moment of it. */
async function puppetOf(world: World, name: string) {
  await world.birthPuppet(name)
  const { db, statements } = counted(world.workerDb)
  const worker = handWorker(world, { db, memory: newMemory({ callsMax: 0 }) }) // it waits for no next wake
  const first = await beginByHand(world, name)
  await live(world, worker, first, { verb: 'do', operation: 'set-being', args: { field: 'a.b', value: 1 } })
  statements()
  return { worker, moment: nextOf(first), statements }
}

/** Runs one moment. @param meanwhile runs after it opened */
async function live(
  world: World,
  worker: HandWorker,
  moment: HandMoment,
  call: JsonObject,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<StampedMoment> {
  await tellByHand(world, moment.being, moment.moment, { call })
  const opened = await openByHand(worker, moment)
  await meanwhile()
  return stampedIn(await opened.end())
}

const act = (n: number): JsonObject => ({
  verb: 'do',
  operation: 'set-being',
  args: { field: 'a.b', value: n },
})
const summon = (target: string): JsonObject => ({ verb: 'summon', target, content: 'hi' })
const PAINT: JsonObject = {
  verb: 'do',
  operation: 'set-space',
  target: '/den/nook',
  args: { field: 'ambient.tone', value: 'late' },
}

describe('a held moment', () => {
  const world = useWorld({ extensions: [stage] })

  it('sends one statement after it opened, when it acts as before', async () => {
    const { worker, moment, statements } = await puppetOf(world, 'steady')
    let opening = 0
    const stamped = await live(world, worker, moment, act(2), async () => {
      opening = statements()
    })
    expect({ kind: stamped.kind, opening, ending: statements() }).toEqual({
      kind: 'act',
      opening: 1,
      ending: 1,
    })
  })

  it('decides again from the world as it is now, when a head that it read has moved', async () => {
    const { worker, moment, statements } = await puppetOf(world, 'overtaken')
    const stamped = await live(world, worker, moment, act(3), async () => {
      await doAs(world, 'set-being', '@overtaken', { field: 'c.d', value: 1 })
      statements()
    })
    expect({ kind: stamped.kind, ending: statements() }).toEqual({ kind: 'act', ending: 3 })
  })

  it('is refused by the world as it is now: what was missing when it opened may be there', async () => {
    const { worker, moment } = await puppetOf(world, 'early')
    const stamped = await live(world, worker, moment, summon('@just-born'), () =>
      world.birth({ name: 'just-born', cognition: 'scripted', script: 'echo' }),
    )
    expect(stamped).toMatchObject({ kind: 'act' })
  })

  it('says what is missing now', async () => {
    const { worker, moment } = await puppetOf(world, 'alone')
    const stamped = await live(world, worker, moment, summon('@nobody'))
    expect(stamped).toMatchObject({ kind: 'failure', reason: 'BEING_NOT_FOUND' })
    // What these puppets were told was put into their inboxes by hand: nobody said it. Its id is that of the
    // moment, so what the moment says itself finds its own id taken.
    const broken = await brokenIn(world)
    expect(broken.filter(({ reason }) => reason !== 'wake-mismatch' && reason !== 'wake-missing')).toEqual([])
  })
})

describe('a right that was taken away after the moment opened', () => {
  const guarded = useWorld({ extensions: [stage] })
  /** Its appends do not check the heads that a decision read. */
  const unguarded = useWorld({ extensions: [stage] })
  beforeAll(async () => {
    await sabotage(unguarded.owner, 'unheld-append')
  })

  const paintWhileForbidden = async (world: World) => {
    for (const path of ['/den', '/den/nook']) await createSpace(world, path)
    const { worker, moment } = await puppetOf(world, 'painter')
    await doAs(world, 'set-space', '/den', { field: 'permissions.do', value: { 'set-space': true } })
    await live(world, worker, moment, PAINT) // so the next opening reads what it needs
    return live(world, worker, nextOf(moment), PAINT, () =>
      doAs(world, 'set-space', '/den', { field: 'permissions.do', value: { 'set-space': false } }),
    )
  }

  it('is gone', async () => {
    expect(await paintWhileForbidden(guarded)).toMatchObject({ kind: 'failure', reason: 'FORBIDDEN' })
  })

  it('control: without the check of heads the act is stored', async () => {
    expect(await paintWhileForbidden(unguarded)).toMatchObject({ kind: 'act' })
  })
})
