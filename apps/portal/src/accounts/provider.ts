import { quote, TreeosError } from '@treeos/core'
import { egressFetch } from '@treeos/egress'
import type { Configuration, CustomFetch } from 'openid-client'
import { derive } from './attempts.ts'

const LABEL_CHARS_MAX = 200
const SECONDS = 10
/** Where the provider sends the browser back to: a page, whose script hands on what came with it. */
const RETURN_PATH = '/provider'

/** An OpenID Connect provider, by configuration. */
export interface ProviderSettings {
  /** an address of https, or of http on this machine; its discovery document lies below it */
  readonly issuer: string
  readonly clientId: string
  /** null for a public client, which proves itself by PKCE alone */
  readonly clientSecret: string | null
  /** what people read on the button */
  readonly name: string
  /** what it is asked for; `openid` is always among it */
  readonly scope: string
}

/** An account of the provider. */
export interface ProviderAccount {
  readonly issuer: string
  readonly subject: string
  /** an address or a name, for people */
  readonly label: string
}

/** Asks the provider who somebody is: authorization code with PKCE, state and nonce. */
export class Provider {
  readonly name: string
  readonly #settings: ProviderSettings
  #known: Promise<Configuration> | null = null

  constructor(settings: ProviderSettings) {
    this.#settings = settings
    this.name = settings.name
  }

  /**
   * Where the browser goes to ask.
   * @param attempt a secret that state, nonce and verifier are derived from
   * @param origin of the portal, as the browser says
   * @throws {TreeosError} SERVICE_UNAVAILABLE when the provider does not answer
   */
  async addressFor(attempt: string, origin: string): Promise<string> {
    const oidc = await import('openid-client')
    const url = oidc.buildAuthorizationUrl(await this.#discover(), {
      redirect_uri: `${origin}${RETURN_PATH}`,
      scope: this.#settings.scope,
      state: derive(attempt, 'state'),
      nonce: derive(attempt, 'nonce'),
      code_challenge: await oidc.calculatePKCECodeChallenge(derive(attempt, 'verifier')),
      code_challenge_method: 'S256',
    })
    return url.href
  }

  /**
   * Who it was, by what came back with the browser.
   * @param query of the address that the provider sent the browser to
   * @throws {TreeosError} UNAUTHORIZED for another state, nonce, verifier, issuer, audience or signature, an
   *   expired answer, and a refusal of the provider; SERVICE_UNAVAILABLE when it does not answer
   */
  async accountOf(attempt: string, origin: string, query: string): Promise<ProviderAccount> {
    const oidc = await import('openid-client')
    const config = await this.#discover()
    const tokens = await oidc
      .authorizationCodeGrant(config, new URL(`${origin}${RETURN_PATH}?${query}`), {
        pkceCodeVerifier: derive(attempt, 'verifier'),
        expectedState: derive(attempt, 'state'),
        expectedNonce: derive(attempt, 'nonce'),
        idTokenExpected: true,
      })
      .catch((error: unknown) => this.#refuse(error))
    const claims = tokens.claims()
    if (claims === undefined) throw new TreeosError('UNAUTHORIZED', `${this.name} does not say who it was`)
    const label = [claims.email, claims.preferred_username, claims.name, claims.sub].find(
      (one): one is string => typeof one === 'string' && one !== '',
    )
    return {
      issuer: claims.iss,
      subject: claims.sub,
      label: (label ?? '').slice(0, LABEL_CHARS_MAX).toWellFormed(),
    }
  }

  /** Asked once; after a failure again. */
  #discover(): Promise<Configuration> {
    this.#known ??= this.#ask().catch((error: unknown) => {
      this.#known = null
      throw unavailable(this.name, error)
    })
    return this.#known
  }

  async #ask(): Promise<Configuration> {
    const oidc = await import('openid-client')
    const { issuer, clientId, clientSecret } = this.#settings
    const url = new URL(issuer)
    return oidc.discovery(
      url,
      clientId,
      undefined,
      clientSecret === null ? oidc.None() : oidc.ClientSecretBasic(clientSecret),
      {
        timeout: SECONDS,
        [oidc.customFetch]: egressFetch as CustomFetch, // its later requests go by it too
        execute: [
          oidc.enableNonRepudiationChecks, // checks the signature of an ID token, also where TLS brought it
          ...(url.protocol === 'http:' && isLoopbackUrl(url) ? [oidc.allowInsecureRequests] : []),
        ],
      },
    )
  }

  #refuse(error: unknown): never {
    const code = (error as { code?: unknown } | null)?.code
    if (code === 'OAUTH_TIMEOUT' || (error instanceof TypeError && error.message === 'fetch failed'))
      throw unavailable(this.name, error)
    const why = error instanceof Error ? error.message : String(error)
    throw new TreeosError(
      'UNAUTHORIZED',
      `signing in by ${this.name} was refused: ${quote(why)}`,
      undefined,
      {
        cause: error,
      },
    )
  }
}

/** Names of this machine: elsewhere a password of the client would travel in the clear. */
export const isLoopbackUrl = ({ hostname }: URL): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(hostname)

const unavailable = (name: string, cause: unknown) =>
  new TreeosError(
    'SERVICE_UNAVAILABLE',
    `${name} does not answer: try again, or sign in another way`,
    undefined,
    {
      cause,
    },
  )
