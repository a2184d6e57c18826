import { type Db, digestOf, findEntry, type OpenRecord, type StoredOutcome } from '@treeos/chain'
import { type Digest, type PinnedStack, triggerOf } from '@treeos/core'
import type { ComposedRole, Program, RoleSpec } from '@treeos/roles'
import {
  type BeingRow,
  composeMoment,
  lookAround,
  momentCognition,
  type Registry,
  type RowSource,
  type Seen,
  WorldReader,
} from '@treeos/world'

/** A moment lived again, up to the mind: by the functions that live moments use, over a world that is past. */
export interface Relived {
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

export async function relive(
  { db, registry }: { readonly db: Db; readonly registry: Registry },
  { being }: Pick<StoredOutcome, 'being'>,
  open: OpenRecord,
  source: RowSource,
): Promise<Relived> {
  const reader = new WorldReader(source)
  const me = await reader.being(being)
  if (me === null) throw new Error(`@${being} was not born at the head this moment cites`)
  const { verb, caller, openedAt, zone, hour, dayOfWeek, lastSealed, asked } = open
  const time = { openedAt, zone, hour, dayOfWeek } // data: time-zone tables change
  const seen = await lookAround(reader, registry, {
    me,
    cognition: momentCognition(me, open.driver).kind,
    verb,
    caller,
    time,
    lastSealed,
    asked,
    trigger: triggerOf(open.wake),
    cut: open.cut === true,
    asker: caller?.name ?? null,
  })
  const stack = seen.result.skip === undefined ? pin(seen.program, seen.result) : null
  if (stack === null || seen.face === null)
    return { reader, me, seen, stack, role: null, surface: null, prompt: null, missing: null }
  const specs = await Promise.all([stack.primary, ...stack.stacked].map((role) => source.blob(role.digest)))
  const content = (await findEntry(db, open.wake.id))?.content ?? null
  const composed = composeMoment(registry, specs as unknown as RoleSpec[], seen.face, { openedAt, content })
  return {
    reader,
    me,
    seen,
    stack,
    role: composed.role,
    surface: digestOf(seen.face.surface),
    prompt: composed.missing === null ? digestOf(composed.prompt) : null,
    missing: composed.missing,
  }
}

function pin(
  program: Program,
  { primary, stacked }: { primary: string; stacked: readonly string[] },
): PinnedStack {
  const pinned = (name: string) => ({ name, digest: program.roles[name]?.digest ?? '' })
  return { primary: pinned(primary), stacked: stacked.map(pinned) }
}
