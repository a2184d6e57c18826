import { createSign, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Oidc from 'oidc-provider'

const CLIENT = { id: 'treeos', secret: 'the-secret-of-the-client' }
const KID = 'one'

/** Claims of an ID token before it is signed again. */
type Claims = Record<string, unknown>
/** @returns the ID token to hand out in place of the right one */
type BendToken = (claims: Claims, token: string) => string

/** A real OpenID Connect provider on loopback, which lets everybody in as `who` without a question. */
export class IdentityProvider {
  /** the account that signs in next; null: it refuses */
  who: string | null = 'ann@id.example'
  /** a provider that was taken over, or an attacker on the way */
  bendToken: BendToken | null = null
  readonly #server: Server
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  readonly #strange = generateKeyPairSync('rsa', { modulusLength: 2048 })
  #handle: (req: IncomingMessage, res: ServerResponse) => unknown = (_req, res) => res.writeHead(503).end()

  private constructor(server: Server) {
    this.#server = server
    server.on('request', (req, res) => {
      if (req.url?.startsWith('/token') && this.bendToken !== null) this.#bend(res)
      void this.#handle(req, res)
    })
  }

  static async listen(): Promise<IdentityProvider> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new IdentityProvider(server)
  }

  get issuer(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`
  }

  get settings() {
    return {
      issuer: this.issuer,
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      name: 'Example Login',
      scope: 'openid email',
    }
  }

  /** From now on it answers. @param redirect where it may send browsers back to */
  open(redirect: string): void {
    const key = { ...this.#keys.privateKey.export({ format: 'jwk' }), kid: KID, alg: 'RS256', use: 'sig' }
    const provider = new Oidc(this.issuer, {
      clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirect] }],
      jwks: { keys: [key] },
      cookies: { keys: ['a key of this test'] },
      ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      claims: { openid: ['sub'], email: ['email'] },
      conformIdTokenClaims: false,
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      findAccount: (_ctx, id) => ({ accountId: id, claims: async () => ({ sub: id, email: id }) }),
      async loadExistingGrant({ oidc }) {
        const grant = new provider.Grant({
          clientId: oidc.client?.clientId ?? '',
          accountId: oidc.session?.accountId ?? '',
        })
        grant.addOIDCScope('openid email')
        await grant.save()
        return grant
      },
    })
    const answer = provider.callback()
    this.#handle = async (req, res) => {
      if (!req.url?.startsWith('/interaction/')) return answer(req, res)
      const result =
        this.who === null
          ? { error: 'access_denied', error_description: 'no' }
          : { login: { accountId: this.who, remember: false } }
      return provider.interactionFinished(req, res, result)
    }
  }

  /** Signs claims with the key of the provider, or with another one. */
  sign(claims: Claims, { isStrange = false } = {}): string {
    const head = { alg: 'RS256', kid: KID }
    const text = [head, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const { privateKey } = isStrange ? this.#strange : this.#keys
    return `${text}.${createSign('sha256').update(text).sign(privateKey).toString('base64url')}`
  }

  async close(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  #bend(res: ServerResponse): void {
    const end = res.end.bind(res) as (body?: unknown) => ServerResponse
    res.end = ((body?: unknown) => {
      const answer = JSON.parse(String(body)) as { id_token?: string }
      if (answer.id_token !== undefined && this.bendToken !== null) {
        const claims = JSON.parse(Buffer.from(answer.id_token.split('.')[1] ?? '', 'base64url').toString())
        answer.id_token = this.bendToken(claims, answer.id_token)
      }
      const text = JSON.stringify(answer)
      res.setHeader('content-length', Buffer.byteLength(text))
      return end(text)
    }) as typeof res.end
  }
}

/** Goes where a browser would, until the provider sends it back. @returns the query that it brings back */
export async function comeBack(start: string, origin: string): Promise<string> {
  const jar = new Map<string, string>()
  let url = new URL(start)
  for (let hops = 0; hops < 8; hops++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const one of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (one.split(';')[0] ?? '').split('=')
      jar.set(name, value)
    }
    const next = answer.headers.get('location')
    if (next === null) throw new Error(`${url.pathname} answers ${answer.status}: ${await answer.text()}`)
    url = new URL(next, url)
    if (url.origin === origin) return url.search.slice(1)
  }
  throw new Error('the provider sends us round in circles')
}
