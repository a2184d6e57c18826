import { giveFile, inbox, moments, reply, revokeToken, see } from '@treeos/client'
import type { BeingName, JsonObject } from '@treeos/core'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { askedFor, live, rowOf, setRole, tell, until } from '../../support/life.ts'
import { connectTo, EdgeWorld, LEAK, type Outside, openEdge, refusalIn } from '../../support/mcp.ts'
import { drawn, IS_NIGHT } from '../../support/night.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'

let at: EdgeWorld
beforeAll(async () => {
  at = await EdgeWorld.start()
})
afterEach(() => at.dismiss())
afterAll(() => at?.close())

const callsFor = (being: BeingName) => askedFor(at.model, being).length

describe('a client performs the four verbs', () => {
  it('as a person, which acts as itself', async () => {
    const ada = await at.asBeing('ada')
    expect(await ada.call('see', { address: '@operator' })).toMatchObject({
      isError: false,
      value: { address: { being: '@operator' } },
    })
    expect(await ada.call('see', { addresses: ['@operator', '/nowhere'] })).toMatchObject({
      isError: false,
      value: {
        looks: [
          { address: '@operator', seen: { address: { being: '@operator' } } },
          { address: '/nowhere', refused: { code: 'SPACE_NOT_FOUND' } },
        ],
      },
    })
    const tone = { field: 'mood.tone', value: 'calm' }
    expect(await ada.call('do', { operation: 'set-being', target: '@ada', args: tone })).toMatchObject({
      isError: false,
      value: {
        act: expect.stringMatching(/^ada\//),
        facts: [{ reel: 'being:ada' }, { kind: 'origin:outside' }],
      },
    })
    const said = await ada.call('summon', { target: '@echo', content: 'hello', waitSeconds: 20 })
    expect(said).toMatchObject({
      isError: false,
      value: { reply: { from: '@echo', content: 'hello' }, moment: { outcome: 'act' } },
    })
    const born = await ada.call('be', {
      operation: 'birth',
      args: { name: 'pet', cognition: 'scripted', script: 'echo', role: 'stage:free' },
    })
    expect(born).toMatchObject({ isError: false, value: { result: { stance: '@pet', parent: '@ada' } } })
    expect(await at.isDriven('ada')).toBe(false)
    const lived = await moments(at.world.db, 'ada')
    expect(lived.slice(-3).map(({ outcome }) => outcome)).toEqual(['act', 'act', 'act'])
  })

  it.each(IS_NIGHT ? (['2025', '2026'] as const) : (['2026'] as const))(
    'as a being with a mind of its own, by the protocol of %s: no model is called meanwhile, and afterwards it lives by its own mind',
    async (era) => {
      const before = callsFor('kid')
      const kid = await at.outside((await at.tokenFor('kid')).secret, { era })
      expect(kid.session === undefined).toBe(era === '2026')
      expect(await kid.call('see', { address: '@ada' })).toMatchObject({ isError: false })
      expect(await see(at.world, 'operator', '@kid')).toMatchObject({
        identity: { inhabitedBy: '@operator' },
      })
      const tone = { field: 'mood.tone', value: era }
      expect(await kid.call('do', { operation: 'set-being', target: '@kid', args: tone })).toMatchObject({
        isError: false,
        value: {
          act: expect.stringMatching(/^kid\//),
          facts: [{ reel: 'being:kid' }, { kind: 'origin:outside' }],
        },
      })
      expect(
        await kid.call('summon', { target: '@echo', content: 'who is there', waitSeconds: 20 }),
      ).toMatchObject({ value: { reply: { content: 'who is there' } } })
      const args = { name: `pup-${era}`, cognition: 'scripted', script: 'echo', role: 'stage:free' }
      expect(await kid.call('be', { operation: 'birth', args })).toMatchObject({
        value: { result: { parent: '@kid' } },
      })
      // An incoming summon waits, is read, and is answered by hand.
      const asked = await tell(at.world, 'kid', 'How are you?')
      expect(await kid.read('treeos://inbox')).toMatchObject({
        items: [{ correlation: asked, from: '@operator', content: 'How are you?' }],
        next: null,
      })
      expect(await kid.call('summon', { inReplyTo: asked, content: 'Driven.' })).toMatchObject({
        isError: false,
      })
      expect((await inbox(at.world, 'operator')).at(-1)).toMatchObject({ from: '@kid', content: 'Driven.' })
      expect(await kid.read('treeos://inbox')).toEqual({ items: [], next: null })
      expect(callsFor('kid')).toBe(before)

      // A client of 2026 never says goodbye: its seat is released when it is idle, or its token has expired.
      if (era === '2025') await kid.leave()
      else await spend('kid')
      await until(async () => !(await at.isDriven('kid')), { what: '@kid freed' })
      expect((await see(at.world, 'operator', '@kid')).identity).not.toHaveProperty('inhabitedBy')
      at.model.script([{ tool: { name: 'summon', args: { content: 'I am myself.' } } }])
      expect(await live(at.world, 'kid', 'And now?')).toMatchObject({ outcome: 'act' })
      expect(callsFor('kid')).toBe(before + 1)
    },
  )

  it('the being wears its own role, and every fact names who drives it', async () => {
    const oracle = await at.asBeing('oracle')
    expect(await oracle.call('do', { operation: 'move', target: '/library' })).toMatchObject({
      isError: false,
    })
    const lived = (await moments(at.world.db, 'oracle')).at(-1)
    expect(lived).toMatchObject({ primary: 'narrow', driver: '@operator' })
  })

  it('the being acts by its own reach: nothing of its issuer’s is lent to whoever acts from outside', async () => {
    await setRole(at.world, {
      name: 'villager',
      canSee: ['~'],
      canBe: ['birth'],
      canSummon: ['@birther'],
      prompt: 'You live here.',
    })
    await at.world.birth({ name: 'vic', cognition: 'llm', role: 'villager' })
    const vic = await at.asBeing('vic')
    const usurper = { name: 'usurper', cognition: 'llm', role: 'operator' }
    const refused = await vic.call('be', { operation: 'birth', args: usurper })
    expect(refused).toMatchObject({ isError: true })
    expect(JSON.stringify(refused)).toContain('beyond the reach of @vic')
    expect(await rowOf(at.world, 'usurper')).toBeNull()
  })

  it('a session that closes leaves the being to the other session of the same token', async () => {
    const { secret } = await at.tokenFor('oracle')
    const [one, two] = [await at.outside(secret), await at.outside(secret)]
    await one.leave()
    expect(await at.isDriven('oracle')).toBe(true)
    await two.leave()
    expect(await at.isDriven('oracle')).toBe(false)
  })

  it('what is idle is given back, though the session stays; the next call takes it again', async () => {
    const hasty = await openEdge(at.world, { idleSeconds: 1 })
    try {
      const oracle = await connectTo(hasty.url, (await at.tokenFor('oracle')).secret)
      expect(await at.isDriven('oracle')).toBe(true)
      await until(async () => !(await at.isDriven('oracle')), { seconds: 6 })
      expect(await oracle.call('see', { address: '@operator' })).toMatchObject({ isError: false })
      expect(await at.isDriven('oracle')).toBe(true)
      await oracle.leave()
    } finally {
      await hasty.close()
    }
    expect(await at.isDriven('oracle')).toBe(false)
  })

  it('a being that gives itself up by `be` is free; the next call takes it again', async () => {
    const kid = await at.asBeing('kid')
    expect(await kid.call('be', { operation: 'release' })).toMatchObject({ isError: false })
    expect(await at.isDriven('kid')).toBe(false)
    const both = ['@ada', '@kid'].map((address) => kid.call('see', { address }))
    expect(await Promise.all(both)).toMatchObject([{ isError: false }, { isError: false }])
    expect(await at.isDriven('kid')).toBe(true)
  })

  it('nothing of the being is changed by it', async () => {
    const { inhabited: _before, ...before } = await rowOf(at.world, 'oracle')
    const oracle = await at.asBeing('oracle')
    await oracle.call('see', { address: '@operator' })
    await oracle.call('summon', { target: '@operator', content: 'hi' })
    await oracle.leave()
    const { inhabited, ...after } = await rowOf(at.world, 'oracle')
    expect(after).toEqual(before)
    expect(inhabited).toMatchObject({ by: null })
  })

  it('a server that closes gives every being back', async () => {
    const brief = await openEdge(at.world)
    const kid = await connectTo(brief.url, (await at.tokenFor('kid')).secret)
    expect(await at.isDriven('kid')).toBe(true)
    await brief.close()
    expect(await at.isDriven('kid')).toBe(false)
    await expect(kid.call('see', { address: '/' })).rejects.toThrow()
    await kid.client.close()
  })

  it('who is driven already is not driven again: the session is refused, naming by whom', async () => {
    await at.asBeing('kid', 'ada')
    const { secret } = await at.tokenFor('kid')
    const refused = await at.raw({ authorization: `Bearer ${secret}` })
    expect(refused.status).toBe(409)
    expect(await refusalIn(refused)).toMatchObject({
      code: 'RESOURCE_CONFLICT',
      message: expect.stringContaining('inhabited by @ada'),
    })
  })
})

/** Revokes every token of a being, and has the sweep see it. */
async function spend(being: BeingName): Promise<void> {
  const rows = await at.world.owner
    .selectFrom('token')
    .select('id')
    .where('being', '=', being)
    .where('revoked_at', 'is', null)
    .execute()
  for (const { id } of rows) await revokeToken(at.world, { id, as: 'operator' })
}

describe('what a client sees', () => {
  it('exactly four tools, whatever the being may do, and two resources; a person also two that list', async () => {
    const ofPerson = (await (await at.asBeing('bob')).client.listTools()).tools.map(({ name }) => name)
    expect(ofPerson.slice(4)).toEqual(['list_overlays', 'list_approvals'])
    const { client } = await at.asBeing('kid')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['see', 'do', 'summon', 'be'])
    expect(tools.map(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}))).toEqual([
      ['address', 'addresses'],
      ['target', 'operation', 'args', 'outside'],
      ['target', 'content', 'inReplyTo', 'expectReply', 'outside', 'files', 'waitSeconds'],
      ['operation', 'args', 'outside'],
    ])
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(['treeos://inbox', 'treeos://me'])
  })

  it('what the actions in its reach take, and of no others', async () => {
    const descriptionsOf = async (being: BeingName) => {
      const { tools } = await (await at.asBeing(being)).client.listTools()
      return Object.fromEntries(tools.map(({ name, description }) => [name, description ?? '']))
    }
    const bob = await descriptionsOf('bob')
    expect(bob.do).toMatch(/^move: .+ Target: a space\. Args: .+$/m)
    expect(bob.do).not.toContain('set-being')
    expect(bob.be).not.toContain('birth')
    const ada = await descriptionsOf('ada')
    expect(ada.do).toMatch(/^set-being: .+ Args: field: .+; value: .+/m)
    expect(ada.be).toMatch(/^birth: .+ Args: name, cognition, /m)
    const { tools } = await (await at.asBeing('ada')).client.listTools()
    const { inputSchema } = tools.find(({ name }) => name === 'be') ?? {}
    expect(JSON.stringify(inputSchema)).toMatch(/"description":"of birth"/) // what each takes stands there
  })

  it('itself, with its surface, and without what its lists do not let it see', async () => {
    expect(await (await at.asBeing('ada')).read('treeos://me')).toMatchObject({
      being: '@ada',
      space: '/',
      role: 'stage:free',
      stacked: [],
      surface: { canSee: [{ pattern: '*' }], canBe: [{ pattern: '*' }] },
      self: { identity: { cognition: 'human' } },
    })
    expect(await (await at.asBeing('bob')).read('treeos://me')).toMatchObject({
      being: '@bob',
      surface: {
        canSee: ['@operator', '/', '/library'],
        canDo: ['move'],
        canSummon: ['@operator'],
        canBe: [],
      },
      self: { identity: { cognition: 'human' } }, // it may always see itself
    })
  })

  it('no other resource', async () => {
    const { client } = await at.asBeing('bob')
    await expect(client.readResource({ uri: 'treeos://secrets' })).rejects.toMatchObject({ code: -32602 })
  })
})

it('what waits for the yes of its person is listed, and not answered', async () => {
  const ada = await at.asBeing('ada')
  expect(await ada.call('list_approvals')).toMatchObject({ value: { approvals: [], next: null } })
  for (const operation of ['approve', 'deny'])
    expect(
      await at.expectNothing(ada, 'do', { operation, target: '@ada', args: { id: 'ada/1/1' } }, 'FORBIDDEN'),
    ).toContain('in its own words')
})

it('an inbox is read page by page', async () => {
  const bob = await at.asBeing('bob')
  for (let i = 0; i < 51; i++) await tell(at.world, 'bob', `word ${i}`)
  const first = (await bob.read('treeos://inbox')) as { items: { content: string }[]; next: string }
  const rest = (await bob.read(`treeos://inbox?cursor=${first.next}`)) as typeof first
  expect([first.items.length, rest.next]).toEqual([50, null])
  expect([...first.items, ...rest.items].map(({ content }) => content)).toEqual(
    expect.arrayContaining(Array.from({ length: 51 }, (_, i) => `word ${i}`)),
  )
  await expect(bob.client.readResource({ uri: 'treeos://inbox?page=2' })).rejects.toMatchObject({
    code: -32602,
  })
})

it('words bring files by the addresses of their things', async () => {
  const { thing } = await giveFile({ ...at.world, person: 'ada' }, 'ada', {
    ...{ name: 'a.txt', mediaType: null, bytes: Buffer.from('tiger-milk') },
  })
  const ada = await at.asBeing('ada')
  const said = { target: '@echo', content: 'Look', waitSeconds: 20 }
  expect(await ada.call('summon', { ...said, files: [thing] })).toMatchObject({
    isError: false,
    value: { reply: { content: { text: 'Look', files: [thing] } } },
  })
  for (const files of ['x', ['@ann'], Array.from({ length: 9 }, (_, i) => `matter:file-${i}`)])
    await at.expectNothing(ada, 'summon', { ...said, files }, 'INVALID_INPUT')
})

it('a call that its client gives up and sends again is one summon', async () => {
  const ada = await at.asBeing('ada')
  const said = { target: '@operator', content: 'Are you there?', waitSeconds: 60 }
  const stopping = new AbortController()
  const given = ada.client.callTool({ name: 'summon', arguments: said }, { signal: stopping.signal })
  const end = expect(given).rejects.toThrow()
  const asked = async () =>
    (await inbox(at.world, 'operator')).filter(({ content }) => content === said.content)
  await until(async () => (await asked()).length === 1)
  stopping.abort()
  await end
  const [again, twice] = [ada.call('summon', said), ada.call('summon', said)]
  const [entry] = await asked()
  const { correlation } = entry!
  await reply(at.world, { correlation, content: 'Yes.', as: 'operator', waitSeconds: null })
  for (const told of [await again, await twice])
    expect(told).toMatchObject({ isError: false, value: { correlation, reply: { content: 'Yes.' } } })
  expect(await asked()).toEqual([])
})

describe('what a client writes is read generously where it means one thing', () => {
  const mood = { field: 'mood.tone', value: 'calm' }
  it.each(
    drawn<[string, string, JsonObject]>([
      ['a field that is null or empty', 'do', { operation: 'set-being', target: '', args: mood }],
      ['arguments as JSON text', 'do', { operation: 'set-being', args: JSON.stringify(mood) }],
      ['arguments beside the operation', 'do', { operation: 'set_being', ...mood }],
      [
        'a summon that answers nothing',
        'summon',
        { target: '@echo', content: 'hi', inReplyTo: '', waitSeconds: null },
      ],
      [
        'numbers and truths as text',
        'summon',
        { target: '@echo', content: 'hi', waitSeconds: '20', expectReply: 'true' },
      ],
      ['the other names of the fields of do', 'do', { action: 'set-being', payload: mood }],
      ['those of be', 'be', { action: 'birth', payload: { name: 'pip', cognition: 'human' } }],
    ]),
  )('%s', async (_what, name, args) => {
    const ada = await at.asBeing('ada')
    expect(await ada.call(name, args)).toMatchObject({ isError: false })
  })

  it('and refused where it means two', async () => {
    const ada = await at.asBeing('ada')
    const both = { operation: 'set-being', args: { field: 'mood.tone' }, value: 'calm' }
    expect(await at.expectNothing(ada, 'do', both, 'INVALID_INPUT')).toContain('give all arguments in args')
    const twice = { operation: 'birth', args: { name: 'a' }, payload: { name: 'b' } }
    expect(await at.expectNothing(ada, 'be', twice, 'INVALID_INPUT')).toContain('give args')
  })
})

describe('both gates hold', () => {
  it.each<[string, string, JsonObject]>([
    ['see', 'see', { address: '@ada' }],
    ['do', 'do', { operation: 'create-space', target: '/', args: { path: '/mine' } }],
    ['summon', 'summon', { target: '@echo', content: 'hi' }],
    ['be', 'be', { operation: 'birth', args: { name: 'imp', cognition: 'human' } }],
  ])(
    '%s: what the lists of @bob and @oracle do not hold is FORBIDDEN, and nothing is written',
    async (_v, name, args) => {
      await at.expectNothing(await at.asBeing('bob'), name, args, 'FORBIDDEN')
      await at.expectNothing(await at.asBeing('oracle'), name, args, 'FORBIDDEN')
    },
  )

  it('an action on the lists that the rule gate refuses is FORBIDDEN too', async () => {
    const args = { operation: 'set-being', target: '@operator', args: { field: 'mood.tone', value: 'odd' } }
    await at.expectNothing(await at.asBeing('ada'), 'do', args, 'FORBIDDEN')
  })
})

describe('bad input: named, and nothing is written', () => {
  let ada: Outside
  beforeAll(async () => {
    ada = await connectTo(at.edge.url, (await at.tokenFor('ada')).secret)
  })
  afterAll(() => ada.leave())

  it.each(
    drawn<[string, string, JsonObject, string, RegExp]>([
      ['see: missing', 'see', {}, 'INVALID_INPUT', /address is missing/],
      ['see: wrong type', 'see', { address: 7 }, 'INVALID_INPUT', /address is 7/],
      ['see: no address', 'see', { address: '@@' }, 'ADDRESS_PARSE_ERROR', /@@/],
      ['see: nobody', 'see', { address: '@nobody' }, 'BEING_NOT_FOUND', /@nobody/],
      ['see: nowhere', 'see', { address: '/nowhere' }, 'SPACE_NOT_FOUND', /nowhere/],
      ['see: odd name', 'see', { adress: '/' }, 'INVALID_INPUT', /"adress"/],
      ['do: missing', 'do', { target: '/' }, 'INVALID_INPUT', /operation is missing/],
      ['do: wrong type', 'do', { operation: 'move', args: 'x' }, 'INVALID_INPUT', /args is "x"/],
      ['do: unknown operation', 'do', { operation: 'fly', target: '/' }, 'ACTION_NOT_SUPPORTED', /fly/],
      [
        'do: unknown argument',
        'do',
        { operation: 'set-being', target: '@ada', args: { field: 'mood.tone', value: 1, color: 1 } },
        'INVALID_INPUT',
        /color/,
      ],
      ['summon: missing content', 'summon', { target: '@echo' }, 'INVALID_INPUT', /content is missing/],
      ['summon: wrong type', 'summon', { target: '@echo', content: { a: 1 } }, 'INVALID_INPUT', /content is/],
      ['summon: nobody named', 'summon', { content: 'hi' }, 'INVALID_INPUT', /target is missing/],
      [
        'summon: both',
        'summon',
        { content: 'hi', target: '@echo', inReplyTo: 'x' },
        'INVALID_INPUT',
        /leave out/,
      ],
      ['summon: no stance', 'summon', { content: 'hi', target: 'echo' }, 'ADDRESS_PARSE_ERROR', /echo/],
      ['summon: nobody', 'summon', { content: 'hi', target: '@nobody' }, 'BEING_NOT_FOUND', /@nobody/],
      ['summon: unknown entry', 'summon', { content: 'hi', inReplyTo: 'x' }, 'CORRELATION_NOT_FOUND', /"x"/],
      [
        'summon: wait too long',
        'summon',
        { content: 'hi', target: '@echo', waitSeconds: 301 },
        'INVALID_INPUT',
        /waitSeconds is 301/,
      ],
      [
        'summon: wait wrong',
        'summon',
        { content: 'hi', target: '@echo', waitSeconds: 'soon' },
        'INVALID_INPUT',
        /waitSeconds is "soon"/,
      ],
      ['be: missing', 'be', {}, 'INVALID_INPUT', /operation is missing/],
      ['be: unknown', 'be', { operation: 'ascend' }, 'ACTION_NOT_SUPPORTED', /ascend/],
      ['be: wrong type', 'be', { operation: 'birth', args: [] }, 'INVALID_INPUT', /args is/],
      ['be: arguments without a name', 'be', { operation: 'birth', args: {} }, 'INVALID_INPUT', /name/],
      ['no such tool', 'think', { about: 'it' }, 'VERB_NOT_SUPPORTED', /"think"/],
      [
        'too large',
        'summon',
        { target: '@echo', content: 'x'.repeat(400_000) },
        'PAYLOAD_TOO_LARGE',
        /bytes/,
      ],
      ['no text', 'summon', { target: '@echo', content: 'a\u0000b' }, 'INVALID_INPUT', /arguments/],
    ]),
  )('%s', async (_what, name, args, code, message) => {
    expect(await at.expectNothing(ada, name, args, code)).toMatch(message)
  })

  it("an entry of somebody else's inbox is not answered", async () => {
    const asked = await tell(at.world, 'bob', 'only you')
    expect(
      await at.expectNothing(ada, 'summon', { inReplyTo: asked, content: 'me' }, 'CORRELATION_NOT_FOUND'),
    ).toContain(asked)
    const bob = await at.asBeing('bob')
    expect(await bob.call('summon', { inReplyTo: asked, content: 'done' })).toMatchObject({ isError: false })
    await at.expectNothing(bob, 'summon', { inReplyTo: asked, content: 'again' }, 'RESOURCE_CONFLICT')
  })

  it('what goes wrong here is told without its words, which quote statements and rows', async () => {
    await sql`alter table treeos.inbox rename to inbox_away`.execute(at.world.owner)
    const told: unknown[] = []
    try {
      told.push(await ada.call('summon', { target: '@echo', content: 'hi' }))
      told.push(await ada.read('treeos://inbox').catch((error: Error) => ({ message: error.message })))
    } finally {
      await sql`alter table treeos.inbox_away rename to inbox`.execute(at.world.owner)
    }
    expect(told).toMatchObject([
      { isError: true, value: { code: 'INTERNAL' } },
      { message: expect.stringContaining('internal error') },
    ])
    expect(JSON.stringify(told)).not.toMatch(LEAK)
    expect(at.edge.errors.splice(0).map(({ where }) => where)).toEqual(['summon', 'treeos://inbox'])
    expect(await ada.call('summon', { target: '@echo', content: 'hi' })).toMatchObject({ isError: false })
  })
})

it('every moment that a client caused replays identically, and no error went unreported', async () => {
  expect(at.edge.errors).toEqual([])
  await expectUnbroken(at.world)
  const { moments: lived } = await expectReplays(at.world)
  expect(lived).toBeGreaterThan(30)
})
