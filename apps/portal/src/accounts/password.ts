import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { type BeingName, quote, TreeosError } from '@treeos/core'
import { Turns } from '../edge/turns.ts'

const PASSWORD_CHARS_MIN = 12
const PASSWORD_CHARS_MAX = 256

/** One hash takes 128 MiB and about a third of a second. */
const COST = { logN: 17, r: 8, p: 1 }
const KEY_BYTES = 32
const SALT_BYTES = 16
/**
 * Hashes at once: they take memory that nobody has proven a right to. Strangers take turns by address, and
 * then by the name that they try. One hash is kept for whoever has shown a link, a session or a known
 * browser, so that strangers never make such a person wait.
 */
const TOO_MANY = 'too many people sign in at once: try again in a few seconds'
const strangers = new Turns({ atOnce: 2, atOncePerGroup: 2, waiting: 16, waitingPerGroup: 12 }, TOO_MANY)
const known = new Turns({ atOnce: 1, atOncePerGroup: 1, waiting: 16, waitingPerGroup: 8 }, TOO_MANY)

/**
 * Who asks for a hash: somebody at an address that tries a name, or a person that has shown more than a name.
 */
export type HashRequester =
  | { readonly address: string; readonly name: string }
  | { readonly person: BeingName }

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/**
 * @throws {TreeosError} INVALID_INPUT for one that is too short or too long; RATE_LIMITED when too many wait
 */
export async function hashPassword(person: BeingName, password: string): Promise<string> {
  const { length } = [...password]
  if (length < PASSWORD_CHARS_MIN || length > PASSWORD_CHARS_MAX)
    throw new TreeosError(
      'INVALID_INPUT',
      `the password has ${length} characters; it takes ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX}`,
    )
  const salt = randomBytes(SALT_BYTES)
  const key = await passwordKey({ person }, password, salt, COST)
  return ['scrypt', COST.logN, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join(
    '$',
  )
}

/**
 * @param stored null for a person without an account: takes as long, and is never right
 * @throws {TreeosError} RATE_LIMITED when too many wait
 */
export async function isPassword(
  asker: HashRequester,
  password: string,
  stored: string | null,
): Promise<boolean> {
  const [scheme, logN, r, p, salt = '', key = ''] = (stored ?? NOBODYS).split('$')
  if (scheme !== 'scrypt') throw new Error(`a password is stored by the unknown scheme ${quote(scheme)}`)
  const expected = Buffer.from(key, 'base64url')
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) }
  const found = await passwordKey(
    asker,
    password.slice(0, PASSWORD_CHARS_MAX),
    Buffer.from(salt, 'base64url'),
    cost,
  )
  return timingSafeEqual(found, expected) && stored !== null
}

const NOBODYS = `scrypt$${COST.logN}$${COST.r}$${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`

function passwordKey(
  asker: HashRequester,
  password: string,
  salt: Buffer,
  { logN, r, p }: typeof COST,
): Promise<Buffer> {
  const options = { N: 2 ** logN, r, p, maxmem: 256 * 1024 * 1024 }
  // NFC: keyboards differ in how they compose a letter.
  const work = () => derive(password.normalize('NFC'), salt, KEY_BYTES, options)
  if ('person' in asker) return known.run({ group: asker.person, key: '' }, work)
  return strangers.run({ group: asker.address, key: asker.name }, work)
}
