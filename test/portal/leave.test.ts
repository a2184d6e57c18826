import { act, issueToken, listTokens, moments, summon } from '@treeos/client'
import { listRoutes } from '@treeos/portal'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { groundOf, until } from '../support/life.ts'
import { IS_NIGHT } from '../support/night.ts'
import { PortalWorld, type Seat, send } from '../support/portal.ts'

const SECRET = 'the-treasure-lies-under-the-oak'
/** Fewer than a stranger may ask before the answer is that it asks too often. */
const STRANGER_ASKS = 30
/** Routes that are tried between two renewals of a lease. */
const RENEWED_EACH = 10

let at: PortalWorld
let operator: Seat
let ada: Seat
let bob: Seat
let thread = ''
let tokenOfAda = ''
beforeAll(async () => {
  at = await PortalWorld.start()
  ;[operator, ada, bob] = [await at.enter('operator'), await at.enter('ada'), await at.enter('bob')]
  const asAda = { ...at.world, person: 'ada' }
  await act(at.world, 'operator', {
    verb: 'do',
    operation: 'create-space',
    target: '/',
    args: { path: '/cellar' },
  })
  const keeper = { name: 'keeper', canSummon: [{ rel: 'asker' }], prompt: `Guard ${SECRET}` }
  await act(asAda, 'ada', { verb: 'do', operation: 'set-role', target: '/', args: { role: keeper } })
  const flow = [{ when: { 'me.quality.hoard.at': SECRET }, role: 'keeper' }]
  await act(asAda, 'ada', { verb: 'do', operation: 'set-roleflow', target: '@kid', args: { flow } })
  const said = await summon(asAda, { target: 'kid', content: SECRET, as: 'ada', waitSeconds: 30 })
  thread = said.correlation
  tokenOfAda = (await issueToken(asAda, { being: 'kid', as: 'ada' })).id
  await summon(asAda, { target: 'operator', content: `${SECRET}?`, as: 'ada', waitSeconds: null })
  await until(async () => (await moments(at.world.db, 'kid')).length > 0)
})
afterAll(() => at?.close())

/** Nobody needs leave for these, and they tell of nobody. */
const isOpen = (path: string) =>
  path.startsWith('/api/open/') ||
  path === '/api/v1/openapi.json' ||
  path.startsWith('/api/v1/terminals') ||
  path.includes('/.well-known/')

/** All routes that read, filled in with what belongs to @ada. */
const reads = () =>
  listRoutes(at.portal)
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => path)
    .filter((path) => path !== '/api/live' && path !== '/api/v1/journal' && !isOpen(path))
    .flatMap((path) => {
      if (path === '/api/v1/see') return ['kid', 'ada'].map((being) => `${path}?address=@${being}`)
      if (path === '/api/v1/space' || path === '/api/v1/map')
        return [`${path}?path=/cellar`, `${path}?path=/`]
      if (path === '/api/v1/search') return [`${path}?text=${SECRET}`, `${path}?text=keeper&limit=50`]
      if (path === '/api/v1/replay')
        return ['kid', 'ada', 'operator'].map((being) => `${path}?being=${being}`)
      if (path.includes(':id')) return [path.replace(':id', thread)]
      if (path.includes(':role')) return [path.replace(':role', 'keeper')]
      if (!path.includes(':name')) return [path]
      return ['kid', 'ada', 'operator'].map((name) => path.replace(':name', name).replace(':n', '1'))
    })

describe('nobody reads without leave', () => {
  it('a stranger without a session is told nothing, on any route', async () => {
    for (const [i, path] of reads().entries()) {
      if (i % STRANGER_ASKS === STRANGER_ASKS - 1) await at.serveAnew()
      const { status, text } = await at.ask(null, path)
      expect(status, path).toBe(401)
      expect(text).not.toContain(SECRET)
    }
  })

  it('another person never gets to see what was said, on any route', async () => {
    const codes: Record<string, number> = {}
    const { secret } = await issueToken({ ...at.world, person: 'bob' }, { being: 'bob', as: 'bob' })
    for (const path of reads()) {
      const { status, text } = await at.ask(bob, path)
      expect(text, path).not.toContain(SECRET)
      codes[path] = status
      const answered = await send(at.origin, path, { headers: { authorization: `Bearer ${secret}` } })
      expect(answered.text, path).not.toContain(SECRET)
      // The same of a program; what belongs to the page no token opens.
      if (path === '/api/v1/token') expect([answered.status, status]).toEqual([200, 400])
      else expect([path, answered.status]).toEqual([path, /^(\/api)?\/v1\//.test(path) ? status : 401])
    }
    expect(codes).toMatchObject({
      '/api/v1/beings/kid': 403,
      '/api/v1/beings/kid/moments': 403,
      '/api/v1/beings/kid/moments/1': 403,
      '/api/v1/beings/kid/moments/1/explain': 403,
      '/api/v1/beings/kid/moments/1/prompt': 403,
      '/api/v1/see?address=@kid': 403,
      '/api/v1/beings/ada/moments': 403,
      '/api/v1/beings/operator/moments': 403,
      '/api/v1/space?path=/cellar': 403,
      '/api/v1/roles': 403,
      '/api/v1/addresses': 403,
      '/api/v1/roles/keeper': 403,
      '/api/v1/beings/kid/flow': 403,
      '/api/v1/map?path=/cellar': 403,
      '/api/v1/replay?being=kid': 403,
      '/api/v1/health': 403,
      '/api/machine': 403,
      '/api/v1/record': 200,
      '/api/v1/use': 200,
      [`/api/v1/threads/${thread}`]: 403,
      '/api/v1/inbox': 200,
      '/api/v1/world': 200,
      '/api/account': 200, // its own
      '/api/people': 200, // its own
    })
  })

  it('control: those who have leave see it on these routes', async () => {
    const shows = async (seat: Seat, path: string) => (await at.ask(seat, path)).text.includes(SECRET)
    for (const seat of [operator, ada]) {
      expect(await shows(seat, '/api/v1/beings/kid/moments/1')).toBe(true)
      expect(await shows(seat, '/api/v1/space?path=/')).toBe(true) // the last words of @kid
      expect(await shows(seat, `/api/v1/threads/${thread}`)).toBe(true)
      expect(await shows(seat, '/api/v1/roles/keeper')).toBe(true)
      expect(await shows(seat, '/api/v1/beings/kid/flow')).toBe(true)
      expect(await shows(seat, '/api/v1/map?path=/')).toBe(true)
      expect(await shows(seat, '/api/v1/record')).toBe(true)
      expect(await shows(seat, '/api/v1/search?text=OAK%20treasure')).toBe(true)
    }
    expect(await shows(operator, '/api/v1/inbox')).toBe(true)
    expect(await shows(ada, '/api/v1/inbox')).toBe(false)
    const compared = (being: string, seat: Seat) => at.ask(seat, `/api/v1/replay${being}`)
    expect((await compared('?being=kid', ada)).text).toContain('"identical":true')
    expect((await compared('', operator)).text).toContain('"identical":true')
    expect((await compared('', ada)).status).toBe(403)
  })

  it('control: the operator is answered on each of them, and nothing fails', async () => {
    at.errors.length = 0
    for (const path of reads()) expect((await at.ask(operator, path)).status, path).toBeLessThan(500)
    expect(at.errors).toEqual([])
  })

  it('a misspelt name gets a suggestion, of what the caller may see and of nothing else', async () => {
    const told = async (seat: Seat, path: string, json?: object) => {
      const { text, json: said } = await (json === undefined ? at.ask(seat, path) : at.post(seat, path, json))
      return [said.code, /Did you mean ([^?]+)[?]/.exec(text)?.[1] ?? null]
    }
    const say = { target: '@kdi', content: 'hello' }
    const born = {
      operation: 'birth',
      args: { name: 'fay', cognition: 'scripted', script: 'echo', role: 'keper' },
    }
    expect(await told(operator, '/api/v1/summon', say)).toEqual(['BEING_NOT_FOUND', '@kid'])
    expect(await told(operator, '/api/v1/be', born)).toEqual(['ROLE_UNAVAILABLE', 'keeper'])
    expect(await told(operator, '/api/v1/see?address=@kdi')).toEqual(['BEING_NOT_FOUND', '@kid'])
    expect(await told(operator, '/api/v1/beings/kdi/moments')).toEqual(['BEING_NOT_FOUND', '@kid'])
    expect(await told(operator, '/api/v1/summon', { ...say, target: '@qqqqqqq' })).toEqual([
      'BEING_NOT_FOUND',
      null,
    ])
    // Who may speak to everybody, and sees nobody.
    const caller = { name: 'caller', canSummon: [{ pattern: '*' }], canBe: ['birth'], prompt: 'Call.' }
    await act(at.world, 'operator', {
      verb: 'do',
      operation: 'set-role',
      target: '/',
      args: { role: caller },
    })
    const eve = { name: 'eve', cognition: 'human', role: 'caller' }
    await act(at.world, 'operator', { verb: 'be', operation: 'birth', args: eve })
    const seat = await at.enter('eve')
    expect(await told(seat, '/api/v1/summon', say)).toEqual(['BEING_NOT_FOUND', null])
    expect(await told(seat, '/api/v1/be', born)).toEqual(['ROLE_UNAVAILABLE', null])
  })

  it('a search answers of what may not be read as of what is nowhere', async () => {
    const found = async (seat: Seat, text: string) => (await at.ask(seat, `/api/v1/search?text=${text}`)).json
    const nothing = { beings: [], spaces: [], roles: [], said: [], moments: [] }
    for (const text of [SECRET, 'nowhere-at-all', 'cellar', 'keeper', '%25', '_'])
      expect(await found(bob, text), text).toEqual(nothing)
    // A look at / names who is in it, and tells nothing of what they said.
    expect(await found(bob, 'kid')).toEqual({ ...nothing, beings: ['@kid'] })
    expect(await found(bob, 'bo')).toMatchObject({ beings: ['@bob'], spaces: [] })
    expect(await found(bob, 'lib')).toMatchObject({ spaces: ['/library'] })
    // Control: who may look back finds all of it, and the moment that answered.
    expect(await found(ada, 'ki')).toMatchObject({ beings: ['@kid'] })
    const { said } = await found(ada, 'treasure')
    expect(said).toContainEqual(expect.objectContaining({ thread, isMine: true }))
    expect(said.map(({ to }: { to: string }) => to)).toContain('@operator')
    expect((await found(operator, 'keep')).roles[0]).toMatchObject({ name: 'keeper' })
    for (const path of ['/api/v1/lately', '/api/v1/spending']) {
      expect((await at.ask(bob, path)).text).not.toMatch(/kid|ada|operator/)
      expect((await at.ask(ada, path)).text).toMatch(/@kid/)
    }
    // a key of what is stored, and no word of anybody
    expect((await found(ada, 'summon')).moments).toEqual([])
  })

  it('names that lead nowhere give the same answer as those that may not be read', async () => {
    const codeOf = async (path: string) => (await at.ask(bob, path)).json.code
    for (const path of ['/moments', '/moments/1'])
      expect(await codeOf(`/api/v1/beings/nobody${path}`)).toBe(await codeOf(`/api/v1/beings/kid${path}`))
  })

  it('odd names and numbers are refused as such, and nothing fails', async () => {
    const odd = [
      '%27%3B%20drop%20table%20x%20--',
      '%00',
      '..%2f..',
      '__proto__',
      'a'.repeat(200),
      '%F0%9F%8C%B3',
      '%E2%80%AE',
    ]
    for (const word of IS_NIGHT ? odd : odd.slice(0, 3))
      for (const seat of [operator, bob])
        for (const path of [
          `/api/v1/beings/${word}`,
          `/api/v1/beings/${word}/moments`,
          `/api/v1/beings/kid/moments?cursor=${word}`,
          `/api/v1/beings/kid/moments/${word}`,
          `/api/v1/threads/${word}`,
          `/api/v1/beings/${word}/flow`,
          `/api/v1/roles/${word}`,
          `/api/v1/space?path=${word}`,
          `/api/v1/map?path=${word}`,
          `/api/v1/record?after=${word}`,
          `/api/v1/replay?being=${word}`,
        ]) {
          const { status } = await at.ask(seat, path)
          expect([400, 403, 404], `${path}: ${status}`).toContain(status)
        }
    for (const n of ['0', '-1', '1.5', '2147483648', '9007199254740993', '1e3000'])
      expect((await at.ask(operator, `/api/v1/beings/kid/moments/${n}`)).status, n).toBe(400)
    expect(at.errors).toEqual([])
  })

  it('the record of a person holds moments and facts of its own beings alone, page by page', async () => {
    const keysOf = async (seat: Seat) => {
      const keys = new Set<string>()
      for (let after = 0, isMore = true; isMore; ) {
        const { json } = await at.ask(seat, `/api/v1/record?after=${after}&limit=3`)
        for (const { moment, placings, said } of json.entries) {
          if (moment !== null) keys.add(`moment of ${moment.being}`)
          for (const { key } of placings) keys.add(key)
          for (const { being } of said) keys.add(`words of ${being}`)
        }
        expect(json.upTo > after || !json.isMore).toBe(true) // the last page may be empty
        ;({ upTo: after, isMore } = json)
      }
      return [...keys].sort()
    }
    expect(await keysOf(bob)).toEqual(['being:bob'])
    expect(await keysOf(ada)).toEqual([
      'being:ada',
      'being:kid',
      'moment of ada',
      'moment of kid',
      'words of ada',
      'words of kid',
    ])
    expect(await keysOf(operator)).toEqual(
      expect.arrayContaining(['being:kid', 'moment of kid', 'space:/cellar', 'words of ada']),
    )
  })

  it('the tree of a person holds only what it may see', async () => {
    const pathsOf = async (seat: Seat) =>
      (await at.ask(seat, '/api/v1/world')).json.spaces.map(({ path }: { path: string }) => path)
    expect(await pathsOf(bob)).toEqual(['/', '/library'])
    expect(await pathsOf(ada)).toEqual(['/', '/cellar', '/library'])
  })
})

describe('the secret of a tab that drives a being', () => {
  /**
   * Every route of the router, with something that its input takes or not: a stolen secret is refused before
   * that counts.
   */
  const all = () =>
    listRoutes(at.portal)
      .filter(({ path }) => !isOpen(path))
      .filter((_, i) => IS_NIGHT || i % 4 === 0) // one check stands before all of them
      .map(({ method, path }) => ({
        method,
        path: path.replace(':name', 'kid').replace(':n', '1').replace(':id', thread),
      }))

  it('opens no route to another person, to another session, or after its end', async () => {
    const { json } = await at.post(ada, '/api/inhabit', { being: '@kid' })
    const tab = { ...ada, tab: String(json.handle) }
    const other = await at.sit('ada')
    const before = await groundOf(at.world)
    const refused = async (seats: readonly Seat[]) => {
      for (const [i, { method, path }] of all().entries()) {
        // Else a slow machine ends the lease meanwhile. With each route the person would ask too often.
        if (i % RENEWED_EACH === 0) await at.post(tab, '/api/inhabit/renew', {})
        for (const seat of seats) {
          const { status, text } = await at.ask(seat, path, {
            method,
            ...(method === 'GET' ? {} : { body: '{}' }),
          })
          expect({ path, status, over: text.includes('lease-over') }).toEqual({
            path,
            status: 403,
            over: true,
          })
          expect(text, path).not.toContain(SECRET)
        }
      }
    }
    await refused([bob, operator, other].map((seat) => ({ ...seat, tab: tab.tab })))
    expect(await groundOf(at.world)).toEqual(before)
    // Control: in its own tab every one of them is answered, and what @kid was told may be read.
    expect((await at.ask(tab, '/api/v1/beings/kid/moments/1')).text).toContain(SECRET)
    expect((await at.ask(tab, '/api/session')).json).toMatchObject({ stance: '@kid', driver: '@ada' })
    await at.post(tab, '/api/inhabit/release', {})
    await refused([tab])
    expect((await at.ask(ada, '/api/session')).json).toMatchObject({ stance: '@ada' })
  })
})

/**
 * What @bob, who may do little, tries by each operation that changes something or takes a body; well-formed,
 * and about @ada and @kid.
 */
const ATTEMPTS: Readonly<Record<string, unknown>> = {
  addTools: { server: 'shop', url: 'http://127.0.0.1:1/mcp' },
  acceptTools: { named: 'shop' },
  removeTools: { server: 'shop' },
  do: { target: '@kid', operation: 'set-being', args: { field: 'mood.tone', value: 'odd' } },
  be: { operation: 'birth', args: { name: 'imp', cognition: 'scripted', script: 'echo' } },
  summon: { target: '@ada', content: 'hello' },
  giveFile: { any: 'bytes' },
  summonStream: { target: '@ada', content: 'hello' },
  get reply() {
    return { correlation: thread, content: 'I answer' }
  },
  get closeInbox() {
    return { how: 'dismissed', entries: [thread] }
  },
  addOutlet: { kind: 'webhook', address: 'https://example.org/' },
  confirmOutlet: { id: 'x', code: 'y' },
  retryOutlet: { id: 'x' },
  removeOutlet: { id: 'x' },
  addHook: { name: 'x', does: { summon: '@kid' } },
  removeHook: { id: 'x' },
  createToken: { being: '@kid' },
  erase: { what: 'kid/1/1', why: 'x' },
  get revokeToken() {
    return { id: tokenOfAda }
  },
  approve: { id: 'kid/1/1' },
  deny: { id: 'kid/1/1', why: 'no' },
  letThrough: { id: 'kid/1/1' },
  cancel: {},
  whatIf: { flow: [], since: 1, until: 1 },
  estimateTrial: { trial: { trial: 1, moments: { being: '@kid' }, candidates: { again: {} } } },
  inhabit: { being: '@kid' },
  runTrial: { trial: { trial: 1, moments: { being: '@kid' }, candidates: { again: {} } } },
  whyNotRole: { role: 'keeper' },
  whyNotAct: { call: { verb: 'see', address: '/cellar' } },
  setThreadOverlay: { content: 'Obey.' },
  setOverlay: { tier: 'workspace', name: 'house', content: 'Obey.' },
  deleteOverlay: { tier: 'workspace', name: 'house' },
  checkRole: { role: { name: 'x', prompt: 'y' } },
  checkFlow: { flow: [] },
}

/** They are about the access token that brings them, and name nothing. */
const OF_THEMSELVES = new Set(['askForTerminal', 'isTerminalAllowed', 'endToken'])

/** They name what belongs to who asks. */
const OF_IDS = new Set(['revokeToken', 'retryOutlet', 'removeOutlet', 'removeHook', 'letThrough'])

describe('nobody acts without leave', () => {
  it('what is not in the lists is refused, and nothing is written', async () => {
    const before = await groundOf(at.world)
    const calls = [
      { verb: 'do', operation: 'create-space', target: '/', args: { path: '/mine' } },
      { verb: 'summon', target: '@ada', content: 'hello' },
      { verb: 'be', operation: 'birth', args: { name: 'imp', cognition: 'scripted', script: 'echo' } },
      { verb: 'see', address: '/cellar' },
    ]
    for (const call of calls)
      expect((await at.perform(bob, call)).json, JSON.stringify(call)).toMatchObject({
        code: 'FORBIDDEN',
      })
    expect(await groundOf(at.world)).toEqual(before)
    expect((await at.perform(operator, calls[0]!)).status).toBe(200)
  })

  it('no operation of the API lets a program change or hear what belongs to another', async () => {
    const { secret } = await issueToken({ ...at.world, person: 'bob' }, { being: 'bob', as: 'bob' })
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const before = await groundOf(at.world)
    const { paths } = (await send(at.origin, '/api/v1/openapi.json')).json
    for (const [path, operations] of Object.entries(
      paths as Record<string, Record<string, { operationId: string }>>,
    ))
      for (const [method, { operationId }] of Object.entries(operations)) {
        if (method === 'get' || OF_THEMSELVES.has(operationId)) continue // those are read above
        const body = ATTEMPTS[operationId]
        if (body === undefined) throw new Error(`say what @bob tries by ${operationId}`)
        const filled = path.replace('{name}', 'kid').replace('{n}', '1').replace('{id}', thread)
        const sent = { method: 'POST', headers, body: JSON.stringify(body) }
        const { status, text, json } = await send(at.origin, `/api/v1${filled}?name=x`, sent)
        expect(text, operationId).not.toContain(SECRET)
        const isLint = operationId === 'checkRole' || operationId === 'checkFlow' // of what @bob sends
        const isUnknown = OF_IDS.has(operationId) && status === 400 // as one that does not exist
        const isTold = operationId === 'summonStream' && text.includes('event: problem')
        const isHeld = isLint ? status === 200 : isTold || isUnknown || status === 403 || status === 404
        expect({ operationId, isHeld, told: isHeld ? null : json }).toEqual({
          operationId,
          isHeld: true,
          told: null,
        })
      }
    expect(await groundOf(at.world)).toEqual(before)
    const [token] = await listTokens({ ...at.world, person: 'ada' }, 'ada')
    expect(token).toMatchObject({ id: tokenOfAda, revokedAt: null })
  })

  it('an act is the act of who is signed in, whatever the request says', async () => {
    const said = { target: '@operator', content: 'by bob' }
    for (const more of [{ as: '@operator' }, { person: 'operator' }, { from: '@operator' }])
      expect((await at.post(bob, '/api/v1/summon', { ...said, ...more })).status).toBe(400)
    expect((await at.post(bob, '/api/v1/summon', said)).status).toBe(200)
    const { items } = (await at.ask(operator, '/api/v1/inbox')).json
    expect(items.at(-1)).toMatchObject({ from: '@bob', content: 'by bob' })
  })

  it('the inbox of another is neither answered nor closed', async () => {
    const [entry] = (await at.ask(operator, '/api/v1/inbox')).json.items
    const { correlation } = entry
    const tries: [string, unknown][] = [
      ['/api/v1/inbox/reply', { correlation, content: 'I answer' }],
      ['/api/v1/inbox/close', { how: 'dismissed', entries: [correlation] }],
    ]
    for (const [path, json] of tries)
      expect((await at.post(bob, path, json)).json.code).toBe('CORRELATION_NOT_FOUND')
    expect((await at.post(operator, tries[0]![0], tries[0]![1])).status).toBe(200)
    await until(async () => {
      const { json } = await at.ask(operator, '/api/v1/inbox')
      return !json.items.some((one: { correlation: string }) => one.correlation === correlation)
    })
    await until(async () => (await at.ask(ada, '/api/v1/inbox')).text.includes('I answer'))
  })
})
