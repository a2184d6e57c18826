import { type JsonObject, SPEECH_KIND } from '@treeos/core'
import { defineExtension, defineRole, silence } from '@treeos/sdk'
import { listOutcomes } from '@treeos/store'
import { beforeAll, describe, expect, it } from 'vitest'
import { publish, rowOf, until, wakesOf } from '../../support/life.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const DANCERS = ['ada', 'bo', 'cyd', 'dee', 'eve'] as const

/** A step is a quality of the dancer's own, so nobody needs to be told of it. */
const floor = defineExtension({
  name: 'floor',
  version: '1.0.0',
  roles: [
    defineRole({ name: 'floor:dancer', canDo: ['set-being'], prompt: 'You dance.' }),
    defineRole({ name: 'floor:guest', prompt: 'You stand by the wall.' }),
  ],
  scripts: {
    'floor:feet': ({ face, primary }) => {
      if (primary !== 'floor:dancer') return silence
      const { steps = 0 } = (face.me.qualities.dance ?? {}) as { steps?: number }
      const args = { field: 'dance.steps', value: steps + 1 }
      return {
        kind: 'call',
        call: { verb: 'do', operation: 'set-being', target: `@${face.me.name}`, args },
        content: null,
      }
    },
  },
})
const flow: JsonObject[] = [
  { when: { 'world.harmony.alive': true, 'world.harmony.beat': { present: true } }, role: 'floor:dancer' },
  { role: 'floor:guest' },
]

const world = useWorld({ extensions: [floor] })
beforeAll(async () => {
  for (const name of DANCERS) {
    await world.birth({
      name,
      cognition: 'scripted',
      script: 'floor:feet',
      role: 'floor:guest',
      roleFlow: flow,
    })
  }
})

const stepsOf = async (name: string) =>
  (((await rowOf(world, name)).qualities.dance ?? {}) as { steps?: number }).steps ?? 0
/** The stack of each being's newest moment. */
const worn = () =>
  Promise.all(
    DANCERS.map(async (name) => (await listOutcomes(world.db, name, 1))[0]?.record.stack?.primary.name),
  )
const all = (role: string) => DANCERS.map(() => role)
const settled = (role: string) =>
  until(async () => JSON.stringify(await worn()) === JSON.stringify(all(role)), {
    what: `everyone a ${role}`,
  })

describe('everyone dances while the drum is alive', () => {
  it('they start on one signal, step on each beat, and stop on one, without a word between them', async () => {
    await publish(world, 'harmony.beat', 0)
    await publish(world, 'harmony.alive', true)
    await settled('floor:dancer')
    for (const beat of [1, 2, 3]) {
      const before = await Promise.all(DANCERS.map(stepsOf))
      await publish(world, 'harmony.beat', beat)
      await until(
        async () => (await Promise.all(DANCERS.map(stepsOf))).every((n, i) => n > (before[i] ?? 0)),
        {
          what: `a step of everyone on beat ${beat}`,
        },
      )
    }
    await publish(world, 'harmony.alive', false)
    await settled('floor:guest')
    const stood = await Promise.all(DANCERS.map(stepsOf))
    // nobody reads on: the first condition fails, yet the flow names the path
    await publish(world, 'harmony.beat', 4)
    await until(async () =>
      (await Promise.all(DANCERS.map((name) => wakesOf(world, name))))
        .flat()
        .every(({ closedBy }) => closedBy !== null),
    )
    expect(await Promise.all(DANCERS.map(stepsOf))).toEqual(stood)
  })

  it('nobody said anything to anybody: what woke them were changes, and what they did was their own', async () => {
    for (const name of DANCERS) {
      const wakes = await wakesOf(world, name)
      expect(wakes.length).toBeGreaterThanOrEqual(5)
      expect(
        wakes.filter(
          ({ kind, id, caller }) => kind !== 'event' || !id.startsWith('change/') || caller !== null,
        ),
      ).toEqual([])
    }
    const facts = await world.db
      .selectFrom('fact')
      .select(['kind', 'moment'])
      .where('moment', 'in', (of) =>
        of.selectFrom('moment_outcome').select('moment').where('being', 'in', DANCERS),
      )
      .execute()
    expect(facts.filter(({ kind }) => kind === SPEECH_KIND)).toEqual([])
    expect(facts.length).toBeGreaterThanOrEqual(15)
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
