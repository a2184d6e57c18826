import { asJson, type Digest, type Json, type RoleName } from '@treeos/core'
import type { RoleSpec } from '@treeos/roles'
import type { CodeManifest } from './manifest.ts'
import type { Registry } from './registry.ts'
import { SUBSTRATE_REGISTRY } from './substrate.ts'

/** What one extension brings, by digests, so that two workers can tell whether they have loaded the same. */
export interface ExtensionCode {
  readonly version: string
  /** of all of it */
  readonly digest: Digest
  /** of its part of the manifest that records name */
  readonly code: Digest
  /** of the specs of its roles */
  readonly roles: Readonly<Record<RoleName, Digest>>
}

/** Each loaded extension, the substrate among them. @param digest sha256 of canonical JSON, in hex */
export function extensionCodes(
  { extensions, roles }: Registry,
  manifest: CodeManifest,
  digest: (value: Json) => Digest,
): ReadonlyMap<string, ExtensionCode> {
  return new Map(
    extensions.map(({ name, version }) => {
      const own = [...roles.values()].filter(({ origin }) => origin === name)
      const specs = Object.fromEntries(own.map(({ spec }) => [spec.name, digest(asJson(spec))]))
      const code = codeIn(manifest, name, digest)
      return [name, { version, code, roles: specs, digest: digest({ code, roles: specs }) }]
    }),
  )
}

/** Digest of what a manifest says of one extension; of one that it does not have, that of nothing. */
export function codeIn(
  { extensions, operations, names }: CodeManifest,
  name: string,
  digest: (value: Json) => Digest,
): Digest {
  const isOwn = (key: string) => key.startsWith(`${name}:`)
  const own = <T>(all: Readonly<Record<string, T>>) => Object.entries(all).filter(([key]) => isOwn(key))
  const ofOrigin = (all: CodeManifest['operations']['do']) =>
    Object.entries(all).filter(([, { origin }]) => origin === name)
  return digest(
    asJson({
      version: extensions[name] ?? null,
      do: ofOrigin(operations.do),
      be: ofOrigin(operations.be),
      types: [names.spaceTypes.filter(isOwn), names.matterTypes.filter(isOwn)],
      scripts: names.scripts.filter(isOwn),
      triggers: [own(names.schedules), own(names.hooks)],
    }),
  )
}

/** What a moment names: the roles that it wears, the script that decides, the call that it makes. */
export interface NamedCode {
  readonly specs: readonly RoleSpec[]
  readonly script: string | null
  /** the call, or what brings it; null while nobody has decided */
  readonly call: Json
}

/**
 * Those of the extensions whose code a moment needs: what it names begins with their name, or it may choose
 * among operations of theirs. A text that looks like such a name counts too: at worst another worker lives the
 * moment. What TreeOS brings itself is no code of an extension.
 */
export function extensionsNeeded({ specs, script, call }: NamedCode, extensions: Iterable<string>): string[] {
  const named = JSON.stringify([specs, script, call])
  // of a call that was chosen already, what else its roles would offer is not looked at
  const entries = call !== null ? [] : specs.flatMap(({ canDo, canBe }) => [...canDo, ...canBe])
  return [...extensions].filter(
    (name) =>
      name !== SUBSTRATE_REGISTRY &&
      (named.includes(`"${name}:`) || entries.some((entry) => holdsOperationsOf(entry, name))),
  )
}

/** Whether an entry may stand for operations of an extension. What a resolver gives is not known here. */
function holdsOperationsOf(entry: RoleSpec['canDo'][number], name: string): boolean {
  if (typeof entry === 'string' || 'rel' in entry) return false
  if ('resolver' in entry) return true
  const [head = ''] = entry.pattern.split('*')
  return `${name}:`.startsWith(head) || head.startsWith(`${name}:`)
}
