import { masked, readThrown, TreeosError } from '@treeos/core'

/**
 * The values of the secrets that an effect names.
 * @throws {TreeosError} FORBIDDEN naming those that this worker does not have
 */
export function takeSecrets(
  names: readonly string[],
  secret: (name: string) => string | null,
): Record<string, string> {
  const found = names.map((name) => [name, secret(name)] as const)
  const missing = found.filter(([, value]) => value === null || value === '').map(([name]) => name)
  if (missing.length > 0)
    throw new TreeosError(
      'FORBIDDEN',
      `this worker has no secret ${missing.join(', ')}: the operator has to set it`,
    )
  return Object.fromEntries(found.map(([name, value]) => [name, value ?? '']))
}

/** A shorter value would be found in bytes that do not hold it. */
const FOUND_CHARS_MIN = 4

/**
 * The name of a secret whose value bytes hold, as UTF-8 or UTF-16; null where they hold none. Bytes cannot be
 * masked, since a file is known by its digest.
 */
export function secretIn(bytes: Uint8Array, secrets: Readonly<Record<string, string>>): string | null {
  const held = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isHeld = (secret: string) =>
    (['utf8', 'utf16le'] as const).some((encoding) => held.includes(Buffer.from(secret, encoding)))
  const found = Object.entries(secrets).find(
    ([, secret]) => secret.length >= FOUND_CHARS_MIN && isHeld(secret),
  )
  return found?.[0] ?? null
}

/** The same error without the values of secrets, and without causes, which may hold them anywhere. */
export function withoutSecrets(error: unknown, secrets: Readonly<Record<string, string>>): unknown {
  if (Object.keys(secrets).length === 0) return error
  return readThrown(() => {
    if (!(error instanceof Error)) return new Error(masked(String(error), secrets))
    const message = masked(messageWithCause(error), secrets)
    if (error instanceof TreeosError) return new TreeosError(error.code, message)
    const plain = new Error(message)
    plain.name = error.name
    plain.stack = masked(error.stack ?? '', secrets)
    return plain
  }, new Error('an error that cannot be read'))
}

const messageWithCause = ({ message, cause }: Error): string =>
  cause instanceof Error ? `${message}: ${cause.message}` : message
