import { type JsonObject, quote, TreeosError } from '@treeos/core'
import { listWorkers, type SealingArguments } from '@treeos/store'
import type { Operation, Registry } from '@treeos/world'
import type { OpenReality } from './open-reality.ts'

/** What is asked of operations where texts are sealed, by their names. */
export type SealingOperations = ReadonlyMap<string, Pick<Operation, 'seals' | 'args'>>

type SealingRegistry = Pick<Registry, 'operations' | 'extensions'>

/**
 * What the operations of an extension seal and take, for processes that have not loaded it; empty where none of
 * them seals anything.
 */
export function sealingCodeOf(
  { operations }: Pick<Registry, 'operations'>,
  extension: string,
): Readonly<Record<string, SealingArguments>> {
  const own = [...operations].filter(([, { origin }]) => origin === extension)
  if (own.every(([, { seals }]) => seals === undefined)) return {}
  return Object.fromEntries(
    own.map(([name, { seals = [], args }]) => [name, { seals: [...seals], takes: Object.keys(args) }]),
  )
}

/**
 * Merges the operations loaded here with those of the same extension that living workers have loaded, perhaps
 * in another version. An argument that any of them seals counts as sealed.
 * @param given arguments of a call of the operation
 * @throws {TreeosError} SERVICE_UNAVAILABLE where neither knows the extension: its arguments would be kept in
 *   clear
 */
export async function requireSealingOperations(
  { db, registry }: Pick<OpenReality, 'db'> & { readonly registry: SealingRegistry },
  operation: string,
  given: JsonObject,
): Promise<SealingOperations> {
  const [extension = '', ...rest] = operation.split(':')
  if (rest.length === 0 || Object.keys(given).length === 0) return registry.operations
  const told = (await listWorkers(db)).flatMap(({ codes }) => {
    const sealing = codes[extension]?.sealing
    return sealing === undefined ? [] : [sealing]
  })
  if (told.length === 0 && !registry.extensions.some(({ name }) => name === extension))
    throw new TreeosError(
      'SERVICE_UNAVAILABLE',
      `no extension ${quote(extension)} is loaded here or by a living worker, so nobody knows which texts ${quote(operation)} seals: ` +
        'start a worker that loads it, or name it in TREEOS_EXTENSIONS',
    )
  return told.reduce<SealingOperations>(withSealing, registry.operations)
}

/** Whether an operation seals anything, as it is loaded here or by a living worker. */
export async function isAnythingSealed({
  db,
  registry,
}: Pick<OpenReality, 'db'> & { readonly registry: SealingRegistry }): Promise<boolean> {
  if ([...registry.operations.values()].some(({ seals }) => seals !== undefined)) return true
  return (await listWorkers(db)).some(({ codes }) =>
    Object.values(codes).some(({ sealing }) => Object.keys(sealing ?? {}).length > 0),
  )
}

/** Adds what a worker says. */
function withSealing(
  known: SealingOperations,
  told: Readonly<Record<string, SealingArguments>>,
): SealingOperations {
  const added = Object.entries(told).map(([name, { seals, takes }]) => {
    const here = known.get(name)
    const all = [...new Set([...(here?.seals ?? []), ...seals])]
    const args = { ...Object.fromEntries(takes.map((one) => [one, ''])), ...here?.args }
    return [name, { args, ...(all.length === 0 ? {} : { seals: all }) }] as const
  })
  return new Map([...known, ...added])
}
