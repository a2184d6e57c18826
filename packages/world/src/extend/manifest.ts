import { asJson, type Json, type JsonObject } from '@treeos/core'
import type { RuleAsk } from '../gates/ask.ts'
import type { RuleStanding } from '../gates/rules.ts'
import type { Effect } from './effect.ts'
import type { Extension, Operation } from './extension.ts'
import { buildRegistry, formsOf, type Registry } from './registry.ts'
import { SUBSTRATE_REGISTRY } from './substrate.ts'

type Digest = (value: Json) => string

/**
 * What is kept of an operation of an extension, so that the gates can be asked about its calls where its code
 * is not loaded.
 */
export interface OperationManifest {
  readonly origin: string
  readonly targets: Operation['targets']
  readonly allow: readonly RuleStanding[]
  readonly ask?: RuleAsk
  /** digest of all that a yes to a call of it rests on */
  readonly form: string
  /** it acts outside, with these secrets */
  readonly effect?: { readonly secrets: readonly string[] }
  readonly mediates?: true
}

/** The loaded extensions, without their code: what the law asks of them. Records name it by its digest. */
export interface CodeManifest {
  readonly v: 1
  /** version of each, or its version and its settings */
  readonly extensions: Readonly<Record<string, Json>>
  readonly operations: Readonly<Record<'do' | 'be', Readonly<Record<string, OperationManifest>>>>
  /** names that arguments of TreeOS's own operations may have */
  readonly names: Readonly<
    Record<'spaceTypes' | 'matterTypes' | 'scripts' | 'namespaces', readonly string[]>
  > & {
    readonly schedules: Readonly<Record<string, JsonObject>>
    readonly hooks: Readonly<Record<string, JsonObject>>
  }
}

/** Digest of what a yes to a call of an operation rests on. */
export function formDigest(operation: Operation & { readonly form?: string }, digest: Digest): string {
  if (operation.form !== undefined) return operation.form // of a manifest
  const { name, description, targets, allow, args, schema = null, ask = null, effect } = operation
  return digest(
    asJson({ name, description, targets, allow, args, schema, ask, hasEffect: effect !== undefined }),
  )
}

const sorted = (names: Iterable<string>): string[] => [...names].sort()

/** @param digest sha256 of canonical JSON, in hex */
export function manifestOf(registry: Registry, digest: Digest): CodeManifest {
  const { known } = registry
  const ofExtensions = (operations: Registry['operations']) =>
    Object.fromEntries(
      [...operations]
        .filter(([, { origin }]) => origin !== SUBSTRATE_REGISTRY)
        .map(([name, operation]) => [name, operationManifest(operation, digest)]),
    )
  return {
    v: 1,
    extensions: Object.fromEntries(
      registry.extensions.map(({ name, version, settings }) => [
        name,
        settings === undefined ? version : [version, settings],
      ]),
    ),
    operations: { do: ofExtensions(registry.operations), be: ofExtensions(registry.beOperations) },
    names: {
      spaceTypes: sorted(Object.keys(known.spaceTypes)),
      matterTypes: sorted(Object.keys(known.matterTypes)),
      scripts: sorted(known.scripts),
      namespaces: sorted(known.namespaces),
      schedules: known.schedules,
      hooks: known.hooks,
    },
  }
}

function operationManifest(
  { origin, targets, allow, ask, effect, mediates, ...rest }: Operation & { readonly origin: string },
  digest: Digest,
): OperationManifest {
  const form = formDigest({ ...rest, targets, allow, ...(ask && { ask }), ...(effect && { effect }) }, digest)
  return {
    origin,
    targets,
    allow,
    form,
    ...(ask === undefined ? {} : { ask }),
    ...(effect === undefined ? {} : { effect: { secrets: effect.secrets ?? [] } }),
    ...(mediates === undefined ? {} : { mediates }),
  }
}

/**
 * A registry of what a manifest names, in which no code of an extension runs: its operations do nothing once
 * both gates allow them.
 * @param substrate what TreeOS brings itself
 */
export function registryFrom(
  { operations, names, extensions }: CodeManifest,
  substrate: Extension,
): Registry {
  const own = buildRegistry([substrate])
  const bare = (of: 'do' | 'be', ours: Registry['operations']): Registry['operations'] =>
    new Map([
      ...ours,
      ...Object.entries(operations[of]).map(
        ([name, manifest]) => [name, bareOperation(name, manifest)] as const,
      ),
    ])
  const described = (all: readonly string[]) => Object.fromEntries(all.map((name) => [name, '']))
  const [doing, being] = [bare('do', own.operations), bare('be', own.beOperations)]
  return {
    ...own,
    extensions: Object.keys(extensions).map((name) => ({ name, version: '' })),
    operations: doing,
    beOperations: being,
    known: {
      ...own.known,
      ...names,
      spaceTypes: described(names.spaceTypes),
      matterTypes: described(names.matterTypes),
      operations: { do: formsOf(doing), be: formsOf(being) },
    },
  }
}

function bareOperation(
  name: string,
  { effect, ...manifest }: OperationManifest,
): Operation & { readonly origin: string; readonly form: string } {
  return {
    ...manifest,
    name,
    description: '',
    args: {},
    ...(effect === undefined ? {} : { effect: bareEffect(effect.secrets) }),
    decide: () => ({ facts: [], result: null }),
  }
}

const bareEffect = (secrets: readonly string[]): Effect => ({
  timeoutSeconds: 1,
  attempts: 1,
  ...(secrets.length === 0 ? {} : { secrets }),
  admit: () => undefined,
  perform: () => Promise.reject(new Error('no code of an extension runs here')),
})
