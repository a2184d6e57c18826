import { explain, gather, inbox, moments, plantScene, reply, summon } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import panel, { sitting } from '@treeos/panel'
import { beforeAll, describe, expect, it } from 'vitest'
import { doAs, groundOf, live, momentOf, play, rowOf, tell, until, wakesOf } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage, panel] })

interface Verdict {
  readonly of: string
  readonly answer: Json
  readonly votes: Record<string, Json>
  readonly silent: string[]
}
/** The verdict of a panel on one question. */
const verdictOf = (to: string, of: string, seconds = 40): Promise<Verdict> =>
  until(
    async () =>
      (await wakesOf(world, to))
        .map(({ content }) => content as unknown as Verdict)
        .find((content) => content?.of === of && 'votes' in content),
    { seconds, what: `the verdict on ${of}` },
  )
const ask = async (being: string, content: Json) => verdictOf('operator', await tell(world, being, content))
const lived = async (being: string) => (await moments(world.db, being)).length

const birthPanel = async (
  name: string,
  members: string[],
  rule: 'first' | 'majority' | 'all',
  idle?: number,
) => {
  await world.birth({
    name,
    cognition: 'scripted',
    script: 'panel:chair',
    role: 'panel:clerk',
    roleFlow: sitting as unknown as JsonObject[],
    home: '/council',
  })
  await doAs(world, 'panel:seat', `@${name}`, { members, rule })
  if (idle !== undefined) await doAs(world, 'set-being', `@${name}`, { field: 'wake.idle', value: idle })
}
const birthPuppet = (name: string) => world.birthPuppet(name, { home: '/council' })

describe('a being made of beings', () => {
  it('votes: each member is asked in turn, and what more than half of them say is the answer', async () => {
    expect(await plantScene(world, panel)).toBe(true)
    const { id } = await until(async () => (await wakesOf(world, 'council'))[0])
    expect(await verdictOf('operator', id)).toEqual({
      of: id,
      question: { cost: 40 },
      answer: 'yes',
      votes: { thrifty: 'no', sober: 'yes', lavish: 'yes' },
      silent: [],
    })
  })

  it('asks no more than it needs: two of three are a majority', async () => {
    const before = await lived('lavish')
    expect(await ask('council', { cost: 5 })).toMatchObject({
      answer: 'yes',
      votes: { thrifty: 'yes', sober: 'yes' },
    })
    expect(await lived('lavish')).toBe(before)
  })

  it('delegates: one member is asked, and its answer is passed on as it is', async () => {
    const before = await Promise.all(['sober', 'lavish'].map(lived))
    expect(await ask('minister', { cost: 40 })).toMatchObject({
      answer: 'no',
      votes: { thrifty: 'no' },
      silent: [],
    })
    expect(await Promise.all(['sober', 'lavish'].map(lived))).toEqual(before)
  })

  it('writes or speaks, never both in one moment, and to nobody but the one whose turn it is', async () => {
    const all = await moments(world.db, 'council')
    const surfaces = await Promise.all(
      all.map(async ({ n }) => (await explain(world.db, 'council', n)).surface),
    )
    const spoken = all.flatMap(({ primary }, i) => (primary === 'panel:voice' ? [surfaces[i]] : []))
    expect(spoken.map((surface) => surface?.canSummon)).toEqual(
      ['thrifty', 'sober', 'lavish', 'operator', 'thrifty', 'sober', 'operator'].map((name) => [`@${name}`]),
    )
    for (const [i, surface] of surfaces.entries()) {
      const isVoice = all[i]!.primary === 'panel:voice'
      expect(surface).toMatchObject({
        canSee: [],
        canBe: [],
        canDo: isVoice ? [] : ['panel:open', 'panel:hear'],
        ...(isVoice ? {} : { canSummon: [] }),
      })
    }
    const decided = await world.db
      .selectFrom('fact')
      .select('reel')
      .where('kind', '=', 'panel:decided')
      .execute()
    expect(decided.map(({ reel }) => reel).sort()).toEqual([
      'being:council',
      'being:council',
      'being:minister',
    ])
  })

  it('answers whoever waits: `--wait` follows its questions to its members, to the end', async () => {
    const asked = { as: 'operator', content: { cost: 40 }, waitSeconds: 30, requireReply: true }
    const { correlation, moment, reply } = await summon(world, { target: 'council', ...asked })
    expect(reply).toMatchObject({ from: '@council', content: { of: correlation, answer: 'yes' } })
    expect(moment).toMatchObject({ outcome: 'act', primary: 'panel:voice' })
    expect(
      await gather(world, {
        targets: ['council', 'minister'],
        as: 'operator',
        content: { cost: 40 },
        waitSeconds: 30,
      }),
    ).toMatchObject({
      complete: true,
      replies: [{ content: { answer: expect.any(String) } }, { content: { answer: expect.any(String) } }],
    })
  })

  it('answers a sentence of a person with a sentence, and keeps the verdict with all its parts', async () => {
    const asked = { as: 'operator', content: 'Shall we spend 40?', waitSeconds: 30, requireReply: true }
    const { correlation, reply } = await summon(world, { target: 'council', ...asked })
    expect(reply?.content).toBe('yes (@lavish: yes; @sober: yes; @thrifty: no)')
    const { qualities } = await rowOf(world, 'council')
    expect((qualities.panel as JsonObject).verdict).toMatchObject({
      of: correlation,
      answer: 'yes',
      silent: [],
    })
    expect((await summon(world, { target: 'council', ...asked, content: 'Shall we?' })).reply?.content).toBe(
      'cannot tell (@sober: cannot tell; @thrifty: cannot tell)',
    )
  })

  it('answers only what it was asked itself, in the same thread and to whoever asked', async () => {
    const question = await tell(world, 'council', { cost: 5 })
    await verdictOf('operator', question)
    await birthPuppet('liar')
    const say = (call: JsonObject) =>
      play(world, 'liar', { verb: 'summon', target: '@operator', content: 'no', ...call })
    expect(await say({ inReplyTo: question })).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    const own = await tell(world, 'liar', 'anything')
    expect(await say({ inReplyTo: own })).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
  })

  it('answers its asker, and not the being that began the chain', async () => {
    await birthPuppet('clara')
    const { n } = await play(world, 'clara', { verb: 'summon', target: '@council', content: { cost: 500 } })
    expect(await verdictOf('clara', `clara/1/${n}`)).toMatchObject({
      answer: 'no',
      votes: { thrifty: 'no', sober: 'no' },
    })
  })

  it('panels sit on panels', async () => {
    await birthPanel('senate', ['@council', '@minister', '@lavish'], 'all')
    expect(await ask('senate', { cost: 40 })).toMatchObject({
      answer: 'yes',
      votes: { council: 'yes', minister: 'no', lavish: 'yes' },
    })
  })

  it('as many as may sit are all heard, in one going', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `peer-${i}`)
    for (const name of names)
      await world.birth({ name, cognition: 'scripted', script: 'panel:purse', role: 'panel:member' })
    await birthPanel(
      'house',
      names.map((name) => `@${name}`),
      'all',
    )
    expect(await ask('house', { cost: 1 })).toMatchObject({
      answer: 'cannot tell',
      votes: Object.fromEntries(names.map((name) => [name, 'cannot tell'])),
    })
    const all = await moments(world.db, 'house')
    expect(all.map(({ outcome, reason }) => [outcome, reason ?? null])).toEqual(
      Array.from({ length: 26 }, () => ['act', null]), // opened, each asked and heard, and told
    )
  })

  it('a member whose moment fails is passed over at once, and nobody waits for a turn', async () => {
    await world.birth({ name: 'mute', cognition: 'llm', role: 'panel:member' })
    await birthPanel('deputy', ['@mute', '@sober'], 'first')
    expect(await ask('deputy', { cost: 40 })).toMatchObject({
      answer: 'yes',
      votes: { sober: 'yes' },
      silent: ['mute'],
    })
  })

  it('a member that stays silent is passed over when the patience of the panel is at its end', async () => {
    await world.birth({ name: 'still', cognition: 'scripted', script: 'silent', role: 'panel:member' })
    await birthPanel('jury', ['@still', '@sober', '@lavish'], 'all', 2)
    expect(await ask('jury', { cost: 5 })).toMatchObject({
      answer: 'yes',
      votes: { sober: 'yes', lavish: 'yes' },
      silent: ['still'],
    })
    expect(await ask('jury', { cost: 500 })).toMatchObject({
      answer: null,
      votes: { sober: 'no', lavish: 'yes' },
    })
  })

  it('what is said too late, or of something else, does not answer the question of now; people sit too', async () => {
    await birthPanel('bench', ['@operator', '@sober'], 'all', 2)
    const put = async (cost: number) => {
      const { n } = await play(world, 'clara', { verb: 'summon', target: '@bench', content: { cost } })
      return `clara/1/${n}`
    }
    const asked = (cost: number) =>
      until(async () =>
        (await inbox(world, 'operator')).find(
          ({ from, content }) => from === '@bench' && (content as { cost?: number }).cost === cost,
        ),
      )
    const first = await put(7)
    const old = await asked(7)
    expect(await verdictOf('clara', first)).toMatchObject({ silent: ['operator'], votes: { sober: 'yes' } })
    await doAs(world, 'set-being', '@bench', { field: 'wake.idle', value: 600 })
    const second = await put(8)
    const now = await asked(8)
    const say = (correlation: string, content: Json) =>
      reply(world, { correlation, content, as: 'operator', waitSeconds: 20 })
    expect((await say(old.correlation, 'too late')).moment).toMatchObject({ outcome: 'see' })
    // A summon without inReplyTo is a question, and one is open already.
    expect((await live(world, 'bench', { cost: 9 })).message).toBe('@bench is still at a question of @clara')
    expect((await say(now.correlation, 'YES ')).moment).toMatchObject({ outcome: 'act' })
    expect(await verdictOf('clara', second)).toMatchObject({
      answer: 'YES ',
      votes: { operator: 'YES ', sober: 'yes' },
    })
  })

  it('who asks while it is at a question is told so, and may ask again', async () => {
    await birthPanel('board', ['@operator'], 'first')
    const first = await tell(world, 'board', { motion: 'shall we?' })
    const put = () => play(world, 'clara', { verb: 'summon', target: '@board', content: 'and I?' })
    const { n } = await put()
    expect(await momentOf(world, `clara/1/${n}`)).toMatchObject({
      outcome: 'failure',
      reason: 'RESOURCE_CONFLICT',
      message: '@board is still at a question of @operator',
    })
    const told = (await wakesOf(world, 'clara')).map(({ content }) => content as { correlation?: string })
    expect(told.filter(({ correlation }) => correlation === `clara/1/${n}`)).toHaveLength(1)
    const { correlation } = await until(async () =>
      (await inbox(world, 'operator')).find(({ from }) => from === '@board'),
    )
    await reply(world, { correlation, content: 'we shall', as: 'operator', waitSeconds: 20 })
    expect(await verdictOf('operator', first)).toMatchObject({ answer: 'we shall' })
    await put()
    await until(async () => (await inbox(world, 'operator')).some(({ content }) => content === 'and I?'))
  })
})

describe('refusals with a code and no fact', () => {
  const SEATS = { members: ['@sober'], rule: 'all' }
  it.each<[string, string, JsonObject, string, RegExp]>([
    ['nobody', '@council', { ...SEATS, members: [] }, 'INVALID_INPUT', /members is \[\]: /],
    ['all missing', '@council', {}, 'INVALID_INPUT', /members is missing; .*; rule is missing/],
    ['no list', '@council', { ...SEATS, members: '@sober' }, 'INVALID_INPUT', /members is "@sober": /],
    [
      'an unknown rule',
      '@council',
      { ...SEATS, rule: 'dice' },
      'INVALID_INPUT',
      /rule is "dice": .*majority/,
    ],
    ['no stance', '@council', { ...SEATS, members: ['sober'] }, 'INVALID_INPUT', /members\.0 is /],
    [
      'too many',
      '@council',
      { ...SEATS, members: Array(13).fill('@sober') },
      'INVALID_INPUT',
      /members is .*12/,
    ],
    ['twice', '@council', { ...SEATS, members: ['@sober', '@sober'] }, 'INVALID_INPUT', /@sober cannot sit/],
    ['itself', '@council', { ...SEATS, members: ['@council'] }, 'INVALID_INPUT', /@council cannot sit/],
    ['not born', '@council', { ...SEATS, members: ['@ghost'] }, 'BEING_NOT_FOUND', /@ghost/],
    ['no being', '/council', SEATS, 'INVALID_TYPE', /takes a being, not \/council/],
    ['nobody there', '@ghost', SEATS, 'BEING_NOT_FOUND', /@ghost/],
  ])('panel:seat, %s', async (_what, target, args, code, message) => {
    const before = await groundOf(world)
    await expect(doAs(world, 'panel:seat', target, args)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
    expect(await groundOf(world)).toEqual(before)
  })

  /** A panel whose model is scripted. */
  const acts = (operation: string, args: JsonObject, being = 'pawn') =>
    play(world, being, { verb: 'do', operation, target: `@${being}`, args })
  const LONG = 'x'.repeat(4001)

  it.each<[string, JsonObject, string, RegExp]>([
    ['panel:open', { from: 'clara', of: 'x' }, 'INVALID_INPUT', /takes no arguments, but got "from"/],
    ['panel:open', {}, 'RESOURCE_CONFLICT', /nobody sits on @pawn/],
    [
      'panel:hear',
      { member: 'sober', answer: 'yes' },
      'INVALID_INPUT',
      /takes no arguments, but got "answer"/,
    ],
    ['panel:hear', {}, 'RESOURCE_CONFLICT', /no question is put to @pawn/],
  ])('%s with %j: %s', async (action, args, reason, message) => {
    const before = JSON.stringify(await rowOf(world, 'pawn'))
    expect(await acts(action, args)).toMatchObject({
      outcome: 'failure',
      reason,
      message: expect.stringMatching(message),
    })
    expect(JSON.stringify(await rowOf(world, 'pawn'))).toBe(before)
  })

  it('a question that is too long is refused', async () => {
    const call = { verb: 'do', operation: 'panel:open', target: '@pawn', args: {} }
    expect(await play(world, 'pawn', call, LONG)).toMatchObject({
      reason: 'PAYLOAD_TOO_LARGE',
      message: expect.stringMatching(/a question is \d+ .* 4000/),
    })
  })

  it('asker, member and answer are those of the wake: no mind that decides for a panel makes them up', async () => {
    await birthPuppet('rook')
    await doAs(world, 'panel:seat', '@rook', { members: ['@clara', '@lavish'], rule: 'all' })
    const { wake } = await acts('panel:open', {}, 'rook')
    const panelOf = async () => (await rowOf(world, 'rook')).qualities.panel as JsonObject
    expect((await panelOf()).question).toMatchObject({ from: 'operator', of: wake, heard: [] })
    expect(await acts('panel:open', {}, 'rook')).toMatchObject({ reason: 'RESOURCE_CONFLICT' })
    const before = JSON.stringify(await panelOf())
    // The operator is not a member, and what it says does not answer for the member whose turn it is.
    expect(await acts('panel:hear', {}, 'rook')).toMatchObject({
      reason: 'RESOURCE_CONFLICT',
      message: '@rook now hears @clara: what woke it is not an answer of that member to its question',
    })
    await expect(doAs(world, 'panel:seat', '@rook', SEATS)).rejects.toMatchObject({
      code: 'RESOURCE_CONFLICT',
      message: '@rook is still at a question of @operator',
    })
    expect(JSON.stringify(await panelOf())).toBe(before)
  })

  it('another panel is not theirs to seat or to write for', async () => {
    for (const [operation, args] of [
      ['panel:seat', SEATS],
      ['panel:open', {}],
      ['panel:hear', {}],
    ] as const)
      expect(await play(world, 'pawn', { verb: 'do', operation, target: '@rook', args })).toMatchObject({
        outcome: 'failure',
        reason: 'FORBIDDEN',
      })
    expect(await acts('panel:seat', SEATS)).toMatchObject({ reason: 'FORBIDDEN' })
  })

  beforeAll(() => birthPuppet('pawn'))

  it('a malformed panel counts as one without seats, and says so', async () => {
    await birthPanel('husk', ['@sober'], 'first')
    await doAs(world, 'set-being', '@husk', { field: 'panel.seats', value: 'everyone' })
    expect(await live(world, 'husk', { cost: 1 })).toMatchObject({
      reason: 'RESOURCE_CONFLICT',
      message: 'nobody sits on @husk: panel:seat seats its members',
    })
  })

  it('every moment replays identically', async () => {
    expect(world.leftOut).toEqual([])
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
