import { stanceOf } from '@treeos/core'
import { listRowsOf, readSpec } from '@treeos/reality'
import { type CompleteRole, withDefaults } from '@treeos/roles'
import type { Db } from '@treeos/store'
import type { BeingRow } from '@treeos/world'

/** A registered role with its defaults filled in, its origin, and the beings that may wear it. */
export interface RoleView extends CompleteRole {
  /** name of the extension that brings it; `live` when a being wrote it */
  readonly origin: string
  readonly digest: string
  /** stances of the beings whose flow or default role names it */
  readonly usedBy: readonly string[]
}

/** All registered roles. @param rolesNamed lists the roles that a being's flow and default name */
export async function roles(db: Db, rolesNamed: (being: BeingRow) => readonly string[]): Promise<RoleView[]> {
  const users = new Map<string, string[]>()
  for (const { row: being } of await listRowsOf(db, 'being:')) {
    for (const name of rolesNamed(being)) users.set(name, [...(users.get(name) ?? []), stanceOf(being.name)])
  }
  const rows = (await listRowsOf(db, 'role:')).map(({ row }) => row).filter((row) => !row.deleted)
  return Promise.all(
    rows.map(async ({ name, digest, origin }) => {
      const spec = await readSpec(db, digest)
      if (spec === null) throw new Error(`the spec ${digest} of role ${name} is not stored`)
      return { ...withDefaults(spec), origin, digest, usedBy: users.get(name) ?? [] }
    }),
  )
}
