import { randomBytes } from 'node:crypto'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { type ActToSign, act, actChallenge, type Connection, passkeysOf, type SignAct } from '@treeos/client'
import { asJson, type BeingName, type Json, parseCall, stanceOf, TreeosError } from '@treeos/core'
import { sha256 } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import type { PortalDb } from '../store/schema.ts'
import { base64urlBytes, known, type Site } from './passkeys.ts'

/** The header in which the page sends the signature of an act. */
export const SIGNED_HEADER = 'x-treeos-signed'
const FRESH_MS = 5 * 60_000

const text = z.string().max(4096)
/** What the page sends back: what it was asked for, and the assertion of the passkey. */
const signedForm = z.object({
  salt: z.string().regex(/^[0-9a-f]{64}$/),
  at: z.number().int(),
  response: z.looseObject({
    id: text,
    rawId: text,
    response: z.object({
      authenticatorData: text,
      clientDataJSON: text,
      signature: text,
      userHandle: text.optional(),
    }),
  }),
})
type SignedForm = z.infer<typeof signedForm>

/**
 * The id of a passkey in the qualities of its person: those of authenticators have letters that the name of a
 * quality may not have.
 */
const keyIdOf = (id: string): string => sha256(id).toString('hex').slice(0, 32)

/**
 * A refusal that asks the page to sign, or says why a signature does not hold. A lost session is something
 * else.
 */
const signingRefusal = (message: string, detail: Json, cause?: unknown): TreeosError =>
  new TreeosError('FORBIDDEN', message, detail, cause === undefined ? {} : { cause })

interface Signer {
  readonly person: BeingName
  readonly site: Site
  /** the header, as it came */
  readonly header: string | undefined
}

/** A passkey by which a person signs what it does. */
interface SigningKey {
  readonly id: string
  readonly site: string
  readonly transports: string[]
}

/**
 * Asks for the signature of each act of a person that signs its acts. The first request for an act is refused
 * with what its passkey has to sign; the page repeats it with the assertion.
 */
export function signingFor(
  { at, store }: { readonly at: Connection; readonly store: Kysely<PortalDb> },
  { person, site, header }: Signer,
): SignAct {
  return async (asked) => {
    if (asked.signer !== person) return null // a being that drives another one has no passkey
    const own = await signingKeysOf(at, store, person)
    if (own.length === 0) return null
    const brought = readHeader(header)
    const age = brought === null ? Number.POSITIVE_INFINITY : Math.abs(Date.now() - brought.at)
    if (brought === null || age > FRESH_MS) throw await askToSign(at.reality.id, asked, { own, site })
    const { id, response } = brought.response
    if (!own.some((key) => key.id === id && key.site === site.name))
      throw signingRefusal('you do not sign by this passkey', { reason: 'no-passkey' })
    await requireAssertion(
      store,
      { person, site, challenge: actChallenge(at.reality.id, asked, brought) },
      brought,
    )
    const { authenticatorData, clientDataJSON, signature } = response
    return {
      salt: brought.salt,
      signed: { key: keyIdOf(id), at: brought.at, authenticatorData, clientDataJSON, signature },
    }
  }
}

/**
 * Without those that somebody took away in the record, as when one is lost: an act by them would count as
 * signed by a stranger.
 */
async function signingKeysOf(
  at: Connection,
  store: Kysely<PortalDb>,
  person: BeingName,
): Promise<readonly SigningKey[]> {
  const [recorded, own] = await Promise.all([
    passkeysOf(at, person),
    store
      .selectFrom('passkey')
      .select(['id', 'site', 'transports'])
      .where('being', '=', person)
      .where('signs', '=', true)
      .execute(),
  ])
  return own.filter(({ id }) => recorded.includes(keyIdOf(id)))
}

function readHeader(header: string | undefined): SignedForm | null {
  if (header === undefined) return null
  try {
    return signedForm.parse(JSON.parse(Buffer.from(header, 'base64url').toString('utf8')))
  } catch {
    throw new TreeosError('INVALID_INPUT', `the header ${SIGNED_HEADER} is not the assertion of a passkey`)
  }
}

async function askToSign(
  reality: string,
  asked: ActToSign,
  { own, site: { name } }: { readonly own: readonly SigningKey[]; readonly site: Site },
): Promise<TreeosError> {
  const here = own.filter(({ site }) => site === name)
  if (here.length === 0) {
    const sites = [...new Set(own.map(({ site }) => site))].join(', ')
    throw signingRefusal(`you sign what you do by a passkey of ${sites}: open the portal there`, {
      reason: 'no-passkey',
    })
  }
  const once = { salt: randomBytes(32).toString('hex'), at: Date.now() }
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  const { extensions: _, ...options } = await generateAuthenticationOptions({
    rpID: name,
    challenge: base64urlBytes(actChallenge(reality, asked, once)),
    allowCredentials: here.map(({ id, transports }) => ({ id, transports: known(transports) })),
    timeout: FRESH_MS,
    userVerification: 'required',
  })
  return signingRefusal('sign this with your passkey', { reason: 'sign', ...once, options: asJson(options) })
}

/** @throws {TreeosError} FORBIDDEN for an assertion of something else, or by another passkey */
async function requireAssertion(
  store: Kysely<PortalDb>,
  {
    person,
    site,
    challenge,
  }: { readonly person: BeingName; readonly site: Site; readonly challenge: string },
  { response }: SignedForm,
): Promise<void> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  await store.transaction().execute(async (tx) => {
    const passkey = await tx
      .selectFrom('passkey')
      .select(['id', 'public_key', 'counter'])
      .where('id', '=', response.id)
      .where('being', '=', person)
      .forUpdate() // two assertions at once may bring the same counter
      .executeTakeFirst()
    if (passkey === undefined)
      throw signingRefusal('you do not sign by this passkey', { reason: 'no-passkey' })
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.name,
      requireUserVerification: true,
      credential: {
        id: passkey.id,
        publicKey: new Uint8Array(passkey.public_key),
        counter: Number(passkey.counter),
      },
    }).catch((error: unknown) => {
      throw signingRefusal('the passkey signed something else, or not here', { reason: 'not-signed' }, error)
    })
    if (!verified)
      throw signingRefusal('the signature of the passkey does not hold', { reason: 'not-signed' })
    await tx
      .updateTable('passkey')
      .set({ counter: authenticationInfo.newCounter, used_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', passkey.id)
      .execute()
  })
}

/**
 * Lets a passkey sign the acts of its person from now on, or no more. Its public key is a fact of the
 * person's own, so whoever checks a record knows it.
 * @throws {TreeosError} INVALID_INPUT for a passkey that the person does not have, or whose kind cannot be
 *   checked
 */
export async function setSigning(
  at: Connection,
  store: Kysely<PortalDb>,
  { person, id, signs }: { readonly person: BeingName; readonly id: string; readonly signs: boolean },
): Promise<void> {
  const passkey = await store
    .selectFrom('passkey')
    .select(['site', 'public_key'])
    .where('id', '=', id)
    .where('being', '=', person)
    .executeTakeFirst()
  if (passkey === undefined) throw new TreeosError('INVALID_INPUT', 'you have no such passkey')
  const value = signs ? { site: passkey.site, publicKey: await jwkOf(passkey.public_key) } : null
  const args = { field: `passkeys.${keyIdOf(id)}`, value }
  await act(at, person, parseCall({ verb: 'do', operation: 'set-being', target: stanceOf(person), args }))
  await store.updateTable('passkey').set({ signs }).where('id', '=', id).where('being', '=', person).execute()
}

/** @throws {TreeosError} INVALID_INPUT for a key of RSA */
async function jwkOf(publicKey: Buffer): Promise<Json> {
  const { cose, decodeCredentialPublicKey } = await import('@simplewebauthn/server/helpers')
  const key = decodeCredentialPublicKey(new Uint8Array(publicKey))
  const coded = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
  if (cose.isCOSEPublicKeyEC2(key)) {
    const [x, y] = [key.get(cose.COSEKEYS.x), key.get(cose.COSEKEYS.y)]
    if (x && y && key.get(cose.COSEKEYS.crv) === cose.COSECRV.P256)
      return { kty: 'EC', crv: 'P-256', x: coded(x), y: coded(y) }
  }
  if (cose.isCOSEPublicKeyOKP(key)) {
    const x = key.get(cose.COSEKEYS.x)
    if (x) return { kty: 'OKP', crv: 'Ed25519', x: coded(x) }
  }
  throw new TreeosError('INVALID_INPUT', 'this passkey signs by RSA: acts are signed by ES256 or EdDSA')
}
