import type { BeingView, RoleView } from '@treeos/client'
import {
  type BeingName,
  canonicalJson,
  isJsonObject,
  type Json,
  parseCall,
  type RoleName,
  TreeosError,
  unknownRole,
  type VerbCall,
} from '@treeos/core'

/** How the world is read and changed. */
interface RoleWorld {
  readonly act: (call: VerbCall) => Promise<unknown>
  readonly roles: () => Promise<readonly RoleView[]>
  readonly beings: () => Promise<readonly BeingView[]>
  readonly flowOf: (being: BeingName) => Promise<Json>
}

/** A role that has another name now. */
interface RenamedRole {
  readonly from: RoleName
  readonly to: RoleName
  /** stances of those that were changed */
  readonly beings: readonly string[]
}

/** Where the author of a role is no extension. */
const LIVE = 'live'
/** What a role has beside what its author wrote. */
const DERIVED: readonly string[] = ['name', 'origin', 'digest', 'usedBy', 'permissions']

const writtenIn = (role: RoleView): object =>
  Object.fromEntries(Object.entries(role).filter(([field]) => !DERIVED.includes(field)))

/**
 * Gives a role another name, by an act for each change: first the role with its new name, then whoever names
 * the old one, and last the old one goes. What failed half-way is finished by the same again.
 * @throws {TreeosError} ROLE_UNAVAILABLE; RESOURCE_CONFLICT where another role has the new name, or an
 *   extension brings the old one; the refusal of an act
 */
export async function renameRole(
  { from, to }: { readonly from: RoleName; readonly to: RoleName },
  { act, roles, beings, flowOf }: RoleWorld,
): Promise<RenamedRole> {
  const all = await roles()
  const [old, taken] = [from, to].map((name) => all.find((role) => role.name === name))
  if (old === undefined) throw unknownRole(from)
  if (from === to) throw new TreeosError('INVALID_INPUT', `${from} has this name already`)
  if (old.origin !== LIVE)
    throw new TreeosError('RESOURCE_CONFLICT', `role ${from} belongs to ${old.origin}, which names it`)
  const written = writtenIn(old)
  if (taken !== undefined && canonicalJson(writtenIn(taken) as Json) !== canonicalJson(written as Json))
    throw new TreeosError('RESOURCE_CONFLICT', `another role has the name ${to}`)
  const on = (target: string, operation: string, args: object) =>
    act(parseCall({ verb: 'do', target, operation, args }))
  if (taken === undefined) await on('/', 'set-role', { role: { ...written, name: to } })
  const defaults = new Map((await beings()).map(({ stance, defaultRole }) => [stance, defaultRole]))
  for (const stance of old.usedBy) {
    const flow = await flowOf(stance.slice(1))
    const changed = renamedIn(flow, from, to)
    if (canonicalJson(changed) !== canonicalJson(flow)) await on(stance, 'set-roleflow', { flow: changed })
    if (defaults.get(stance) === from) await on(stance, 'set-default-role', { role: to })
  }
  await on('/', 'delete-role', { name: from })
  return { from, to, beings: old.usedBy }
}

/** The same clauses, with another role where they give this one. */
const renamedIn = (flow: Json, from: RoleName, to: RoleName): Json =>
  Array.isArray(flow)
    ? flow.map((clause) => (isJsonObject(clause) && clause.role === from ? { ...clause, role: to } : clause))
    : flow
