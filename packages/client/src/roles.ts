import type { Db } from '@treeos/chain'
import { stanceOf } from '@treeos/core'
import { listRowsOf, readSpec } from '@treeos/reality'
import { type CompleteRole, withDefaults } from '@treeos/roles'
import type { BeingRow } from '@treeos/world'

/** A role with everything that its author left out, where it came from and who could wear it. */
export type RoleView = CompleteRole & {
  readonly origin: string
  readonly digest: string
  /** stances whose flow or default names it */
  readonly usedBy: readonly string[]
}

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
