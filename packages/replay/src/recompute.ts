import type { Digest, Json, PinnedStack } from '@treeos/core'
import { contentHeard, promptDigestOf, specFrom, specsOf } from '@treeos/reality'
import { type ComposedRole, pinStack, type RoleSpec } from '@treeos/roles'
import type { StoredOutcome, WholeOpen } from '@treeos/store'
import {
  type BeingRow,
  type ComposedPrompt,
  composeMoment,
  momentInputsOf,
  type Registry,
  type RowSource,
  readWorld,
  WorldReader,
  type WorldReading,
} from '@treeos/world'

/**
 * A moment that was recomputed up to its prompt, with the functions of live moments, over the world of that
 * time.
 */
export interface RecomputedMoment {
  readonly reader: WorldReader
  readonly me: BeingRow
  readonly seen: WorldReading
  /** null when the moment is skipped */
  readonly stack: PinnedStack | null
  /** the composed stack; null when the moment is skipped */
  readonly role: ComposedRole | null
  /** the prompt and the tools that a model gets; null when the moment is skipped */
  readonly composed: ComposedPrompt | null
  /** of the stack, the primary first */
  readonly specs: readonly RoleSpec[]
  /** null when the moment is skipped, or when `missing` is set */
  readonly prompt: Digest | null
  /** a role whose prompt is code of a version that is not loaded here; null when there is none */
  readonly missing: string | null
}

/**
 * Recomputes a moment up to its prompt.
 * @param moment.content of its wake
 * @param moment.isPlaceHidden its flow reads nothing of its place, whoever may see it
 * @param source the world as the moment saw it
 * @throws {Error} when the being has no row in that world
 */
export async function recomputeMoment(
  registry: Registry,
  { being }: Pick<StoredOutcome, 'being'>,
  {
    open,
    content,
    isPlaceHidden = false,
  }: { readonly open: WholeOpen; readonly content: Json; readonly isPlaceHidden?: boolean },
  source: RowSource,
): Promise<RecomputedMoment> {
  const reader = new WorldReader(source)
  const me = await reader.being(being)
  if (me === null) throw new Error(`@${being} does not exist at the head that this moment cites`)
  if (open.driver !== null) await reader.being(open.driver)
  const inputs = momentInputsOf(me, open)
  const seen = await readWorld(
    reader,
    registry,
    isPlaceHidden ? { ...inputs, readsPlace: async () => false } : inputs,
  )
  const stack = seen.result.skip === undefined ? pinStack(seen.program, seen.result) : null
  if (stack === null || seen.face === null)
    return { reader, me, seen, stack, role: null, specs: [], composed: null, prompt: null, missing: null }
  const spec = (digest: Digest) => {
    const blob = source.blob(digest)
    return blob instanceof Promise ? blob.then(specFrom) : specFrom(blob)
  }
  const specs = await specsOf(spec, stack)
  const composed = composeMoment(registry, specs, seen.face, {
    ...openedWith(open, seen),
    content: contentHeard(open, seen.face, content),
  })
  const prompt = promptDigestOf(composed)
  return { reader, me, seen, stack, role: composed.role, specs, composed, prompt, missing: composed.missing }
}

/**
 * The open record with the mark of what the moment saw now. With another flow or role it may have read words
 * from outside, or none.
 */
export function openedWith({ outside: _, ...open }: WholeOpen, { outside }: WorldReading): WholeOpen {
  return outside ? { ...open, outside } : open
}
