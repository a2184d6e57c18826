import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { type BeingName, quote, stanceOf, TreeosError } from '@treeos/core'
import { type Kysely, sql } from 'kysely'
import type { PortalDb } from '../store/schema.ts'
import { beginAttempt, derive, NOBODY, takeAttempt } from './attempts.ts'
import type { GiveWay } from './links.ts'

const PASSKEYS_MAX = 20
const HANDLE_BYTES = 32
const TIMEOUT_MS = 5 * 60_000
/** Ed25519, P-256 and RSA, as COSE numbers them: every authenticator has one of them. */
const ALGORITHMS = [-8, -7, -257]

/** Where a browser asks: a passkey of one site opens no other one. */
export interface Site {
  /** scheme, name and port, as the browser says */
  readonly origin: string
  /** the name alone */
  readonly name: string
}

/** @throws {TreeosError} INVALID_INPUT for an address, since passkeys belong to names */
export function siteOf(origin: string): Site {
  const name = URL.parse(origin)?.hostname ?? ''
  if (name === '' || isIP(name.replace(/^\[|\]$/g, '')) !== 0)
    throw new TreeosError(
      'INVALID_INPUT',
      `passkeys need a name, and ${quote(name)} is an address: open the portal as localhost, or by its name`,
    )
  return { origin, name }
}

/** What the page needs to ask an authenticator, and the secret by which it answers, once. */
export interface PasskeyChallenge<Options> {
  readonly attempt: string
  readonly options: Options
}

/**
 * Begins to make a passkey for a person.
 * @param bound the session or the link that it belongs to
 * @param name what the person calls it
 * @throws {TreeosError} RESOURCE_CONFLICT when the person has too many
 */
export async function askForPasskey(
  db: Kysely<PortalDb>,
  { being, bound, name, reality }: { being: BeingName; bound: string; name: string; reality: string },
  site: Site,
): Promise<PasskeyChallenge<Omit<PublicKeyCredentialCreationOptionsJSON, 'extensions'>>> {
  const own = await db
    .selectFrom('passkey')
    .select(['id', 'transports', 'user_handle'])
    .where('being', '=', being)
    .execute()
  if (own.length >= PASSKEYS_MAX)
    throw new TreeosError('RESOURCE_CONFLICT', `you have ${PASSKEYS_MAX} passkeys: remove one first`)
  const userHandle = own[0]?.user_handle ?? randomBytes(HANDLE_BYTES)
  const attempt = await beginAttempt(db, { kind: 'passkey-add', bound, userHandle, name })
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  const { extensions: _, ...options } = await generateRegistrationOptions({
    rpName: `TreeOS ${reality}`,
    rpID: site.name,
    userName: stanceOf(being),
    userDisplayName: stanceOf(being),
    userID: new Uint8Array(userHandle),
    challenge: base64urlBytes(derive(attempt, 'challenge')),
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    excludeCredentials: own.map(({ id, transports }) => ({ id, transports: known(transports) })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
  return { attempt, options }
}

/**
 * Checks a new passkey.
 * @returns puts it into the table
 * @throws {TreeosError} UNAUTHORIZED for another challenge, origin or site, for one without a check of its
 *   person, and for an attempt that was taken before
 */
export async function checkNewPasskey(
  db: Kysely<PortalDb>,
  { attempt, bound, response }: { attempt: string; bound: string; response: RegistrationResponseJSON },
  site: Site,
): Promise<GiveWay> {
  const { userHandle, name } = await takeAttempt(db, attempt, { kind: 'passkey-add', bound })
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: derive(attempt, 'challenge'),
    expectedOrigin: site.origin,
    expectedRPID: site.name,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(throwPasskeyRefusal)
  if (registrationInfo === undefined || userHandle === null) throw unverified()
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential
  return async (tx, being) => {
    const added = await tx
      .insertInto('passkey')
      .values({
        id,
        being,
        site: site.name,
        user_handle: userHandle,
        name: name ?? 'passkey',
        public_key: Buffer.from(publicKey),
        counter,
        transports: known(transports),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (added === undefined) throw new TreeosError('RESOURCE_CONFLICT', 'this passkey is known already')
  }
}

/** Begins to sign in by any passkey of this site. */
export async function askWhosePasskey(
  db: Kysely<PortalDb>,
  site: Site,
): Promise<PasskeyChallenge<Omit<PublicKeyCredentialRequestOptionsJSON, 'extensions'>>> {
  const attempt = await beginAttempt(db, { kind: 'passkey-sign-in', bound: NOBODY })
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  const { extensions: _, ...options } = await generateAuthenticationOptions({
    rpID: site.name,
    challenge: base64urlBytes(derive(attempt, 'challenge')),
    timeout: TIMEOUT_MS,
    userVerification: 'required',
  })
  return { attempt, options }
}

/**
 * Finds whose passkey answered.
 * @throws {TreeosError} UNAUTHORIZED for an unknown passkey, another challenge, origin or site, a wrong
 *   signature, a counter that went back, one without a check of its person, and for an attempt that was taken
 *   before
 */
export async function checkPasskey(
  db: Kysely<PortalDb>,
  { attempt, response }: { attempt: string; response: AuthenticationResponseJSON },
  site: Site,
): Promise<BeingName> {
  await takeAttempt(db, attempt, { kind: 'passkey-sign-in', bound: NOBODY })
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  return db.transaction().execute(async (tx) => {
    const passkey = await tx
      .selectFrom('passkey')
      .select(['id', 'being', 'user_handle', 'public_key', 'counter', 'transports'])
      .where('id', '=', response.id)
      .where('site', '=', site.name)
      .forUpdate() // two answers at once may bring the same counter
      .executeTakeFirst()
    if (passkey === undefined)
      throw new TreeosError('UNAUTHORIZED', 'this passkey is not known here: it may have been removed')
    const { id, being, user_handle, public_key, counter, transports } = passkey
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: derive(attempt, 'challenge'),
      expectedOrigin: site.origin,
      expectedRPID: site.name,
      requireUserVerification: true,
      credential: {
        id,
        publicKey: new Uint8Array(public_key),
        counter: Number(counter),
        transports: known(transports),
      },
    }).catch(throwPasskeyRefusal)
    if (!verified || response.response.userHandle !== user_handle.toString('base64url')) throw unverified()
    await tx
      .updateTable('passkey')
      .set({ counter: authenticationInfo.newCounter, used_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .execute()
    return being
  })
}

export const base64urlBytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))

const TRANSPORTS = new Set(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'])
/** What a browser says of transports is only a hint, and any text. */
export const known = (transports: readonly string[]): AuthenticatorTransport[] =>
  transports.filter((one): one is AuthenticatorTransport => TRANSPORTS.has(one))

/** The library tells what was not as expected. */
function throwPasskeyRefusal(error: unknown): never {
  const why = error instanceof Error ? error.message : String(error)
  throw new TreeosError('UNAUTHORIZED', `the passkey was refused: ${quote(why)}`, undefined, { cause: error })
}

const unverified = () => new TreeosError('UNAUTHORIZED', 'the passkey was refused: it proves nothing')
