/**
 * Opens the reality of an instance for a command. What that needs is loaded only then, so that
 * `treeos --help` is quick.
 */
import { type BeingName, didYouMean, stanceOf, TreeosError } from '@treeos/core'
import type { BeingRow, Registry } from '@treeos/world'
import type { InstanceOptions } from '../cli.ts'
import { requireStance } from '../text/input.ts'
import type { LiveConnection, ReadConnection } from './connection.ts'

export type Client = typeof import('@treeos/client')
type Records = typeof import('@treeos/client/records')

/** @param use with what of `@treeos/client` needs Postgres alone */
export async function withReality<T>(
  options: InstanceOptions,
  use: (at: ReadConnection, client: Records) => Promise<T>,
): Promise<T> {
  const [{ openReality }, client] = await Promise.all([
    import('./connection.ts'),
    import('@treeos/client/records'),
  ])
  return openReality(options, (at) => use(at, client))
}

/** The same, with all that the code of this instance's worker registers. */
export async function withRegistry<T>(
  options: InstanceOptions,
  use: (at: ReadConnection & { readonly registry: Registry }, client: Records) => Promise<T>,
): Promise<T> {
  const { loadedRegistry } = await import('./connection.ts')
  const registry = await loadedRegistry(options)
  return withReality(options, (at, client) => use({ ...at, registry }, client))
}

/** With a connection to Temporal too. */
export async function withServices<T>(
  options: InstanceOptions,
  use: (at: LiveConnection, client: Client) => Promise<T>,
): Promise<T> {
  const [{ openServices }, client] = await Promise.all([import('./connection.ts'), import('@treeos/client')])
  return openServices(options, (at) => use(at, client))
}

/** @throws {TreeosError} BEING_NOT_FOUND */
export async function requireLivingBeing(at: ReadConnection, being: BeingName): Promise<BeingRow> {
  const { findBeing } = await import('@treeos/reality')
  const row = await findBeing(at, being)
  if (row !== null) return row
  const { beings } = await import('@treeos/client')
  const near = didYouMean(
    stanceOf(being),
    (await beings(at.db)).map(({ stance }) => stance),
  )
  const why = `no being ${stanceOf(being)} lives in this reality; \`treeos beings\` lists them${near}`
  throw new TreeosError('BEING_NOT_FOUND', why)
}

/**
 * Opens the reality for a command about one being.
 * @throws {TreeosError} ADDRESS_PARSE_ERROR, BEING_NOT_FOUND
 */
export async function withBeing<T>(
  options: InstanceOptions,
  stance: string,
  use: (at: ReadConnection, being: BeingName, client: Records) => Promise<T>,
): Promise<T> {
  const being = requireStance(stance)
  return withReality(options, async (at, client) => {
    await requireLivingBeing(at, being)
    return use(at, being, client)
  })
}
