import {
  type Db,
  digestOf,
  findEntry,
  getBlob,
  getBlobCached,
  type OpenRecord,
  type ReadSet,
  readDecision,
  readOpen,
  type StoredDecision,
} from '@treeos/chain'
import type { BeingName, Digest, Json, MomentId, PinnedStack } from '@treeos/core'
import type { Program, RoleSpec } from '@treeos/roles'
import type { Composed, Face, Registry } from '@treeos/world'
import { composeMoment } from '@treeos/world'
import { LRUCache } from 'lru-cache'

/** An open moment with what its digests stand for. */
export interface LoadedMoment {
  readonly record: OpenRecord
  readonly program: Program
  readonly face: Face | null
  /** of the wake; for a person's act, what the person chose */
  readonly content: Json
}

/** What a worker remembers of one reality: nothing that it could not read again. */
export interface Memory {
  /** what `open` has just written is read again twice within the moment, as a rule by the same worker */
  readonly moments: LRUCache<MomentId, LoadedMoment>
  /** programs that are kept already: a being runs by the same one for many moments */
  readonly programs: LRUCache<Digest, true>
  /** what was decided, as it is stored */
  readonly decisions: LRUCache<MomentId, StoredDecision>
  /** what beings asked to see when they last opened a moment, and when they last stamped one */
  readonly opened: LRUCache<BeingName, ReadSet>
  readonly stamped: LRUCache<BeingName, ReadSet>
}

export const newMemory = (): Memory => ({
  moments: new LRUCache({ max: 500 }),
  programs: new LRUCache({ max: 5000 }),
  decisions: new LRUCache({ max: 500 }),
  opened: new LRUCache({ max: 5000 }),
  stamped: new LRUCache({ max: 5000 }),
})

/** @throws {Error} when the moment was never opened, or what it refers to is not kept */
export async function loadMoment(
  { db, memory }: { db: Db; memory: Memory },
  moment: MomentId,
): Promise<LoadedMoment> {
  const known = memory.moments.get(moment)
  if (known !== undefined) return known
  const open = await readOpen(db, moment)
  if (open === null) throw new Error(`moment ${moment} was never opened`)
  const record = open.record
  const program = (await getBlob(db, record.program)) as unknown as Program
  const face = record.face === null ? null : ((await getBlob(db, record.face)) as unknown as Face)
  const wake = await findEntry(db, record.wake.id)
  if (wake === null) throw new Error(`the wake of ${moment} is gone`)
  const loaded = { record, program, face, content: wake.content }
  memory.moments.set(moment, loaded)
  return loaded
}

/** What a mind decided, if it has; the first decision of a moment never changes. */
export async function findDecision(
  { db, memory }: { db: Db; memory: Memory },
  moment: MomentId,
): Promise<StoredDecision | null> {
  const known = memory.decisions.get(moment)
  if (known !== undefined) return known
  const stored = await readDecision(db, moment)
  if (stored !== null) memory.decisions.set(moment, stored)
  return stored
}

/** The content that a mind is shown: of a reply, what it answers is already known to the person. */
export async function composeLoaded(
  db: Db,
  registry: Registry,
  loaded: LoadedMoment,
  stack: PinnedStack,
): Promise<Composed & { digests: { stack: Digest; surface: Digest; prompt: Digest | null } }> {
  if (loaded.face === null) throw new Error(`moment ${loaded.record.moment} has no face to compose over`)
  const specs = await Promise.all(
    [stack.primary, ...stack.stacked].map((role) => getBlobCached(db, role.digest)),
  )
  const composed = composeMoment(registry, specs as unknown as RoleSpec[], loaded.face, {
    openedAt: loaded.record.openedAt,
    content: loaded.content,
  })
  // Nobody thinks or acts by a role whose extension is not loaded here: its actions and its views are code too.
  const gone = [stack.primary, ...stack.stacked].find(
    ({ name }) => name.includes(':') && !registry.roles.has(name),
  )
  const whole = { ...composed, missing: composed.missing ?? gone?.name ?? null }
  return { ...whole, digests: digestsOf(whole, loaded.face, stack) }
}

export function digestsOf(composed: Composed, face: Face, stack: PinnedStack) {
  return {
    stack: digestOf(stack),
    surface: digestOf(face.surface),
    prompt: composed.missing === null ? digestOf(composed.prompt) : null,
  }
}
