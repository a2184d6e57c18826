import { listRoutes } from '@treeos/portal'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PortalWorld, type Seat, send } from '../support/portal.ts'

let at: PortalWorld
let operator: Seat
beforeAll(async () => {
  at = await PortalWorld.start()
  operator = await at.enter('operator')
})
afterAll(() => at?.close())

/** What a browser adds to a request that another site makes it send. */
const ATTACKING: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { origin: 'https://evil.example' },
]

/** Every route, from the router itself: a new one is tested without being named here. */
const routes = () => listRoutes(at.portal)
/** A webhook is for programs: its signature decides, and no cookie counts. */
const SIGNED = '/api/open/hooks/:id'
const unsafe = () => routes().filter(({ method, path }) => method !== 'GET' && path !== SIGNED)
const fill = (path: string) =>
  path.replace(':name', 'operator').replace(':n', '1').replace(':id', 'some-thread')

it('the router lists its routes', () => {
  expect(unsafe().map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/api/open/sign-in', '/api/sign-out', '/api/v1/inbox/reply', '/api/v1/do']),
  )
  expect(routes().length).toBeGreaterThan(14)
})

it('keeps an idle connection longer than nginx does, which waits 75 s', async () => {
  const { headers } = await fetch(at.origin)
  expect(headers.get('keep-alive')).toBe('timeout=95')
})

describe('what changes something is refused unless the portal’s own page sends it', () => {
  const host = () => new URL(at.origin).host
  const good = () => ({
    origin: at.origin,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
  })
  const foreign = (): [string, Record<string, string>][] => [
    ['no origin', { 'content-type': 'application/json' }],
    ['an opaque origin', { ...good(), origin: 'null' }],
    ['another site', { ...good(), origin: 'https://evil.example' }],
    ['another port of this machine', { ...good(), origin: 'http://localhost:1' }],
    ['a longer name', { ...good(), origin: `http://${host()}.evil.example` }],
    ['a mark of another site', { ...good(), 'sec-fetch-site': 'cross-site' }],
    ['a mark of another port', { ...good(), 'sec-fetch-site': 'same-site' }],
    ['a mark of the address bar', { ...good(), 'sec-fetch-site': 'none' }],
    ['a form', { ...good(), 'content-type': 'application/x-www-form-urlencoded' }],
    ['a form with files', { ...good(), 'content-type': 'multipart/form-data; boundary=x' }],
    ['plain text', { ...good(), 'content-type': 'text/plain' }],
    ['no type', { origin: at.origin, 'sec-fetch-site': 'same-origin' }],
  ]

  it('on every route, in twelve ways', async () => {
    const session = { cookie: operator.cookie, 'x-treeos-key': operator.key }
    let refused = 0
    for (const { method, path } of unsafe())
      for (const [what, headers] of foreign()) {
        // A file is of any type: there the half of the session that no form can send stands for JSON.
        const isFile = path === '/api/v1/files' && headers['content-type'] !== 'application/json'
        const own = isFile ? { cookie: operator.cookie } : session
        const sent = { method, headers: { ...headers, ...own }, body: '{}' }
        const { status, json } = await send(at.origin, fill(path), sent)
        expect({ path, what, status, code: json?.code ?? json?.error?.code }).toEqual({
          path,
          what,
          status: 403,
          code: 'FORBIDDEN',
        })
        refused++
      }
    expect(refused).toBe(unsafe().length * 12)
    // These have another answer to an empty body: there is no such being, all of a token has a default, and a
    // terminal shows a secret of its own.
    const reached: Record<string, number> = {
      '/api/v1/beings/:name/cancel': 404,
      '/api/v1/tokens': 200,
      '/api/v1/terminals/wait': 401,
    }
    // Control: the same session is still signed in, and the same requests reach their routes from the own
    // page.
    for (const { method, path } of unsafe().filter(({ path }) => path !== '/api/sign-out')) {
      const { status } = await send(at.origin, fill(path), {
        method,
        headers: { ...good(), ...session },
        body: '{}',
      })
      expect({ path, status }).toEqual({ path, status: reached[path] ?? 400 })
    }
    expect((await at.ask(operator, '/api/session')).status).toBe(200)
  })

  it('but a webhook, which no session opens', async () => {
    const headers = { ...good(), cookie: operator.cookie, 'x-treeos-key': operator.key }
    const { status } = await send(at.origin, fill(SIGNED), { method: 'POST', headers, body: '{}' })
    expect(status).toBe(401)
  })

  it('a read that another site makes a browser send is refused too', async () => {
    const session = { cookie: operator.cookie, 'x-treeos-key': operator.key }
    for (const { path } of routes().filter(({ method, path }) => method === 'GET' && path !== '/api/live'))
      for (const headers of ATTACKING)
        expect(
          (await send(at.origin, fill(path), { headers: { ...headers, ...session } })).status,
          path,
        ).toBe(403)
    expect((await send(at.origin, '/api/session', { headers: session })).status).toBe(200)
  })
})

describe('a page that made its own name lead here', () => {
  it.each(['evil.example', 'localhost.evil.example', '192.168.0.1', '127.0.0.1.nip.io:80'])(
    'is refused as %j, on every route and for every file',
    async (host) => {
      for (const path of ['/', '/assets/x.js', ...routes().map(({ path }) => fill(path))])
        expect((await send(at.origin, path, { headers: { host } })).status, path).toBe(403)
    },
  )

  it.each(['localhost', '127.0.0.1', '[::1]', 'localhost:8080'])(
    '%s is a name of the portal',
    async (host) => {
      expect((await send(at.origin, '/', { headers: { host } })).status).toBe(200)
    },
  )
})

describe('what is sent', () => {
  it('carries a policy without inline scripts, and a new nonce each time', async () => {
    const [one, other] = [await send(at.origin, '/'), await send(at.origin, '/world')]
    const nonceOf = (text: string) => /name="style-nonce" content="([\w-]{22})"/.exec(text)?.[1]
    expect(nonceOf(one.text)).toBeDefined()
    expect(nonceOf(one.text)).not.toBe(nonceOf(other.text))
    const policy = String(one.headers['content-security-policy'])
    expect(policy).toContain(`style-src 'self' 'nonce-${nonceOf(one.text)}'`)
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(one.text).not.toMatch(/<script(?![^>]*src=)|\son\w+=|style=/)
    for (const path of ['/', '/api/session', '/api/nothing', '/assets/nothing.js', '/tree.svg'])
      expect((await send(at.origin, path)).headers, path).toMatchObject({
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      })
  })

  it('is bounded: a body that is too large is refused before it is read', async () => {
    const body = JSON.stringify({ correlation: 'x', content: 'x'.repeat(500_000) })
    const answered = await at.ask(operator, '/api/v1/inbox/reply', { method: 'POST', body })
    expect(answered).toMatchObject({ status: 413, json: { code: 'PAYLOAD_TOO_LARGE' } })
  })

  it('names no file of the server', async () => {
    for (const path of [
      '/../package.json',
      '/assets/../../index.js',
      '/assets/%2e%2e/%2e%2e/index.js',
      '//etc/passwd',
    ]) {
      const { text } = await send(at.origin, path)
      expect(text === 'not found' || text.includes('<div id="root">'), path).toBe(true)
    }
  })

  it('is refused with what is wrong, and never with what the server thinks', async () => {
    const bad: [string, unknown][] = [
      ['/api/v1/inbox/reply', { correlation: 7 }],
      ['/api/v1/inbox/close', { how: 'burnt', entries: null }],
      ['/api/v1/fly', {}],
      ['/api/v1/do', { verb: 'fly', operation: 'move' }],
      ['/api/v1/do', { operation: 'no-such-action', args: {} }],
      ['/api/v1/inbox/reply', { correlation: 'no-such', content: 'x' }],
    ]
    for (const [path, json] of bad) {
      const answered = await at.post(operator, path, json)
      expect(answered.status, path).toBeGreaterThanOrEqual(400)
      expect(answered.status, path).toBeLessThan(500)
      expect(answered.text).not.toMatch(/\bat .*\.ts|select |insert |treeos\.|\brelation|node_modules/)
    }
    expect(at.errors).toEqual([])
  })
})
