import { isJsonObject, type Json } from '@treeos/core'
import { listRowsOf } from '@treeos/reality'
import { type Lint, lintFlow, lintRole, type RoleTable } from '@treeos/roles'
import { type Db, listRows } from '@treeos/store'
import type { Registry, RoleRow, WorldRow } from '@treeos/world'

/** All registered roles, for a lint. */
export async function registeredRoles(db: Db): Promise<RoleTable> {
  const rows = (await listRowsOf(db, 'role:')).map(({ row }) => row as RoleRow)
  return new Map(rows.filter((row) => !row.deleted).map((row) => [row.name, row]))
}

/** Checks a role as `set-role` does, and warns of names that nothing here brings. Writes nothing. */
export function checkRole(registry: Registry, role: unknown): Lint {
  const known = {
    canDo: [...registry.operations.keys()],
    canBe: [...registry.beOperations.keys()],
    see: [...registry.see.keys()],
    tokens: {
      rel: [...registry.relations.keys()],
      resolver: [...registry.resolvers.keys()],
      kind: [...registry.patterns.keys()],
    },
  }
  return lintRole(role, { known })
}

/**
 * Checks a flow as `set-roleflow` does, against the registered roles and the signals that are published or
 * declared. Writes nothing. What it tells of roles and signals every author of a flow learns from
 * `set-roleflow` too.
 */
export async function checkFlow(
  { db, registry }: { readonly db: Db; readonly registry: Registry },
  flow: unknown,
): Promise<Lint> {
  const [roles, worlds] = await Promise.all([registeredRoles(db), listRows(db, 'world:')])
  const published = worlds.flatMap(({ state }) => {
    const { namespace, values } = state as unknown as WorldRow
    return pathsIn(`world.${namespace}`, values)
  })
  const declared = [...registry.signals].flatMap(([name, keys]) => keys.map((key) => `world.${name}.${key}`))
  return lintFlow(flow, { roles, published: [...published, ...declared] })
}

/** The dotted paths of all values within a value. */
function pathsIn(path: string, value: Json): string[] {
  if (!isJsonObject(value)) return [path]
  return Object.entries(value).flatMap(([key, below]) => pathsIn(`${path}.${key}`, below))
}
