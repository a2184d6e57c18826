/** A thousand moments that look back, drawn at random: both replays fold the same from the recorded facts. */
import type { JsonObject } from '@treeos/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSpace, doAs, setRole, tell, until } from '../support/life.ts'
import { stage } from '../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../support/replays.ts'
import { useWorld } from '../support/use-world.ts'

const MOMENTS = 1000
const AT_ONCE = 50
const BEINGS = ['ann', 'bo', 'cy', 'di'] as const
const PLACES = ['/hall', '/yard', '/vault'] as const
const world = useWorld({ extensions: [stage] })

const call = fc.oneof(
  fc.record({ on: fc.constantFrom(...PLACES), value: fc.string({ maxLength: 40 }) }).map(
    ({ on, value }): JsonObject => ({
      verb: 'do',
      operation: 'set-space',
      target: on,
      args: { field: 'a.note', value },
    }),
  ),
  fc
    .constantFrom(...PLACES)
    .map((to): JsonObject => ({ verb: 'do', operation: 'move', target: to, args: {} })),
  fc.record({ to: fc.constantFrom(...BEINGS), answers: fc.boolean() }).map(
    ({ to, answers }): JsonObject => ({
      verb: 'summon',
      target: `@${to}`,
      content: answers ? { call: { verb: 'summon', content: 'so it is' } } : 'hm',
      expectReply: answers,
    }),
  ),
)

it(`${MOMENTS} moments that recall replay from the chain and from Temporal's histories`, async () => {
  const anything = { canSee: [{ pattern: '*' }], canDo: [{ pattern: '*' }], canSummon: [{ pattern: '*' }] }
  for (const orientation of ['half', 'inward'])
    await setRole(world, { ...anything, name: orientation, defaultOrientation: orientation, prompt: '' })
  for (const place of PLACES) {
    await createSpace(world, place)
    const anyone = { 'set-space': { requires: ['anyone'] } }
    await doAs(world, 'set-space', place, { field: 'permissions.do', value: anyone })
  }
  for (const [i, name] of BEINGS.entries())
    await world.birthPuppet(name, { home: '/hall', role: i % 2 === 0 ? 'half' : 'inward' })
  await doAs(world, 'set-space', '/vault', {
    field: 'permissions.see',
    value: { '*': { requires: ['operator'] } },
  })

  const drawn = fc.sample(fc.tuple(fc.constantFrom(...BEINGS), call), { numRuns: MOMENTS, seed: 36 })
  for (let from = 0; from < MOMENTS; from += AT_ONCE)
    await Promise.all(
      drawn.slice(from, from + AT_ONCE).map(([being, told]) => tell(world, being, { call: told })),
    )
  const open = () =>
    world.db
      .selectFrom('inbox')
      .select('id')
      .where('closed_by', 'is', null)
      .where('being', 'in', [...BEINGS])
      .executeTakeFirst()
  await until(async () => (await open()) === undefined, { seconds: 300, what: 'the end of all moments' })

  const looked = await world.db
    .selectFrom('moment_open')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('being', 'in', [...BEINGS])
    .executeTakeFirstOrThrow()
  expect(Number(looked.count)).toBeGreaterThanOrEqual(MOMENTS)
  const replayed = await expectReplays(world)
  expect(replayed.moments).toBeGreaterThan(2 * MOMENTS) // and those of who told them
  await expectUnbroken(world)
}, 600_000)
