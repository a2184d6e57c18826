import { seed } from '@treeos/world'
import type { InstanceOptions } from '../cli.ts'
import { loadedExtensions } from './connection.ts'

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
export async function listExtensions(options: InstanceOptions): Promise<ExtensionView[]> {
  return [seed, ...(await loadedExtensions(options))].map((extension) => ({
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
