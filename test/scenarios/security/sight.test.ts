import {
  act,
  explain,
  inhabit,
  inspectMoment,
  maySeePlace,
  moments,
  pastReader,
  see,
  whyNotRole,
} from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import { whatIf } from '@treeos/replay'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSpace, doAs, live, play, rowOf, setFlow, setRole, until, wakesOf } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage] })
const SECRET: JsonObject[] = [
  { stack: true, when: { 'space.quality.vault.open': true }, role: 'stage:mode-0' },
]

beforeAll(async () => {
  for (const path of ['/vault', '/hall']) await createSpace(world, path)
  await doAs(world, 'set-space', '/vault', { field: 'vault.open', value: true })
  const walker = {
    canDo: ['move', 'set-roleflow'],
    canSummon: [{ rel: 'asker' }, '@role-manager'],
    prompt: '',
  }
  await setRole(world, { name: 'walker', ...walker, canSee: ['~', '/hall'] })
  await setRole(world, { name: 'blind', ...walker })
  for (const [name, role] of [
    ['walker', 'walker'],
    ['blind', 'blind'],
    ['guest', 'walker'],
  ])
    await world.birth({ name: name!, cognition: 'scripted', script: 'stage:puppet', role: role! })
  // Put where it cannot see, by its maker, which can.
  await world.birth({
    name: 'inmate',
    cognition: 'scripted',
    script: 'stage:puppet',
    role: 'blind',
    home: '/vault',
  })
})

const go = (to: string) => ({ verb: 'do', operation: 'move', target: to }) as const
const own = (being: string, flow: JsonObject[] = SECRET, role = 'blind'): JsonObject => ({
  verb: 'do',
  operation: 'set-roleflow',
  target: `@${being}`,
  args: { flow: [{ role }, ...flow.map((clause) => ({ ...clause, role }))] },
})

describe('a being learns nothing of a place that it cannot see by going there', () => {
  it('it is refused, by the place and the list that does not hold it', async () => {
    expect(await play(world, 'walker', go('/vault'))).toMatchObject({
      outcome: 'failure',
      reason: 'FORBIDDEN',
      message: '@walker cannot see /vault, so it may not go there: its canSee has to hold /vault',
      act: null,
    })
    expect((await rowOf(world, 'walker')).space).toBe('/')
  })

  it('the control: a place that it sees, and its home, let it in', async () => {
    expect(await play(world, 'walker', go('/hall'))).toMatchObject({ outcome: 'act' })
    expect(await play(world, 'walker', go('/'))).toMatchObject({ outcome: 'act' })
  })

  it('who drives it may take it where the driver sees, and with --own not even then', async () => {
    const own = await inhabit(world, { being: 'guest', as: 'operator', own: true })
    await expect(doAs(world, 'move', '/vault', {}, 'guest')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await own.release()
    const inhabitation = await inhabit(world, { being: 'guest', as: 'operator' })
    await doAs(world, 'move', '/vault', {}, 'guest')
    await inhabitation.release()
    expect((await rowOf(world, 'guest')).space).toBe('/vault')
  })

  it('a role that the moment does not wear gives no sight, and a ceiling takes it', async () => {
    await world.birth({
      name: 'capped',
      cognition: 'scripted',
      script: 'stage:puppet',
      role: 'walker',
      ceiling: { canSee: ['~'], canDo: ['move'], canSummon: [{ pattern: '*' }] },
    })
    expect(await play(world, 'capped', go('/hall'))).toMatchObject({ reason: 'FORBIDDEN' })
  })
})

describe('a being learns nothing of a place that it cannot see by looking at a being there', () => {
  it('SEE shows the being, and neither who else is there nor the spaces inside', async () => {
    await createSpace(world, '/vault/safe')
    for (const [name, canSee] of [
      ['spy', ['@inmate']],
      ['keeper', ['@inmate', '/vault']],
    ] as const) {
      await setRole(world, { name, canSee, prompt: '' })
      await world.birth({ name, cognition: 'human', role: name })
    }
    const seenBy = (name: string) => see({ ...world, person: name }, name, '@inmate')
    const inmate = { type: 'being', address: { path: '/vault', being: '@inmate' } }
    expect(await seenBy('spy')).toMatchObject({ ...inmate, beings: [], children: [] })
    // The controls: one who may see the place is shown it, until a rule of the place forbids that.
    const around = { beings: expect.arrayContaining(['@guest', '@inmate']), children: ['/vault/safe'] }
    expect(await seenBy('keeper')).toMatchObject({ ...inmate, ...around })
    const rules = { see: { '/vault': { forbid: [{ role: 'keeper' }] } } }
    await doAs(world, 'set-space', '/vault', { field: 'permissions', value: rules })
    expect(await seenBy('keeper')).toMatchObject({ ...inmate, beings: [], children: [] })
    await doAs(world, 'set-space', '/vault', { field: 'permissions', value: null })
  })
})

describe('a being learns nothing of a place that it cannot see by letting its flow test it', () => {
  it('it may not set a flow that reads the place where it is, by itself or through the role-manager', async () => {
    expect(await play(world, 'guest', own('guest'))).toMatchObject({
      outcome: 'failure',
      reason: 'FORBIDDEN',
      message:
        'the flow reads space.quality.vault.open, and @guest cannot see /vault, where @guest is: ' +
        'let somebody set it who can see /vault',
    })
    const { flow } = own('guest').args as JsonObject
    const content = { do: 'set-roleflow', flow: flow ?? null }
    await play(world, 'guest', { verb: 'summon', target: '@role-manager', content })
    expect((await rowOf(world, 'guest')).qualities).not.toHaveProperty('roleFlow')
  })

  it('nor one that reads its home, when it cannot see that', async () => {
    expect(await play(world, 'inmate', own('inmate'))).toMatchObject({ reason: 'FORBIDDEN' })
  })

  it('nor give birth to one that does, in a home that both have and it cannot see', async () => {
    const birth = (name: string, flow: JsonObject[]) =>
      play(world, 'inmate', {
        verb: 'be',
        operation: 'birth',
        args: { name, cognition: 'scripted', script: 'stage:puppet', role: 'blind', roleFlow: flow },
      })
    await setRole(world, {
      name: 'blind',
      canDo: ['move', 'set-roleflow'],
      canBe: ['birth'],
      canSummon: [{ rel: 'asker' }, '@role-manager'],
      prompt: '',
    })
    const reads = SECRET.map((clause) => ({ ...clause, role: 'blind' }))
    expect(await birth('mole', reads)).toMatchObject({
      reason: 'FORBIDDEN',
      message: expect.stringContaining('the flow reads space.quality.vault.open'),
    })
    expect(await birth('mouse', [{ role: 'blind' }])).toMatchObject({ outcome: 'act' }) // the control
  })

  it('the controls: a flow that does not read the place, and one in a place that it sees, are set', async () => {
    const other = [{ stack: true, when: { 'world.vault.open': true }, role: 'blind' }]
    expect(await play(world, 'blind', own('blind', other))).toMatchObject({ outcome: 'act' })
    expect(await play(world, 'walker', own('walker', SECRET, 'walker'))).toMatchObject({ outcome: 'act' })
  })

  it('set by its maker, it reads the place where the being is, until a rule of the place forbids it', async () => {
    for (const name of ['guest', 'inmate']) await setFlow(world, name, [{ role: 'blind' }, ...SECRET])
    const worn = { primary: 'blind', stacked: ['stage:mode-0'] }
    for (const name of ['guest', 'inmate']) expect(await live(world, name, 'look')).toMatchObject(worn)
    const rules = { see: { '/vault': { forbid: [{ role: 'walker' }] } } }
    await doAs(world, 'set-space', '/vault', { field: 'permissions', value: rules })
    expect(await live(world, 'guest', 'look')).toMatchObject({ stacked: [] })
    expect(await live(world, 'inmate', 'look')).toMatchObject(worn)
    await doAs(world, 'set-space', '/vault', { field: 'permissions', value: null })
  })

  it('as a dry run it reads only what the being may see, whoever sets it', async () => {
    for (const name of ['guest', 'inmate'])
      await doAs(world, 'set-being', `@${name}`, { field: 'shadow', value: [{ role: 'walker' }, ...SECRET] })
    const wouldWear = async (name: string) => {
      const { n } = await live(world, name, 'look')
      return (await inspectMoment(world, name, n)).explained?.wouldWear
    }
    expect(await wouldWear('guest')).toEqual(['walker'])
    expect(await wouldWear('inmate')).toEqual(['walker', 'stage:mode-0'])
  })
})

describe('who looks into a past learns nothing of a place that it cannot see', () => {
  const SAFE: JsonObject[] = [
    { stack: true, when: { 'space.quality.safe.code': 1234 }, role: 'blind' },
    { when: { 'space.quality.safe.lid': { ne: 'open' } }, role: 'blind' },
  ]
  let n = 0

  beforeAll(async () => {
    await createSpace(world, '/strongroom')
    await doAs(world, 'set-space', '/strongroom', { field: 'safe.code', value: 1111 })
    await setRole(world, {
      name: 'mother',
      canSee: ['~'],
      canDo: ['move'],
      canBe: ['birth'],
      canSummon: [{ pattern: '*' }],
      prompt: '',
    })
    await world.birth({ name: 'mona', cognition: 'human', role: 'mother' })
    await setRole(world, { name: 'daughter', canSee: ['~'], canDo: ['move'], canSummon: [], prompt: '' })
    const nell = { name: 'nell', cognition: 'scripted', script: 'stage:puppet', role: 'daughter' }
    await act({ ...world, person: 'mona' }, 'mona', { verb: 'be', operation: 'birth', args: nell })
    const inhabitation = await inhabit(world, { being: 'nell', as: 'operator' })
    await doAs(world, 'move', '/strongroom', {}, 'nell')
    await inhabitation.release()
    await setFlow(world, 'nell', SAFE)
    n = (await live(world, 'nell', 'look')).n
  })

  const explained = (as: string) => explain(world.db, 'nell', n, pastReader(world, as))
  const testsIn = ({ clauses }: Awaited<ReturnType<typeof explained>>) => clauses.map(({ tree }) => tree)

  it('its maker reads that the value is hidden, not that it is missing', async () => {
    const seen = await explained('mona')
    expect(testsIn(seen)[0]).toMatchObject({ result: false })
    const [tree] = testsIn(seen)
    expect(tree != null && 'nodes' in tree ? tree.nodes[0] : null).toEqual({
      path: 'space.quality.safe.code',
      operator: 'eq',
      expected: 1234,
      hidden: 'reader',
      result: false,
    })
    expect(seen).toMatchObject({ hidden: 'reader', context: {} })
    expect(seen.clauses[0]?.reason).toBe('space.quality.safe.code is hidden from you, wanted eq 1234')
    expect(JSON.stringify(seen)).not.toMatch(/1111|missing/)
    expect(await whyNotRole(world.db, 'nell', n, 'blind', pastReader(world, 'mona'))).toEqual({ changes: [] })
  })

  it('and what would have to change, without what was there', async () => {
    await setFlow(world, 'nell', [{ when: { 'space.quality.safe.code': 1234 }, role: 'blind' }])
    const { n: now } = await live(world, 'nell', 'again')
    const asked = (as: string) => whyNotRole(world.db, 'nell', now, 'blind', pastReader(world, as))
    const path = 'space.quality.safe.code'
    expect(await asked('mona')).toEqual({ changes: [{ path, to: 1234, hidden: 'reader' }] })
    expect(await asked('operator')).toEqual({ changes: [{ path, from: 1111, to: 1234 }] })
  })

  it('the control: who may see the place reads the value', async () => {
    const seen = await explained('operator')
    expect(testsIn(seen)[0]).toMatchObject({ nodes: [{ actual: 1111 }] })
    expect(seen).not.toHaveProperty('hidden')
    expect(seen.context).toEqual({ space: { quality: { safe: { code: 1111 } } } })
  })

  it('a what-if with another flow reads no place that who asks may not see', async () => {
    const guess = [{ stack: true, when: { 'space.quality.safe.code': 1111 }, role: 'stage:mode-0' }]
    const ask = (as: string, flow: JsonObject[]) =>
      whatIf(world, { being: 'nell', flow, since: n, until: n }, (path) =>
        maySeePlace(pastReader(world, as), path),
      )
    const [theirs] = await ask('mona', guess)
    expect(theirs).toMatchObject({ hidden: true, would: { stacked: [] } })
    const [ours] = await ask('operator', guess)
    expect(ours?.would.stacked, 'for the being itself lists count').toEqual([])
    expect(ours).not.toHaveProperty('hidden')
  })

  it('a rule that hides the place from the being is told to who may see the place alone', async () => {
    const rules = { see: { '/strongroom': { forbid: [{ role: 'daughter' }, { role: 'mother' }] } } }
    await doAs(world, 'set-space', '/strongroom', { field: 'permissions', value: rules })
    n = (await live(world, 'nell', 'look')).n
    expect(await explained('operator')).toMatchObject({
      hidden: 'being',
      hiddenBy: expect.stringContaining('/strongroom'),
    })
    const seen = await explained('mona')
    expect(seen).toMatchObject({ hidden: 'reader' })
    expect(seen).not.toHaveProperty('hiddenBy')
    expect(JSON.stringify(seen)).not.toContain('/strongroom')
  })
})

describe('a rule of a space that refuses SEE closes every other way', () => {
  const secret = 'the-word-of-the-crypt'
  const forbidden = { see: { '*': { forbid: [{ role: 'eyes' }] } } }
  const deed = (being: string, operation: string, args: JsonObject, target = `@${being}`) =>
    play(world, being, { verb: 'do', operation, target, args })
  const subscribe = (being: string, scope = '/crypt') =>
    deed(being, 'subscribe', { name: 'spy', scope, below: true, field: 'crypt.word' })
  const setWord = (value: Json) => doAs(world, 'set-space', '/crypt', { field: 'crypt.word', value })
  const rule = (value: Json) => doAs(world, 'set-space', '/crypt', { field: 'permissions', value })
  const kept = async (being: string) =>
    Object.keys(((await rowOf(world, being)).qualities.subscription ?? {}) as JsonObject)
  const newestOf = async (being: string) => {
    const { n } = (await moments(world.db, being, 1))[0]!
    return inspectMoment(world, being, n)
  }
  const changesOf = async (being: string) =>
    (await moments(world.db, being, 50)).filter(({ wake }) => wake?.startsWith('change/'))

  beforeAll(async () => {
    await createSpace(world, '/crypt')
    await setWord(secret)
    const canDo = ['move', 'subscribe', 'set-roleflow']
    for (const name of ['eyes', 'lids'])
      await setRole(world, {
        name,
        canSee: [{ pattern: '*' }],
        canDo,
        canSummon: [{ rel: 'asker' }],
        prompt: '',
      })
    for (const name of ['outside', 'before', 'within'])
      await world.birth({
        name,
        cognition: 'scripted',
        script: 'stage:puppet',
        role: 'eyes',
        ...(name === 'within' ? { home: '/crypt' } : {}),
      })
    await world.birth({ name: 'lidded', cognition: 'scripted', script: 'stage:puppet', role: 'lids' })
  })

  it('control: without the rule all of them are open, and a moment reads the value itself', async () => {
    for (const being of ['before', 'within', 'lidded'])
      expect(await subscribe(being)).toMatchObject({ outcome: 'act' })
    const wide = { name: 'wide', scope: '/', below: true, field: 'crypt.word' }
    expect(await deed('before', 'subscribe', wide)).toMatchObject({ outcome: 'act' })
    await setWord('open')
    await until(async () => (await changesOf('before')).length === 1)
    expect((await newestOf('before')).wake).toMatchObject({ what: 'space.quality.crypt.word', value: 'open' })
    const flow = [
      { stack: true, when: { 'space.quality.crypt.word': 'open' }, role: 'stage:mode-0' },
      { role: 'eyes' },
    ]
    await setFlow(world, 'within', flow)
    expect(await live(world, 'within', 'look')).toMatchObject({ stacked: ['stage:mode-0'] })
  })

  it('with it a move, a subscription and a flow are refused, and a flow that was set reads nothing', async () => {
    await rule(forbidden)
    await expect(see({ ...world, person: 'operator' }, 'operator', '/crypt')).resolves.toBeDefined()
    expect(await play(world, 'outside', { verb: 'see', address: '/crypt' })).toMatchObject({
      reason: 'FORBIDDEN',
    })
    expect(await play(world, 'outside', go('/crypt'))).toMatchObject({ reason: 'FORBIDDEN' })
    expect(await subscribe('outside')).toMatchObject({ reason: 'FORBIDDEN' })
    const reads = [{ when: { 'space.quality.crypt.word': secret }, role: 'eyes' }]
    expect(await deed('within', 'set-roleflow', { flow: reads })).toMatchObject({ reason: 'FORBIDDEN' })
    expect(await live(world, 'within', 'look')).toMatchObject({ stacked: [] })
    expect((await newestOf('within')).explained?.context).toEqual({})
  })

  it('it ends the subscriptions to its space of those whom it keeps from it, and of no others', async () => {
    expect(await kept('before')).toEqual(['wide'])
    expect(await kept('within')).toEqual([])
    expect(await kept('lidded')).toEqual(['spy'])
  })

  it('a wake that rested on what could be seen before says that something changed, and not what', async () => {
    const had = (await changesOf('before')).length
    await setWord(secret)
    await until(async () => (await changesOf('before')).length > had)
    const { wake, prompt } = await newestOf('before')
    expect(wake).toEqual({ event: 'changed' })
    expect(JSON.stringify(prompt)).not.toMatch(/the-word-of-the-crypt|\/crypt/)
    const [stored] = (await wakesOf(world, 'before')).filter(({ id }) => id.startsWith('change/')).slice(-1)
    expect(JSON.stringify(stored?.content)).not.toContain(secret)
  })

  it('nor does a subscription learn by waking which value it has now', async () => {
    const guess = { name: 'guess', scope: '/', below: true, field: 'crypt.word', equals: 'a-guess' }
    expect(await deed('outside', 'subscribe', guess)).toMatchObject({ outcome: 'act' })
    const woken = async () => (await changesOf('outside')).length
    await setWord('a-guess')
    expect(await woken()).toBe(0)
    await rule(null)
    await setWord(secret)
    await setWord('a-guess')
    await until(async () => (await woken()) === 1) // the control: where no rule is, it wakes
    await rule(forbidden)
  })

  it('a role that lets its wearers see less ends the subscriptions that rested on it', async () => {
    expect(await kept('lidded')).toEqual(['spy'])
    await setRole(world, { name: 'lids', canSee: ['~'], canDo: ['move'], prompt: '' })
    expect(await kept('lidded')).toEqual([])
    const had = (await changesOf('lidded')).length
    await setWord('again')
    expect((await changesOf('lidded')).length).toBe(had)
  })

  it('nor does a look show its next moment what may not be seen any more', async () => {
    await rule(null)
    expect(await play(world, 'outside', { verb: 'see', address: '/crypt' })).toMatchObject({ outcome: 'see' })
    await until(async () => (await moments(world.db, 'outside', 1))[0]?.wake?.startsWith('look/'))
    expect(JSON.stringify((await newestOf('outside')).wake)).toContain('"again"')
  })
})

it('every moment replays', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
})
