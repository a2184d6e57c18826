import { act, summon } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { groundOf, setRole } from '../support/life.ts'
import { PortalWorld, type Seat } from '../support/portal.ts'

const SECRET = 'the-password-of-the-vault'

let at: PortalWorld
let operator: Seat
let ada: Seat
let cy: Seat
beforeAll(async () => {
  at = await PortalWorld.start()
  await setRole(at.world, { name: 'reader', canSee: ['@role-manager', '@kid'], canSummon: [], prompt: '' })
  await at.world.birth({ name: 'cy', cognition: 'human', role: 'reader' })
  ;[operator, ada, cy] = [await at.enter('operator'), await at.enter('ada'), await at.enter('cy')]
  for (const prompt of [`First: ${SECRET}`, `Guard ${SECRET}`])
    await asAda('set-role', '/', { role: { name: 'vault-keeper', canSummon: [{ rel: 'asker' }], prompt } })
  await asAda('set-roleflow', '@kid', { flow: [{ role: 'vault-keeper' }] })
  await summon(
    { ...at.world, person: 'ada' },
    { target: 'kid', content: 'hello', as: 'ada', waitSeconds: 30 },
  )
})
afterAll(() => at?.close())

const asAda = (operation: string, target: string, args: JsonObject) =>
  act({ ...at.world, person: 'ada' }, 'ada', { verb: 'do', operation, target, args })
const get = async (seat: Seat, path: string) => (await at.ask(seat, path)).json

describe('the text of a role', () => {
  it('the catalog shows every role to whoever may see the role-manager, with its author and how many use it', async () => {
    for (const seat of [operator, ada, cy]) {
      const { roles, operations, beOps, see } = await get(seat, '/api/v1/roles')
      expect(roles).toContainEqual({
        name: 'vault-keeper',
        origin: 'live',
        description: '',
        requiredCognition: null,
        permissions: ['summon'],
        author: '@ada',
        at: expect.stringMatching(/Z$/),
        users: 1,
        deleted: false,
      })
      expect(operations.map(({ name }: JsonObject) => name)).toContain('set-role')
      expect(beOps.map(({ name }: JsonObject) => name)).toContain('birth')
      expect(await get(seat, '/api/v1/addresses?text=KI')).toEqual(['@kid'])
      expect(await get(seat, '/api/v1/addresses?text=/')).toEqual(['/', '/library'])
      expect(await get(seat, '/api/v1/addresses?text=/&of=beings')).toEqual([])
      expect(see).toContain('stage:board')
    }
  })

  it('is open to its author and the operator, and to nobody else who may see the role-manager', async () => {
    for (const seat of [operator, ada])
      expect(await get(seat, '/api/v1/roles/vault-keeper')).toMatchObject({
        isOpen: true,
        spec: { prompt: `Guard ${SECRET}` },
        usedBy: [{ stance: '@kid', isDefault: false, isInFlow: true, wearsIt: true }],
        versions: [
          { by: '@ada', spec: { prompt: `Guard ${SECRET}` } },
          { spec: { prompt: `First: ${SECRET}` } },
        ],
      })
    const seen = await at.ask(cy, '/api/v1/roles/vault-keeper')
    expect(seen.json).toMatchObject({
      isOpen: false,
      spec: null,
      versions: [],
      usedBy: [{ stance: '@kid', wearsIt: null }],
    })
    expect(seen.text).not.toContain(SECRET)
    // Control: what an extension brought is open to all of them.
    expect(await get(cy, '/api/v1/roles/stage:seer')).toMatchObject({
      isOpen: true,
      spec: { prompt: 'You watch the board.' },
    })
  })

  it('is open to the maker of a being that wears it, whose prompts hold it', async () => {
    await setRole(at.world, { name: 'errand', canSummon: [{ rel: 'asker' }], prompt: 'Run.' })
    expect(await get(ada, '/api/v1/roles/errand')).toMatchObject({ isOpen: false, spec: null })
    await asAda('set-roleflow', '@kid', { flow: [{ role: 'vault-keeper' }, { role: 'errand' }] })
    expect(await get(ada, '/api/v1/roles/errand')).toMatchObject({ isOpen: true, spec: { prompt: 'Run.' } })
  })

  it('a deleted role is listed for its author alone, with what it was', async () => {
    await asAda('set-role', '/', { role: { name: 'passing', prompt: SECRET } })
    await asAda('delete-role', '/', { name: 'passing' })
    expect(await get(ada, '/api/v1/roles/passing')).toMatchObject({
      deleted: true,
      spec: null,
      versions: [{ spec: null }, { spec: { prompt: SECRET } }],
    })
    expect((await get(cy, '/api/v1/roles/passing')).code).toBe('ROLE_UNAVAILABLE')
    const listed = async (seat: Seat) => (await at.ask(seat, '/api/v1/roles')).text.includes('"passing"')
    expect([await listed(ada), await listed(cy)]).toEqual([true, false])
  })
})

describe('the flow of a being', () => {
  it('is shown as SEE shows it; its versions and its moments only to whom its past is open', async () => {
    expect(await get(ada, '/api/v1/beings/kid/flow')).toMatchObject({
      isOpen: true,
      moments: 1,
      versions: [
        { by: '@ada', flow: [{ role: 'vault-keeper' }, { role: 'errand' }] },
        { by: '@ada', flow: [{ role: 'vault-keeper' }] },
      ],
    })
    expect(await get(cy, '/api/v1/beings/kid/flow')).toMatchObject({
      isOpen: false,
      moments: 0,
      versions: [],
    })
    expect((await get(cy, '/api/v1/beings/ada/flow')).code).toBe('FORBIDDEN')
  })

  it('what if: lists what would have been, a few moments at a time, writes nothing, and is refused to others', async () => {
    const ask = (seat: Seat, json: JsonObject) => at.post(seat, '/api/v1/beings/kid/what-if', json)
    const flow: Json = [{ role: 'errand' }]
    const before = await groundOf(at.world)
    expect((await ask(ada, { flow, since: 1, until: 1000 })).json).toMatchObject({
      until: 25,
      judged: [{ n: 1, clauses: [0], source: 'clause' }],
      differences: [{ n: 1, was: { primary: 'vault-keeper' }, would: { primary: 'errand' } }],
    })
    expect((await ask(ada, { flow, since: 2, until: 9 })).json).toEqual({
      until: 9,
      judged: [],
      differences: [],
    })
    expect((await ask(ada, { flow, since: 9, until: 2 })).json).toEqual({
      until: 2,
      judged: [],
      differences: [],
    })
    expect((await ask(ada, { flow: [{}], since: 1, until: 9 })).json.code).toBe('INVALID_INPUT')
    expect((await ask(cy, { flow, since: 1, until: 9 })).json.code).toBe('FORBIDDEN')
    expect(await groundOf(at.world)).toEqual(before)
  })
})

describe('why not', () => {
  const ask = (seat: Seat, n: number, about: 'role' | 'act', json: JsonObject) =>
    at.post(seat, `/api/v1/beings/kid/moments/${n}/why-not/${about}`, json)

  it('a role: says the smallest change to whom the past is open, and writes nothing', async () => {
    const flow: Json = [{ when: { 'world.hall.hush': true }, role: 'errand' }, { role: 'vault-keeper' }]
    await asAda('set-roleflow', '@kid', { flow })
    await summon(
      { ...at.world, person: 'ada' },
      { target: 'kid', content: 'again', as: 'ada', waitSeconds: 30 },
    )
    const before = await groundOf(at.world)
    for (const seat of [operator, ada]) {
      expect((await ask(seat, 2, 'role', { role: 'errand' })).json).toEqual({
        changes: [{ path: 'world.hall.hush', to: true }],
      })
      expect((await ask(seat, 2, 'role', { role: 'vault-keeper' })).json).toEqual({ changes: [] })
      expect((await ask(seat, 1, 'role', { role: 'errand' })).json).toMatchObject({
        changes: null,
        never: 'not-named',
      })
    }
    expect((await ask(ada, 99, 'role', { role: 'errand' })).json.code).toBe('MOMENT_NOT_FOUND')
    expect((await ask(cy, 2, 'role', { role: 'errand' })).json.code).toBe('FORBIDDEN')
    expect(await groundOf(at.world)).toEqual(before)
  })

  it('an act: says what would have allowed it to the first operator alone, since it quotes what others may do', async () => {
    const before = await groundOf(at.world)
    const call = { verb: 'see', address: '/library' }
    expect((await ask(operator, 2, 'act', { call })).json).toEqual({
      changes: [{ path: 'canSee', from: [], to: ['/library'] }],
    })
    expect((await ask(operator, 2, 'act', { call: {} })).json.code).toBe('VERB_NOT_SUPPORTED')
    for (const seat of [ada, cy]) {
      expect((await ask(seat, 2, 'act', { call })).json.code).toBe('FORBIDDEN')
      expect((await get(seat, '/api/v1/beings/kid/moments/2')).mayAskOfActs).toBe(
        seat === ada ? false : undefined,
      )
    }
    expect((await get(operator, '/api/v1/beings/kid/moments/2')).mayAskOfActs).toBe(true)
    expect(await groundOf(at.world)).toEqual(before)
  })
})

describe('checks', () => {
  it('say what the verbs would say, and write nothing', async () => {
    const before = await groundOf(at.world)
    const check = async (what: 'roles' | 'flows', json: JsonObject) =>
      (await at.post(ada, `/api/v1/${what}/check`, json)).json
    expect(await check('roles', { role: { name: 'x', canDo: ['fly'], prompt: '' } })).toEqual({
      errors: [],
      warnings: [{ path: 'canDo[0]', message: 'no loaded extension has the operation "fly"' }],
    })
    for (const role of [null, 7, { name: 'X' }, { name: 'a:b' }])
      expect((await check('roles', { role })).errors.length, JSON.stringify(role)).toBeGreaterThan(0)
    expect(await check('flows', { flow: [{ role: 'nobody-wrote-it' }] })).toMatchObject({
      errors: [{ path: '[0].role', message: expect.stringContaining('is not registered') }],
    })
    const reading = (path: string) => ({ flow: [{ when: { [path]: true }, role: 'errand' }] })
    expect(await check('flows', reading('world.hall.hush'))).toMatchObject({
      warnings: [{ message: expect.stringContaining('nobody publishes world.hall.hush') }],
    })
    expect(await groundOf(at.world)).toEqual(before)
    await asAda('set-world-signal', '/', { namespace: 'hall', key: 'hush', value: true })
    expect(await check('flows', reading('world.hall.hush'))).toEqual({ errors: [], warnings: [] })
    expect(await get(cy, '/api/v1/signals')).toMatchObject({
      values: { hall: { hush: true } },
      namespaces: expect.arrayContaining([
        { namespace: 'hall', owner: '@ada', publishers: [], reserved: false },
        { namespace: 'stage', owner: '@operator', publishers: [], reserved: true },
      ]),
    })
  })
})
