import {
  type BeingName,
  type Cognition,
  fromJson,
  type Json,
  type SpacePath,
  stanceOf,
  type Verb,
} from '@treeos/core'
import { permissionsOf, type RoleSpec } from '@treeos/roles'
import type { Operation } from '../extend/extension.ts'
import type { Registry } from '../extend/registry.ts'
import { ROLE_MANAGER } from '../extend/substrate.ts'
import type { OperationTarget } from '../read/target.ts'
import { isMarked } from '../rows/origin.ts'
import type { RoleRow } from '../rows/rows.ts'

/** What authors of roles and flows choose from. SEE of the role manager shows it. */
export interface Catalogs extends Choices {
  /** stances of all beings, paths of all spaces */
  readonly addresses: readonly string[]
}

/** Catalogs without the addresses, of which there may be very many. */
export interface Choices {
  readonly roles: readonly RoleEntry[]
  readonly operations: readonly OperationEntry[]
  readonly beOps: readonly OperationEntry[]
}

export interface RoleEntry {
  readonly name: string
  readonly origin: string
  readonly description: string
  readonly requiredCognition: Cognition | null
  readonly permissions: readonly Verb[]
  /** its words came from outside, and nobody vouched for them */
  readonly outside?: true
}

export interface OperationEntry {
  readonly name: string
  readonly description: string
  readonly targets: Operation['targets']
  readonly args: Operation['args']
}

/**
 * The rows that catalogs are made from. These reads are not part of a moment's basis, so who shows them says
 * where their words come from.
 */
export interface CatalogRows {
  /** states of all rows whose key has this prefix, sorted by key */
  states(kind: 'role:'): Promise<readonly Json[]>
  /** names of all living beings and paths of all spaces, sorted */
  addresses(): Promise<{ readonly beings: readonly BeingName[]; readonly spaces: readonly SpacePath[] }>
  blob(digest: string): Promise<Json | null>
}

export const publishesCatalogs = (target: OperationTarget): boolean =>
  target.kind === 'being' && target.being.cognition.script === ROLE_MANAGER

type CatalogOperations = Pick<Registry, 'operations' | 'beOperations'>

export async function catalogsOf(registry: CatalogOperations, rows: CatalogRows): Promise<Catalogs> {
  const [{ roles, operations, beOps }, { beings, spaces }] = await Promise.all([
    choicesOf(registry, rows),
    rows.addresses(),
  ])
  return { roles, addresses: [...beings.map(stanceOf), ...spaces], operations, beOps }
}

export async function choicesOf(
  registry: CatalogOperations,
  rows: Pick<CatalogRows, 'states' | 'blob'>,
): Promise<Choices> {
  const roles = await rows.states('role:')
  const standing = roles.map((state) => fromJson<RoleRow>(state)).filter((role) => !role.deleted)
  return {
    roles: await Promise.all(standing.map((role) => roleEntry(role, rows))),
    operations: [...registry.operations.values()].map(operationEntry),
    beOps: [...registry.beOperations.values()].map(operationEntry),
  }
}

async function roleEntry(role: RoleRow, rows: Pick<CatalogRows, 'blob'>): Promise<RoleEntry> {
  const spec = fromJson<RoleSpec | null>(await rows.blob(role.digest))
  return {
    name: role.name,
    origin: role.origin,
    description: spec?.description ?? '',
    requiredCognition: role.requiredCognition,
    permissions: spec === null ? [] : permissionsOf(spec),
    ...(isMarked(role) ? { outside: true } : {}),
  }
}

const operationEntry = ({ name, description, targets, args }: Operation): OperationEntry => ({
  name,
  description,
  targets,
  args,
})
