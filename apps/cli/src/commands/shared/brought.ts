import { setTimeout as sleep } from 'node:timers/promises'
import {
  type NamespaceView,
  namespaces,
  type RoleView,
  registeredRoles,
  roles,
  signals,
} from '@treeos/client/records'
import { type BeingName, type Json, type JsonObject, stanceOf, TreeosError } from '@treeos/core'
import type { RoleTable } from '@treeos/roles'
import { readRows } from '@treeos/store'
import { type BeingRow, beingKey, rolesNamed, seed } from '@treeos/world'
import type { InstanceOptions } from '../../cli.ts'
import { loadedRegistry, type ReadConnection, withReality } from '../../instance/connection.ts'

/** How long a lint waits for the roles of the instance. */
const REACH_MS = 2_000

/** @throws {TreeosError} BEING_NOT_FOUND */
export async function requireBeing(at: ReadConnection, being: BeingName): Promise<BeingRow> {
  const [row] = await readRows(at.db, at.reality.id, [beingKey(being)])
  if (row?.state != null) return row.state as unknown as BeingRow
  throw new TreeosError(
    'BEING_NOT_FOUND',
    `no being ${stanceOf(being)} lives in this reality; \`treeos beings\` lists them`,
  )
}

export const listRoles = (options: InstanceOptions): Promise<RoleView[]> =>
  withReality(options, ({ db }) => roles(db, rolesNamed))

/** @throws {TreeosError} ROLE_UNAVAILABLE */
export async function findRole(options: InstanceOptions, name: string): Promise<RoleView> {
  const found = (await listRoles(options)).find((role) => role.name === name)
  if (found !== undefined) return found
  throw new TreeosError(
    'ROLE_UNAVAILABLE',
    `role ${JSON.stringify(name)} is not registered; \`treeos role list\` shows what is`,
  )
}

/** The clauses of a being; none is an empty list. */
export async function flowOf(options: InstanceOptions, being: BeingName): Promise<Json> {
  const { qualities } = await withReality(options, (at) => requireBeing(at, being))
  return qualities.roleFlow ?? []
}

/** The roles of this instance, for a lint; null when the instance cannot be reached, which is not an error. */
export async function knownRoles(options: InstanceOptions): Promise<RoleTable | null> {
  const reading = withReality(options, ({ db }) => registeredRoles(db))
  return Promise.race([reading.catch(() => null), sleep(REACH_MS, null)])
}

/** @returns null where nothing is published */
export const signalsOf = (options: InstanceOptions, keys: readonly string[]): Promise<Json> =>
  withReality(options, ({ db }) => signals(db, keys))

/** @param namespace the only one to show, in use or not; null for all */
export async function listNamespaces(
  options: InstanceOptions,
  namespace: string | null,
): Promise<NamespaceView[]> {
  const registry = await loadedRegistry()
  return withReality(options, ({ db }) => namespaces({ db, registry }, namespace))
}

export interface ExtensionView {
  readonly name: string
  readonly version: string
  readonly roles: readonly string[]
  readonly operations: readonly string[]
  readonly scripts: readonly string[]
  readonly spaceTypes: readonly string[]
  readonly matterTypes: readonly string[]
  /** with the namespace, as flows read them after `world.` */
  readonly signals: readonly string[]
  /** see-resolvers, and the entries that roles may name */
  readonly see: readonly string[]
  readonly relations: readonly string[]
  readonly patterns: readonly string[]
  readonly resolvers: readonly string[]
  readonly schedules: readonly string[]
  readonly hooks: readonly string[]
  /** `treeos up --demo` plants it */
  readonly demo: boolean
}

/** The extensions that our workers load, after the seed, which every world has. */
export async function listExtensions(): Promise<ExtensionView[]> {
  const { loadExtensions } = await import('@treeos/worker/extensions')
  return [seed, ...(await loadExtensions())].map((extension) => ({
    name: extension.name,
    version: extension.version,
    roles: extension.roles.map((role) => role.spec.name),
    operations: [...extension.operations, ...extension.beOperations].map((operation) => operation.name),
    scripts: Object.keys(extension.scripts),
    spaceTypes: Object.keys(extension.spaceTypes),
    matterTypes: Object.keys(extension.matterTypes),
    signals: Object.keys(extension.signals).map((key) => `${extension.name}.${key}`),
    see: Object.keys(extension.see),
    relations: Object.keys(extension.relations),
    patterns: Object.keys(extension.patterns),
    resolvers: Object.keys(extension.resolvers),
    schedules: Object.keys(extension.schedules),
    hooks: Object.keys(extension.hooks),
    demo: extension.scene.length > 0,
  }))
}

export interface OperationView {
  readonly verb: 'do' | 'be'
  readonly name: string
  readonly origin: string
  readonly description: string
  readonly targets: readonly string[]
  /** relationships of the actor to the target; one suffices where no space has a rule */
  readonly allow: readonly string[]
  readonly args: Readonly<Record<string, string>>
  /** JSON Schema of the arguments, for forms; left out where only `args` describes them */
  readonly schema?: JsonObject
  /** set when it performs an effect outside first: how long one attempt may take, and how many there are */
  readonly effect?: { readonly timeoutSeconds: number; readonly attempts: number }
}

export async function listOperations(): Promise<OperationView[]> {
  const registry = await loadedRegistry()
  const view = (verb: 'do' | 'be', operations: typeof registry.operations): OperationView[] =>
    [...operations.values()].map(({ name, origin, description, targets, allow, args, schema, effect }) => ({
      verb,
      name,
      origin,
      description,
      targets,
      allow,
      args,
      ...(schema === undefined ? {} : { schema }),
      ...(effect === undefined
        ? {}
        : { effect: { timeoutSeconds: effect.timeoutSeconds, attempts: effect.attempts } }),
    }))
  return [...view('do', registry.operations), ...view('be', registry.beOperations)]
}
