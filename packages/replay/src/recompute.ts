import { type Db, findEntry, type OpenRecord, type StoredOutcome } from '@treeos/chain'
import type { Digest, PinnedStack } from '@treeos/core'
import { digestsOf, openingOf, specFrom, specsOf } from '@treeos/reality'
import type { ComposedRole, Program } from '@treeos/roles'
import {
  type BeingRow,
  composeMoment,
  lookAround,
  type Registry,
  type RowSource,
  type Seen,
  WorldReader,
} from '@treeos/world'

/** A moment lived again, up to the mind: by the functions that live moments use, over a world that is past. */
export interface RecomputedMoment {
  readonly reader: WorldReader
  readonly me: BeingRow
  readonly seen: Seen
  /** null when it is skipped */
  readonly stack: PinnedStack | null
  /** that stack as one */
  readonly role: ComposedRole | null
  readonly surface: Digest | null
  /** null also where a role's prompt is code of a version that is not loaded here */
  readonly prompt: Digest | null
  /** that role */
  readonly missing: string | null
}

export async function recomputeMoment(
  { db, registry }: { readonly db: Db; readonly registry: Registry },
  { being }: Pick<StoredOutcome, 'being'>,
  open: OpenRecord,
  source: RowSource,
): Promise<RecomputedMoment> {
  const reader = new WorldReader(source)
  const me = await reader.being(being)
  if (me === null) throw new Error(`@${being} was not born at the head this moment cites`)
  const seen = await lookAround(reader, registry, openingOf(me, open))
  const stack = seen.result.skip === undefined ? pin(seen.program, seen.result) : null
  if (stack === null || seen.face === null)
    return { reader, me, seen, stack, role: null, surface: null, prompt: null, missing: null }
  const specs = await specsOf(async (digest) => specFrom(await source.blob(digest)), stack)
  const content = (await findEntry(db, open.wake.id))?.content ?? null
  const composed = composeMoment(registry, specs, seen.face, { openedAt: open.openedAt, content })
  const { surface, prompt } = digestsOf(composed, seen.face, stack)
  return { reader, me, seen, stack, role: composed.role, surface, prompt, missing: composed.missing }
}

function pin(
  program: Program,
  { primary, stacked }: { primary: string; stacked: readonly string[] },
): PinnedStack {
  const pinned = (name: string) => ({ name, digest: program.roles[name]?.digest ?? '' })
  return { primary: pinned(primary), stacked: stacked.map(pinned) }
}
