import { summon } from '@treeos/client'
import { type Json, type JsonObject, newWake, PRIORITIES } from '@treeos/core'
import { replay } from '@treeos/replay'
import { findOutcomeOfWake, listFactsOfMoment } from '@treeos/store'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectRefused, groundOf, live, momentOf, play, ring, rowOf, setRole } from '../../support/life.ts'
import { drawn } from '../../support/night.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'
import { putWake } from '../../support/wakes.ts'

const world = useWorld({ extensions: [stage] })
beforeAll(async () => {
  await world.birthPuppet('subject')
})

const refused = (run: () => Promise<unknown>, code: string, says: string | RegExp) =>
  expectRefused(world, run, code, says)
const askBirther = async (content: Json) =>
  (await summon(world, { target: 'birther', content, as: 'operator', waitSeconds: 20 })).reply?.content
const beg = (payload: JsonObject) =>
  play(world, 'subject', { verb: 'summon', target: '@birther', content: { be: 'birth', ...payload } })

describe('birth at @birther', () => {
  it('mints a child of whoever asks, with a name, a mind and a first flow', async () => {
    const roleFlow = [{ when: { verb: 'summon' }, role: 'stage:mute' }]
    const asked = { be: 'birth', name: 'ann', cognition: 'llm', role: 'resident', roleFlow, home: '/library' }
    expect(await askBirther(asked)).toMatchObject({
      ok: true,
      result: { being: 'ann', stance: '@ann', parent: '@operator', cognition: 'llm' },
    })
    expect(await rowOf(world, 'ann')).toMatchObject({
      parent: 'operator',
      cognition: { kind: 'llm' },
      defaultRole: 'resident',
      home: '/library',
      qualities: { roleFlow },
    })
  })

  it('of another being too: the child is its own, and the facts say who asked', async () => {
    const made = { name: 'beth', cognition: 'scripted', script: 'echo', role: 'stage:mute' }
    const spoken = await beg(made)
    expect(spoken).toMatchObject({ outcome: 'act' })
    expect(await momentOf(world, spoken.act ?? '')).toMatchObject({ outcome: 'act' })
    const outcome = await findOutcomeOfWake(world.db, spoken.act ?? '')
    expect((await listFactsOfMoment(world.db, outcome?.moment ?? '')).map(({ reel }) => reel).sort()).toEqual(
      [
        'being:beth',
        'being:birther', // its answer
        'being:subject',
        'space:/',
      ],
    )
    expect(await rowOf(world, 'beth')).toMatchObject({ parent: 'subject' })
  })

  it('answers a malformed request with the right form', async () => {
    expect(await askBirther('hello?')).toContain('{"be": "birth"')
  })

  it('lends nothing: who may not bear alone may not through it, and no home or role beyond its own', async () => {
    await setRole(world, { name: 'barren', canSee: ['~'], canSummon: ['@birther'], prompt: '' })
    await setRole(world, { name: 'bearer', canBe: ['birth'], canSummon: ['@birther'], prompt: '' })
    for (const [name, role] of [
      ['sterile', 'barren'],
      ['humble', 'bearer'],
    ])
      await world.birth({ name: name!, cognition: 'scripted', script: 'stage:puppet', role: role! })
    for (const [asker, more] of [
      ['sterile', {}],
      ['humble', { role: 'stage:free' }],
      ['humble', { role: 'bearer', home: '/library' }],
    ] as const) {
      const before = (await groundOf(world)) as { facts: number }
      const content = { be: 'birth', name: 'bastard', cognition: 'llm', ...more }
      const spoken = await play(world, asker, { verb: 'summon', target: '@birther', content })
      expect(await momentOf(world, spoken.act ?? '')).toMatchObject({ outcome: 'act' })
      // Three words: told to ask, asked, and answered; nobody is born.
      expect(((await groundOf(world)) as { facts: number }).facts).toBe(before.facts + 3)
    }
    expect(
      await world.db.selectFrom('projection').select('key').where('key', '=', 'being:bastard').execute(),
    ).toEqual([])
  })
})

describe('who is refused a birth', () => {
  it('a name that is taken, for ever', async () => {
    for (const name of ['librarian', 'operator', 'subject']) {
      await refused(() => world.birth({ name, cognition: 'llm' }), 'RESOURCE_CONFLICT', `"${name}" is taken`)
      expect(await askBirther({ be: 'birth', name, cognition: 'llm' })).toMatchObject({
        ok: false,
        error: { code: 'RESOURCE_CONFLICT' },
      })
    }
  })

  it('all but one of two births of one name at once', async () => {
    const births = await Promise.allSettled(
      [1, 2, 3].map(() => world.birth({ name: 'twin', cognition: 'llm' })),
    )
    expect(births.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
  })

  it.each(drawn([['Ada'], ['a b'], ['9lives'], ['x'.repeat(33)], [''], ['zoë'], [7], [null]]))(
    'a being cannot be called %j',
    async (name) => {
      await refused(
        () => world.birth({ name, cognition: 'llm' } as JsonObject),
        'INVALID_INPUT',
        /is not valid|is missing/,
      )
    },
  )

  it.each(
    drawn<[string, JsonObject, string, RegExp]>([
      ['no name', { name: null, cognition: 'llm' }, 'INVALID_INPUT', /name|is not valid/],
      ['no mind', {}, 'INVALID_INPUT', /birth: cognition is missing/],
      ['an unknown mind', { cognition: 'dog' }, 'INVALID_INPUT', /cognition is "dog".*llm, human, scripted/],
      ['a script without a name', { cognition: 'scripted' }, 'INVALID_INPUT', /script is missing/],
      [
        'an unknown script',
        { cognition: 'scripted', script: 'ecko' },
        'INVALID_INPUT',
        /script is "ecko"; it takes one of birther, echo, role-manager, silent, stage:puppet/,
      ],
      ['a script for a model', { cognition: 'llm', script: 'echo' }, 'INVALID_INPUT', /script is "echo"/],
      ['an unknown role', { cognition: 'llm', role: 'ghost' }, 'ROLE_UNAVAILABLE', /"ghost"/],
      ['a role of another type', { cognition: 'llm', role: 7 }, 'INVALID_INPUT', /role is 7/],
      ['a home that is not there', { cognition: 'llm', home: '/nowhere' }, 'SPACE_NOT_FOUND', /\/nowhere/],
      ['a malformed home', { cognition: 'llm', home: 'a//b' }, 'ADDRESS_PARSE_ERROR', /a\/\/b/],
      ['a malformed flow', { cognition: 'llm', roleFlow: {} }, 'INVALID_INPUT', /array of clauses/],
      [
        'a ceiling with a token',
        { cognition: 'llm', ceiling: { canSee: [{ rel: 'asker' }] } },
        'INVALID_INPUT',
        /ceiling is/,
      ],
      ['another field', { cognition: 'llm', color: 'red' }, 'INVALID_INPUT', /"color"/],
      [
        'a flow too large',
        {
          cognition: 'llm',
          roleFlow: Array.from({ length: 120 }, (_, i) => ({
            stack: true,
            when: { 'me.quality.mood.tone': `${i % 10}`.repeat(200) },
            role: 'stage:mute',
          })),
        },
        'INVALID_INPUT',
        /at most 16384 bytes/,
      ],
    ]),
  )('%s', async (_what, payload, code, says) => {
    await refused(() => world.birth({ name: 'stillborn', ...payload }), code, says)
  })
})

it('every moment replays identically', async () => {
  expect(await live(world, 'subject', { return: { kind: 'see', content: null } })).toMatchObject({
    outcome: 'see',
  })
  await expectUnbroken(world)
  await expectReplays(world)
})

it('refuses a birth that no being asked @birther for', async () => {
  const before = await groundOf(world)
  const id = crypto.randomUUID()
  await putWake(
    world.owner,
    newWake({
      id,
      being: 'birther',
      kind: 'summon',
      priority: PRIORITIES.interactive,
      content: { be: 'birth', name: 'foundling', cognition: 'llm' },
    }),
  )
  await ring(world, 'birther')
  expect(await momentOf(world, id)).toMatchObject({ outcome: 'failure', reason: 'UNAUTHORIZED', act: null })
  expect(await groundOf(world)).toEqual(before)
  // Only a forged row looks so; no fact stands behind it.
  const { mismatches } = await replay(world, { beings: ['birther'], from: 'chain' })
  expect(mismatches).toMatchObject([{ being: 'birther', field: 'caller', chain: null }])
})
