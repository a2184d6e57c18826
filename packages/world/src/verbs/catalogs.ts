import { type Cognition, fromJson, type Json, stanceOf, type Verb } from '@treeos/core'
import { permissionsOf, type RoleSpec } from '@treeos/roles'
import type { Operation } from '../extend/extension.ts'
import type { Registry } from '../extend/registry.ts'
import { ROLE_MANAGER } from '../extend/substrate.ts'
import type { OperationTarget } from '../read/target.ts'
import type { BeingRow, RoleRow, Row, SpaceRow } from '../rows/rows.ts'

/** What authors of roles and flows choose from. SEE of the role manager shows it. */
export interface Catalogs {
  readonly roles: readonly RoleEntry[]
  /** stances of all beings, paths of all spaces */
  readonly addresses: readonly string[]
  readonly operations: readonly OperationEntry[]
  readonly beOps: readonly OperationEntry[]
}

export interface RoleEntry {
  readonly name: string
  readonly origin: string
  readonly description: string
  readonly requiredCognition: Cognition | null
  readonly permissions: readonly Verb[]
}

export interface OperationEntry {
  readonly name: string
  readonly description: string
  readonly targets: Operation['targets']
  readonly args: Operation['args']
}

/** The rows that catalogs are made from. These reads are no part of a moment's basis. */
export interface CatalogRows {
  /** states of all rows whose key has this prefix, sorted by key */
  states(kind: 'role:' | 'being:' | 'space:'): Promise<readonly Json[]>
  blob(digest: string): Promise<Json | null>
}

export const publishesCatalogs = (target: OperationTarget): boolean =>
  target.kind === 'being' && target.being.cognition.script === ROLE_MANAGER

export async function catalogsOf(
  registry: Pick<Registry, 'operations' | 'beOperations'>,
  rows: CatalogRows,
): Promise<Catalogs> {
  const [roles, beings, spaces] = await Promise.all([
    statesOf<RoleRow>(rows, 'role:'),
    statesOf<BeingRow>(rows, 'being:'),
    statesOf<SpaceRow>(rows, 'space:'),
  ])
  const standing = roles.filter((role) => !role.deleted)
  return {
    roles: await Promise.all(standing.map((role) => roleEntry(role, rows))),
    addresses: [
      ...beings.filter(({ ended }) => ended === undefined).map(({ name }) => stanceOf(name)),
      ...spaces.map(({ path }) => path),
    ],
    operations: [...registry.operations.values()].map(operationEntry),
    beOps: [...registry.beOperations.values()].map(operationEntry),
  }
}

async function statesOf<R extends Row>(
  rows: CatalogRows,
  kind: Parameters<CatalogRows['states']>[0],
): Promise<R[]> {
  return (await rows.states(kind)).map((state) => fromJson<R>(state))
}

async function roleEntry(role: RoleRow, rows: CatalogRows): Promise<RoleEntry> {
  const spec = fromJson<RoleSpec | null>(await rows.blob(role.digest))
  return {
    name: role.name,
    origin: role.origin,
    description: spec?.description ?? '',
    requiredCognition: role.requiredCognition,
    permissions: spec === null ? [] : permissionsOf(spec),
  }
}

const operationEntry = ({ name, description, targets, args }: Operation): OperationEntry => ({
  name,
  description,
  targets,
  args,
})
