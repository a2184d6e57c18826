import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { stanceOf, TreeosError } from '@treeos/core'
import { Hono } from 'hono'
import { z } from 'zod'
import { beginAttempt, NOBODY, ofLink, takeAttempt } from '../accounts/attempts.ts'
import { checkPassword } from '../accounts/check-password.ts'
import { findByIdentity, giveIdentity } from '../accounts/identities.ts'
import { requireLink, spendLink, useLink } from '../accounts/links.ts'
import {
  askForPasskey,
  askWhosePasskey,
  checkNewPasskey,
  checkPasskey,
  siteOf,
} from '../accounts/passkeys.ts'
import type { Provider } from '../accounts/provider.ts'
import { deviceCookie } from '../edge/cookies.ts'
import { originOf, signIn } from '../edge/sign-in.ts'
import type { Env, Portal } from '../portal.ts'
import { input } from './input.ts'

export const password = z.string().min(1).max(1024)
const secret = z.string().max(100)
/** a link, or null for a person that signs in */
const token = secret.nullable()
/** What an authenticator answers is checked by the library; here only its size and its outer shape. */
const text = z.string().max(16_384)
const credential = {
  id: z.string().min(1).max(1400),
  rawId: text,
  type: z.literal('public-key'),
  clientExtensionResults: z.looseObject({}),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional(),
}
const newCredential = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: text,
      attestationObject: text,
      transports: z.array(z.string().max(32)).max(16).optional(),
    }),
  })
  .transform((value) => value as RegistrationResponseJSON)
const usedCredential = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: text,
      authenticatorData: text,
      signature: text,
      userHandle: z.string().max(200).optional(),
    }),
  })
  .transform((value) => value as AuthenticationResponseJSON)
export const returned = z.object({ attempt: secret, query: z.string().max(8192) })
export const made = z.object({ attempt: secret, response: newCredential })

/** Signing in: what a request without a session may ask. */
export const openRoutes = (portal: Portal) => {
  const { store, provider } = portal
  return new Hono<Env>()
    .get('/ways', (c) => c.json({ provider: provider?.name ?? null }))
    .post('/sign-in', input('json', z.object({ name: z.string().min(1).max(80), password })), async (c) => {
      const from = { address: c.get('address'), device: deviceCookie(c.req.raw, c.get('host')) }
      const being = await checkPassword(store, c.req.valid('json'), from)
      return c.json(await signIn(c, portal, { being, way: 'password' }))
    })
    .post('/link/look', input('json', z.object({ token: secret })), async (c) => {
      const being = await requireLink(store, c.req.valid('json').token)
      return c.json({ stance: stanceOf(being) })
    })
    .post('/link/use', input('json', z.object({ token: secret, password })), async (c) => {
      const { token, password } = c.req.valid('json')
      const being = await useLink(store, token, password)
      return c.json(await signIn(c, portal, { being, way: 'link' }))
    })
    .post('/link/passkey', input('json', z.object({ token: secret })), async (c) => {
      const { token } = c.req.valid('json')
      const being = await requireLink(store, token)
      const { name: reality } = portal.at.reality
      const asked = { being, bound: ofLink(token), name: 'First passkey', reality }
      return c.json(await askForPasskey(store, asked, siteOf(originOf(c))))
    })
    .post('/link/passkey/made', input('json', made.extend({ token: secret })), async (c) => {
      const { token, attempt, response } = c.req.valid('json')
      await requireLink(store, token)
      const answer = { attempt, response, bound: ofLink(token) }
      const give = await checkNewPasskey(store, answer, siteOf(originOf(c)))
      const being = await spendLink(store, token, give)
      return c.json(await signIn(c, portal, { being, way: 'link' }))
    })
    .post('/passkey', input('json', z.object({ mediation: z.literal('modal') })), async (c) =>
      c.json(await askWhosePasskey(store, siteOf(originOf(c)))),
    )
    .post(
      '/passkey/used',
      input('json', z.object({ attempt: secret, response: usedCredential })),
      async (c) => {
        const being = await checkPasskey(store, c.req.valid('json'), siteOf(originOf(c)))
        return c.json(await signIn(c, portal, { being, way: 'passkey' }))
      },
    )
    .post('/provider', input('json', z.object({ token })), async (c) => {
      const { token } = c.req.valid('json')
      if (token !== null) await requireLink(store, token)
      const attempt = await beginAttempt(store, {
        kind: token === null ? 'oidc-sign-in' : 'oidc-add',
        bound: token === null ? NOBODY : ofLink(token),
      })
      return c.json({ attempt, url: await requireProvider(provider).addressFor(attempt, originOf(c)) })
    })
    .post('/provider/returned', input('json', returned.extend({ token })), async (c) => {
      const { token, attempt, query } = c.req.valid('json')
      const kind = token === null ? 'oidc-sign-in' : 'oidc-add'
      await takeAttempt(store, attempt, { kind, bound: token === null ? NOBODY : ofLink(token) })
      const account = await requireProvider(provider).accountOf(attempt, originOf(c), query)
      const being =
        token === null
          ? await findByIdentity(store, account)
          : await spendLink(store, token, giveIdentity(account))
      return c.json(await signIn(c, portal, { being, way: token === null ? 'provider' : 'link' }))
    })
}

/** @throws {TreeosError} ACTION_NOT_SUPPORTED where none is configured */
export function requireProvider(provider: Provider | null): Provider {
  if (provider !== null) return provider
  throw new TreeosError('ACTION_NOT_SUPPORTED', 'no identity provider is set up for this portal')
}
