import type { BeingName } from '@treeos/core'
import type { Db } from '../sql/database.ts'

/** A being that another one made. */
export interface Child {
  readonly child: BeingName
  readonly parent: BeingName
  /** of its profile; `generalist` for a child without one */
  readonly role: string
  /** how far it has come; null for a child without a profile */
  readonly state: string | null
  readonly asleep: boolean
}

/** Children of a parent, or with a role, or both, sorted by name; all of them when neither is given. */
export function listChildren(
  db: Db,
  { parent, role }: { readonly parent?: BeingName; readonly role?: string } = {},
): Promise<Child[]> {
  return db
    .selectFrom('children')
    .selectAll()
    .$if(parent !== undefined, (query) => query.where('parent', '=', String(parent)))
    .$if(role !== undefined, (query) => query.where('role', '=', String(role)))
    .orderBy('child')
    .execute()
}
