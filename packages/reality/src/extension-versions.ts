import { type Digest, REGISTRY_REEL, type RoleName, readPath } from '@treeos/core'
import { type Db, listKindsOnReel, listWorkers, readHeads } from '@treeos/store'
import { type ExtensionCode, VERSION_INSTALLED, VERSION_USED } from '@treeos/world'
import type { OpenReality } from './open-reality.ts'

/** The code of an extension that its moments need. */
export interface CurrentVersion {
  readonly version: string
  /** of all that it brings */
  readonly digest: Digest
  /** of the fact that made it current, on the reel of the registry */
  readonly seq: number
}

/** What the registry says of the extensions, as facts. */
export interface ExtensionVersions {
  /** at least all facts of the registry up to this one were read */
  readonly seq: number
  /** by extension; one that has ended has none */
  readonly current: ReadonlyMap<string, CurrentVersion>
  /** by extension, those that were seen here, the newest last; each once, also where it came again */
  readonly installed: ReadonlyMap<string, readonly ExtensionCode[]>
}

export async function readVersions({ db, reality }: OpenReality): Promise<ExtensionVersions> {
  const [head] = await readHeads(db, reality.id, [REGISTRY_REEL])
  const current = new Map<string, CurrentVersion>()
  const installed = new Map<string, ExtensionCode[]>()
  for (const { header, payload } of await listFacts(db)) {
    if (payload === null) continue
    const extension = String(payload.extension)
    const [version, digest] = [payload.version, payload.digest]
    if (typeof version !== 'string' || typeof digest !== 'string') {
      current.delete(extension) // it has ended
      continue
    }
    if (header.kind === VERSION_USED) current.set(extension, { version, digest, seq: header.seq })
    else {
      const roles = payload.roles as Readonly<Record<RoleName, Digest>>
      const others = (installed.get(extension) ?? []).filter((one) => one.digest !== digest)
      installed.set(extension, [
        ...others,
        { version, digest, roles, code: String(readPath(payload, ['code'])) },
      ])
    }
  }
  return { seq: head?.seq ?? 0, current, installed }
}

/** The versions of an extension, for people. */
export interface ExtensionVersionsView {
  readonly extension: string
  /** null once it has ended */
  readonly current: string | null
  /** how many living workers have loaded the current one */
  readonly workers: number
  /** those that were seen here, the newest last */
  readonly versions: readonly {
    readonly version: string
    readonly digest: Digest
    readonly workers: number
  }[]
}

/** What the registry and the living workers say of every extension, by name. */
export async function listExtensionVersions(at: OpenReality): Promise<ExtensionVersionsView[]> {
  const [{ current, installed }, workers] = [await readVersions(at), await listWorkers(at.db)]
  const countOf = (extension: string, digest: Digest | undefined) =>
    workers.filter(({ codes }) => codes[extension]?.digest === digest).length
  return [...installed]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([extension, versions]) => {
      const used = current.get(extension)
      return {
        extension,
        current: used?.version ?? null,
        workers: used === undefined ? 0 : countOf(extension, used.digest),
        versions: versions.map(({ version, digest }) => ({
          version,
          digest,
          workers: countOf(extension, digest),
        })),
      }
    })
}

const listFacts = (db: Db) => listKindsOnReel(db, REGISTRY_REEL, [VERSION_INSTALLED, VERSION_USED])
