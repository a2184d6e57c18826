import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { quote, TreeosError } from '@treeos/core'

const PASSWORD_CHARS_MIN = 12
const PASSWORD_CHARS_MAX = 256

/** One hash takes 128 MiB and about a third of a second. */
const COST = { logN: 17, r: 8, p: 1 }
const KEY_BYTES = 32
const SALT_BYTES = 16
/** Hashes at once: they take memory that nobody has proven a right to. */
const AT_ONCE = 2
const WAITING_MAX = 16

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** @throws {TreeosError} INVALID_INPUT for one that is too short or too long */
export async function hashPassword(password: string): Promise<string> {
  const { length } = [...password]
  if (length < PASSWORD_CHARS_MIN || length > PASSWORD_CHARS_MAX)
    throw new TreeosError(
      'INVALID_INPUT',
      `the password has ${length} characters; it takes ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX}`,
    )
  const salt = randomBytes(SALT_BYTES)
  const key = await keyOf(password, salt, COST)
  return ['scrypt', COST.logN, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join(
    '$',
  )
}

/** @param stored null for a person without an account: takes as long, and is never right */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [scheme, logN, r, p, salt = '', key = ''] = (stored ?? NOBODYS).split('$')
  if (scheme !== 'scrypt') throw new Error(`a password is stored by the unknown scheme ${quote(scheme)}`)
  const expected = Buffer.from(key, 'base64url')
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) }
  const found = await keyOf(password.slice(0, PASSWORD_CHARS_MAX), Buffer.from(salt, 'base64url'), cost)
  return timingSafeEqual(found, expected) && stored !== null
}

const NOBODYS = `scrypt$${COST.logN}$${COST.r}$${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`

let working = 0
const waiting: (() => void)[] = []

async function keyOf(password: string, salt: Buffer, { logN, r, p }: typeof COST): Promise<Buffer> {
  await turn()
  try {
    const options = { N: 2 ** logN, r, p, maxmem: 256 * 1024 * 1024 }
    // NFC: keyboards differ in how they compose a letter.
    return await derive(password.normalize('NFC'), salt, KEY_BYTES, options)
  } finally {
    const next = waiting.shift()
    if (next === undefined) working--
    else next()
  }
}

/** @throws {TreeosError} RATE_LIMITED when too many wait */
async function turn(): Promise<void> {
  if (working < AT_ONCE) {
    working++
    return
  }
  if (waiting.length >= WAITING_MAX)
    throw new TreeosError('RATE_LIMITED', 'too many people sign in at once: try again in a few seconds')
  await new Promise<void>((resolve) => waiting.push(resolve))
}
