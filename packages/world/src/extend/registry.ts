import { type RoleName, TreeosError } from '@treeos/core'
import type { Signature } from '@treeos/signature'
import type { OperationForm } from '../gates/require-covered.ts'
import type { Resolvers } from '../read/face.ts'
import type { BirthForm, Extension, Facet, LoadedCode, Operation, Role, Script } from './extension.ts'
import { SUBSTRATE_NAMES } from './substrate.ts'

/** All that the loaded extensions define, by name. */
export interface Registry extends Resolvers {
  readonly extensions: readonly Pick<Extension, 'name' | 'version' | 'settings'>[]
  readonly roles: ReadonlyMap<RoleName, Role & { readonly origin: string }>
  readonly operations: ReadonlyMap<string, Operation & { readonly origin: string }>
  readonly beOperations: ReadonlyMap<string, Operation & { readonly origin: string }>
  readonly scripts: ReadonlyMap<string, Script>
  /** the Signatures of tasks, by the name of the shape */
  readonly shapes: ReadonlyMap<string, Signature>
  readonly known: LoadedCode
  /** operations of the substrate that each extension carries out, by its name */
  readonly carriesOut: ReadonlyMap<string, readonly string[]>
  readonly facets: readonly Facet[]
  /** keys that each extension publishes, by its name */
  readonly signals: ReadonlyMap<string, readonly string[]>
  readonly birthForms: readonly BirthForm[]
}

/**
 * Makes a registry of extensions.
 * @throws {TreeosError} RESOURCE_CONFLICT when two define one name; INVALID_INPUT when a role names an
 *   unknown operation
 */
export function buildRegistry(extensions: readonly Extension[]): Registry {
  const names = new Set<string>()
  for (const { name } of extensions) {
    if (names.has(name)) throw new TreeosError('RESOURCE_CONFLICT', `extension ${name} is given twice`)
    names.add(name)
  }
  const merge = <T>(what: string, entries: (extension: Extension) => Iterable<readonly [string, T]>) => {
    const all = new Map<string, T & { origin: string }>()
    for (const extension of extensions) {
      for (const [name, part] of entries(extension)) {
        const other = all.get(name)
        if (other !== undefined)
          throw new TreeosError(
            'RESOURCE_CONFLICT',
            `${what} ${name} is brought by ${other.origin} and by ${extension.name}`,
          )
        all.set(name, Object.assign(Object.create(null), part, { origin: extension.name }))
      }
    }
    return all
  }
  const mergeFunctions = <T>(what: string, entries: (extension: Extension) => Readonly<Record<string, T>>) =>
    new Map(
      [
        ...merge(what, (extension) =>
          Object.entries(entries(extension)).map(([name, run]) => [name, { run }] as const),
        ),
      ].map(([name, { run }]) => [name, run]),
    )
  const named = <T>(what: string, entries: (extension: Extension) => Readonly<Record<string, T>>) =>
    Object.fromEntries(mergeFunctions(what, entries))
  const operations = merge('operation', (extension) =>
    extension.operations.map((op) => [op.name, op] as const),
  )
  const beOperations = merge('BE operation', (extension) =>
    extension.beOperations.map((op) => [op.name, op] as const),
  )
  const scripts = mergeFunctions('script', (extension) => extension.scripts)
  requireKnown(extensions, operations, beOperations)
  return {
    extensions: extensions.map(({ name, version, settings }) => ({
      name,
      version,
      ...(settings === undefined ? {} : { settings }),
    })),
    roles: merge('role', (extension) => extension.roles.map((role) => [role.spec.name, role] as const)),
    operations,
    beOperations,
    relations: mergeFunctions('relationship', (extension) => extension.relations),
    patterns: mergeFunctions('kind of pattern', (extension) => extension.patterns),
    resolvers: mergeFunctions('resolver', (extension) => extension.resolvers),
    see: mergeFunctions('see-resolver', (extension) => extension.see),
    scripts,
    shapes: mergeFunctions('shape of a task', (extension) => extension.shapes ?? {}),
    known: {
      spaceTypes: named('type of space', (extension) => extension.spaceTypes),
      matterTypes: named('type of matter', (extension) => extension.matterTypes),
      schedules: named('schedule', (extension) => extension.schedules),
      hooks: named('hook', (extension) => extension.hooks),
      namespaces: [...new Set([...SUBSTRATE_NAMES, ...names])],
      scripts: [...scripts.keys()],
      operations: { do: formsOf(operations), be: formsOf(beOperations) },
    },
    carriesOut: new Map(extensions.map(({ name, carriesOut = [] }) => [name, carriesOut])),
    facets: extensions.flatMap(({ facets = [] }) => facets),
    signals: new Map(extensions.map(({ name, signals }) => [name, Object.keys(signals)])),
    birthForms: extensions.flatMap(({ birthForms = [] }) => birthForms),
  }
}

/** What is asked of operations by name: for roles that name them, and presets. */
export const formsOf = (operations: ReadonlyMap<string, Operation>): ReadonlyMap<string, OperationForm> =>
  new Map(
    [...operations].map(([name, { targets, server, requireArgs }]) => [
      name,
      {
        targets,
        ...(server === undefined ? {} : { server }),
        ...(requireArgs === undefined ? {} : { requireArgs }),
      },
    ]),
  )

/**
 * Roles of extensions may only name operations that are loaded. Live roles are not checked: they may name
 * later ones.
 */
function requireKnown(
  extensions: readonly Extension[],
  operations: ReadonlyMap<string, unknown>,
  beOperations: ReadonlyMap<string, unknown>,
): void {
  for (const { name, roles } of extensions) {
    for (const { spec } of roles) {
      for (const [list, known] of [
        ['canDo', operations],
        ['canBe', beOperations],
      ] as const) {
        const unknown = spec[list].find((entry) => typeof entry === 'string' && !known.has(entry))
        if (unknown === undefined) continue
        throw new TreeosError(
          'INVALID_INPUT',
          `role ${spec.name} of extension ${name} names ${JSON.stringify(unknown)} in ${list}, which nothing here brings`,
        )
      }
    }
  }
}
