import { isKey, type Json, type JsonObject, quote, readPath, stanceOf, TreeosError } from '@treeos/core'
import { type Db, listRows } from '@treeos/store'
import { OPERATOR, type Registry, seed, type WorldRow } from '@treeos/world'

/** Who publishes signals in a namespace. */
export interface NamespaceView {
  readonly namespace: string
  /** stance of the being that owns it; null while nobody does */
  readonly owner: string | null
  /** stances of those to whom it is granted */
  readonly publishers: readonly string[]
  /** true for a namespace of an extension or of TreeOS: no being can take it */
  readonly reserved: boolean
}

/**
 * Published values, nested by their keys: of all namespaces, of one, or below a key. Any flow may read them,
 * so they are open to all.
 * @returns null where nothing is published
 */
export async function readSignals(db: Db, keys: readonly string[]): Promise<Json> {
  const all: JsonObject = Object.fromEntries(
    (await worldRows(db)).map(({ namespace, values }) => [namespace, values]),
  )
  return readPath(all, keys) ?? null
}

/**
 * Namespaces of signals with their owners: those in use, and those of the loaded extensions.
 * @param namespace the only one to show, in use or not; null for all
 * @throws {TreeosError} INVALID_INPUT for a text that is not a namespace
 */
export async function namespaces(
  { db, registry }: { readonly db: Db; readonly registry: Registry },
  namespace: string | null,
): Promise<NamespaceView[]> {
  if (namespace !== null && !isKey(namespace))
    throw new TreeosError(
      'INVALID_INPUT',
      `namespace ${quote(namespace)} is not valid: it is one kebab-case word, as in weather`,
    )
  const worlds = new Map((await worldRows(db)).map((row) => [row.namespace, row] as const))
  const extensions = registry.extensions.map(({ name }) => name).filter((name) => name !== seed.name)
  const names = namespace === null ? [...new Set([...worlds.keys(), ...extensions])].sort() : [namespace]
  return names.map((name) => {
    const row = worlds.get(name)
    const reserved = registry.known.namespaces.includes(name)
    const owner = reserved ? OPERATOR : (row?.owner ?? null)
    return {
      namespace: name,
      owner: owner === null ? null : stanceOf(owner),
      publishers: (row?.publishers ?? []).map(stanceOf),
      reserved,
    }
  })
}

const worldRows = async (db: Db): Promise<WorldRow[]> =>
  (await listRows(db, 'world:')).map(({ state }) => state as unknown as WorldRow)
