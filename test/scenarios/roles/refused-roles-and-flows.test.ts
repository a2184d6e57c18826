import type { Json, JsonObject } from '@treeos/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { doAs, expectRefused, live, rowOf, setFlow, setRole } from '../../support/life.ts'
import { drawn } from '../../support/night.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage] })
beforeAll(() => puppet('subject'))

const puppet = (name: string, more = {}) => world.birthPuppet(name, more)

const refused = (run: () => Promise<unknown>, code: string, says: string | RegExp) =>
  expectRefused(world, run, code, says)

describe('a live write of a role', () => {
  it.each(
    drawn([
      [{ name: 'guard', temper: 'calm' }, 'INVALID_INPUT', 'role field temper is not a field of a role'],
      [{ name: 'guard', cognition: 'llm' }, 'INVALID_INPUT', 'role field cognition is not a field of a role'],
      [
        { name: 'guard', requiredCognition: 'dog' },
        'INVALID_INPUT',
        'requiredCognition is one of llm, human, scripted',
      ],
      [{ name: 'guard', canDo: 'move' }, 'INVALID_INPUT', 'role field canDo is an array'],
      [{ name: 'guard', canDo: [{ any: 1 }] }, 'INVALID_INPUT', 'role field canDo[0]'],
      [{ name: 'guard', prompt: { function: 'stage@1.0.0' } }, 'INVALID_INPUT', 'role.prompt'],
      [{ prompt: 'x' }, 'INVALID_INPUT', 'role field name is missing'],
      [{ name: 'stage:free', prompt: 'x' }, 'RESOURCE_CONFLICT', 'stage:free belongs to stage'],
      [{ name: 'resident', prompt: 'x' }, 'RESOURCE_CONFLICT', 'resident belongs to seed'],
      [{ name: 'guard', prompt: 'x'.repeat(40_000) }, 'PAYLOAD_TOO_LARGE', 'at most 32768 bytes'],
    ]),
  )('refuses %j', async (role, code, says) => {
    await refused(() => setRole(world, role as JsonObject), code, says)
  })

  it.each(drawn(['Guard', 'night guard', 'a:b:c', 'wächter', '', '-x', 'x'.repeat(65), ':x', '__proto__']))(
    'refuses the name %j',
    async (name) => {
      await refused(() => setRole(world, { name, prompt: '' }), 'INVALID_INPUT', 'kebab-case')
    },
  )
})

describe('a live write of a flow', () => {
  const proto = JSON.parse('{"__proto__": {"x": 1}}')
  it.each(
    drawn([
      [
        [{ when: { verb: { like: 'do' } }, role: 'resident' }],
        /\[0\]\.when\.verb\.like: unknown operator "like"/,
      ],
      [[{ when: { 'time.hour': { gte: '9' } }, role: 'resident' }], /\[0\]\.when\["time\.hour"\]\.gte/],
      [
        [{ when: { weather: 'fine' }, role: 'resident' }],
        /\[0\]\.when\.weather: no path begins with "weather"/,
      ],
      [[{ when: { or: { verb: 'do' } }, role: 'resident' }], /\[0\]\.when\.or: or takes an array/],
      [[{ role: 'resident' }, { role: 'resident', unless: {} }], /\[1\]\.unless: unknown field/],
      [[{ when: { verb: { in: 'do' } }, role: 'resident' }], /\[0\]\.when\.verb\.in/],
      [[{ stack: 'yes', role: 'resident' }], /\[0\]\.stack: stack is true or false/],
      [[{ when: { verb: 'do' } }], /\[0\]\.role/],
      [[{ when: proto, role: 'resident' }], /__proto__/],
      [{ role: 'resident' }, /a flow is an array of clauses/],
    ]),
  )('refuses %j with the path of the fault', async (flow, says) => {
    await refused(() => setFlow(world, 'subject', flow as never), 'INVALID_INPUT', says)
    await refused(
      () => world.birth({ name: 'stillborn', cognition: 'llm', roleFlow: flow as never }),
      'INVALID_INPUT',
      says,
    )
    expect((await rowOf(world, 'subject')).qualities).toEqual({})
  })

  it('takes equality and ranges: a missing path equals nothing, and no range holds of a text', async () => {
    await setFlow(world, 'subject', [
      { stack: true, when: { 'me.quality.load.kg': { gte: 1, lt: 3 } }, role: 'stage:mode-1' },
      { stack: true, when: { 'me.quality.load.kg': 2 }, role: 'stage:mode-2' },
    ])
    const stackedAt = async (value: Json) => {
      await doAs(world, 'set-being', '@subject', { field: 'load.kg', value })
      return (await live(world, 'subject', 'look')).stacked
    }
    expect((await live(world, 'subject', 'look')).stacked).toEqual([])
    expect(await stackedAt(1)).toEqual(['stage:mode-1'])
    expect(await stackedAt(2)).toEqual(['stage:mode-1', 'stage:mode-2'])
    expect(await stackedAt(3)).toEqual([])
    expect(await stackedAt('2')).toEqual([])
    expect(await stackedAt(null)).toEqual([])
  })

  it('takes well-formed conditions, up to the depth allowed', async () => {
    let when: JsonObject = { verb: 'summon' }
    for (let depth = 0; depth < 15; depth++) when = { and: [when, { not: { or: [] } }] }
    await setFlow(world, 'subject', [{ when, role: 'stage:mute' }])
    expect(await live(world, 'subject', 'look')).toMatchObject({ primary: 'stage:mute' })
    for (let depth = 0; depth < 20; depth++) when = { and: [when] }
    await refused(
      () => setFlow(world, 'subject', [{ when, role: 'stage:mute' }]),
      'INVALID_INPUT',
      'conditions nest deeper than 32',
    )
    await setFlow(world, 'subject', [])
  })

  it('refuses a role that is not registered', async () => {
    await refused(() => setFlow(world, 'subject', [{ role: 'ghost' }]), 'ROLE_UNAVAILABLE', '"ghost"')
    await refused(
      () => world.birth({ name: 'stillborn', cognition: 'llm', role: 'ghost' }),
      'ROLE_UNAVAILABLE',
      '"ghost"',
    )
  })
})

it('every refused moment replays, and no chain is broken', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
  expect(world.errors).toEqual([])
})
