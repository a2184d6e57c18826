import { type FactDraft, quote, REGISTRY_REEL, type RoleName, TreeosError } from '@treeos/core'
import type { RoleSpec } from '@treeos/roles'
import { digestOf, type LiveWorker, listWorkers, putBlob } from '@treeos/store'
import {
  type ExtensionCode,
  type Registry,
  type RoleRow,
  roleInstalled,
  roleKey,
  roleRemoved,
  versionInstalled,
  versionUsed,
  type WorldReader,
} from '@treeos/world'
import { readSpec } from './blobs.ts'
import { codesOf, keepCode } from './code-of.ts'
import { type ExtensionVersions, readVersions } from './extension-versions.ts'
import { type OpenReality, readerOf } from './open-reality.ts'
import { listRowsOf } from './rows.ts'
import { appendSystemFacts } from './system-facts.ts'

/** Origin of roles that beings wrote. */
const LIVE = 'live'
/** Each try may fail because another writer moved a head. */
const ATTEMPTS_MAX = 10

export interface Installation {
  /** names of roles that were not installed, because a being wrote a role of that name */
  readonly taken: readonly RoleName[]
  /** extensions whose current code is now that of this process */
  readonly moved: readonly string[]
  /** extensions of which other workers have the current code */
  readonly behind: readonly string[]
}

/**
 * Says which versions of extensions are loaded here, and stores what they bring, beside other versions. The
 * code of this process becomes current where no other code is, or where no living worker has the current one:
 * then its roles are written, and roles that it has not are removed. Several workers may do so at once. Past
 * moments keep the digests of the specs that they wore.
 * @param self id of this worker, which does not count among those that live; null for one that lives no beings
 */
export async function installExtensions(
  at: OpenReality,
  registry: Registry,
  self: string | null = null,
): Promise<Installation> {
  await keepCode(at.db, registry)
  for (const { spec } of registry.roles.values()) await putBlob(at.db, spec)
  const specOf = async (name: RoleName) => registry.roles.get(name)?.spec ?? null
  return decideAndAppend(at, 'install the roles of extensions', async (reader, versions) => {
    const others = (await listWorkers(at.db)).filter(({ id }) => id !== self)
    const facts: FactDraft[] = []
    const taken: RoleName[] = []
    const moved: string[] = []
    const behind: string[] = []
    for (const [extension, code] of codesOf(registry)) {
      const newest = versions.installed.get(extension)?.findLast(({ version }) => version === code.version)
      if (newest?.digest !== code.digest) facts.push(versionInstalled(extension, code))
      const current = versions.current.get(extension)
      if (current?.digest !== code.digest) {
        if (current !== undefined && others.some((one) => hasLoaded(one, extension, current.digest))) {
          behind.push(extension)
          continue
        }
        facts.push(versionUsed(extension, code))
        moved.push(extension)
      }
      const roles = await changesOfRoles(at, reader, extension, code, specOf)
      facts.push(...roles.facts)
      taken.push(...roles.taken)
    }
    return { facts, value: { taken, moved, behind } }
  })
}

const hasLoaded = ({ codes }: Pick<LiveWorker, 'codes'>, extension: string, digest: string): boolean =>
  codes[extension]?.digest === digest

/**
 * Makes a version of an extension current that a living worker has loaded, also an older one: its roles are
 * written, and roles that it has not are removed. Moments that need it go to such workers from then on.
 * @returns what was current before, null for nothing; how many living workers have loaded it
 * @throws {TreeosError} EXTENSION_NOT_FOUND for a version that no worker brought here; RESOURCE_CONFLICT for
 *   one that no living worker has loaded
 */
export async function useExtension(
  at: OpenReality,
  extension: string,
  version: string,
): Promise<{ readonly before: string | null; readonly workers: number }> {
  return decideAndAppend(at, `make version ${version} of ${extension} current`, async (reader, versions) => {
    const installed = versions.installed.get(extension) ?? []
    const code = installed.findLast((one) => one.version === version)
    if (code === undefined) {
      const known = [...new Set(installed.map((one) => one.version))]
      throw new TreeosError(
        'EXTENSION_NOT_FOUND',
        `no worker has brought version ${quote(version)} of an extension ${quote(extension)} here` +
          (known.length === 0 ? '' : `; of that extension there are ${known.join(', ')}`),
      )
    }
    const current = versions.current.get(extension)
    const workers = (await listWorkers(at.db)).filter((one) => hasLoaded(one, extension, code.digest)).length
    if (workers === 0)
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        `no living worker has loaded version ${version} of ${extension}, so its moments would wait: start one first`,
      )
    const value = { before: current?.version ?? null, workers }
    if (current?.digest === code.digest) return { facts: [], value }
    const specOf = async (name: RoleName) => readSpec(at.db, code.roles[name] ?? '')
    const { facts } = await changesOfRoles(at, reader, extension, code, specOf)
    return { facts: [versionUsed(extension, code), ...facts], value }
  })
}

/** Facts that bring the roles of an extension to those of some code of it. */
async function changesOfRoles(
  at: OpenReality,
  reader: WorldReader,
  extension: string,
  { roles }: ExtensionCode,
  specOf: (name: RoleName) => Promise<RoleSpec | null>,
): Promise<{ readonly facts: readonly FactDraft[]; readonly taken: readonly RoleName[] }> {
  const facts: FactDraft[] = []
  const taken: RoleName[] = []
  for (const [name, digest] of Object.entries(roles)) {
    const row = (await reader.row(roleKey(name))) as RoleRow | null
    if (row?.origin === LIVE) {
      taken.push(name) // replacing it could give its author a role above its own reach
      continue
    }
    if (row !== null && !row.deleted && row.digest === digest && row.origin === extension) continue
    const spec = await specOf(name)
    if (spec === null) throw new Error(`the spec ${digest} of role ${name} is not stored`)
    facts.push(roleInstalled({ spec }, extension, digestOf))
  }
  const gone = await rolesOf(at, (origin) => origin === extension)
  facts.push(...gone.filter((name) => !Object.hasOwn(roles, name)).map(roleRemoved))
  return { facts, taken }
}

async function rolesOf({ db }: OpenReality, isWanted: (origin: string) => boolean): Promise<RoleName[]> {
  const roles = (await listRowsOf(db, 'role:')).map(({ row }) => row)
  return roles.filter(({ origin, deleted }) => !deleted && isWanted(origin)).map(({ name }) => name)
}

/** Decides facts of the registry again until no other writer comes between. */
async function decideAndAppend<T>(
  at: OpenReality,
  what: string,
  decide: (
    reader: WorldReader,
    versions: ExtensionVersions,
  ) => Promise<{ readonly facts: readonly FactDraft[]; readonly value: T }>,
): Promise<T> {
  for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
    const reader = readerOf(at)
    await reader.prefetch([REGISTRY_REEL]) // what is read after this head has moved it
    const { facts, value } = await decide(reader, await readVersions(at))
    if (facts.length === 0 || (await appendSystemFacts(at, facts, reader)) !== null) return value
  }
  throw new Error(`cannot ${what}: another writer changed the same reels in each of ${ATTEMPTS_MAX} attempts`)
}

/**
 * Ends an extension whose code is gone: no moment waits for a worker that has it, and its roles are removed.
 * Everything else that was made with the extension stays in the world. A worker that loads it again installs
 * it again.
 * @returns names of the removed roles
 * @throws {TreeosError} RESOURCE_CONFLICT while the extension is loaded here or by a living worker,
 *   EXTENSION_NOT_FOUND when no version of it is current and it has no role
 */
export async function endExtension(
  at: OpenReality & { readonly registry: Registry },
  name: string,
): Promise<RoleName[]> {
  if (at.registry.extensions.some((extension) => extension.name === name))
    throw new TreeosError(
      'RESOURCE_CONFLICT',
      `extension ${name} is loaded here, so its roles would be installed again`,
    )
  return decideAndAppend(at, `remove the roles of ${name}`, async (_, { current }) => {
    const loaded = (await listWorkers(at.db)).find(({ codes }) => Object.hasOwn(codes, name))
    if (loaded !== undefined)
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        `worker ${loaded.id} has loaded extension ${name}, so its roles would be installed again`,
      )
    const roles = name === LIVE ? [] : await rolesOf(at, (origin) => origin === name)
    if (roles.length === 0 && !current.has(name))
      throw new TreeosError('EXTENSION_NOT_FOUND', `no extension ${quote(name)} is registered`)
    const ended = current.has(name) ? [versionUsed(name, null)] : []
    return { facts: [...ended, ...roles.map(roleRemoved)], value: roles }
  })
}
