import type { Digest, Json, MomentId, PinnedStack } from '@treeos/core'
import type { Program, RoleSpec } from '@treeos/roles'
import {
  type Db,
  digestOf,
  findEntry,
  findOpen,
  type InboxEntry,
  type MomentNotes,
  type OpenRecord,
  type OverlaySources,
} from '@treeos/store'
import { type ComposedPrompt, composeMoment, type Face, heardContent, type Registry } from '@treeos/world'
import { readFace, readProgram, readSpec } from './blobs.ts'

/** An open moment with the content that its record names by digest. */
export interface LoadedMoment {
  readonly record: OpenRecord
  /** null when it noted nothing */
  readonly noted: MomentNotes | null
  readonly program: Program
  readonly face: Face | null
  /** content of the wake, as the being may hear it; for a person's act, the act */
  readonly content: Json
  /** where its overlays are; left out without any, and in a replay */
  readonly overlays?: OverlaySources
}

/**
 * The content of a wake as the being of its moment may hear it: without what it quotes of what the being may
 * not see.
 */
export const contentHeard = (
  noted: MomentNotes | null,
  face: Pick<Face, 'changed'> | null,
  content: Json,
): Json => (noted?.quotes === undefined ? content : heardContent(content, noted.quotes.unseen, face?.changed))

/** @returns null when the moment was never opened; `wake` is null when its inbox row is gone */
export async function findMoment(
  db: Db,
  moment: MomentId,
): Promise<(Omit<LoadedMoment, 'content' | 'overlays'> & { readonly wake: InboxEntry | null }) | null> {
  const open = await findOpen(db, moment)
  if (open === null) return null
  const { record, noted } = open
  const program = await readProgram(db, record.program)
  if (program === null) throw new Error(`the program of ${moment}, ${record.program}, is not stored`)
  const face = record.face === null ? null : await readFace(db, record.face)
  return { record, noted, program, face, wake: await findEntry(db, record.wake.id) }
}

/** The composed stack of a moment, with the digests that its record holds. */
export type ComposedMoment = ComposedPrompt & {
  readonly digests: { readonly stack: Digest; readonly surface: Digest; readonly prompt: Digest | null }
}

/** Composes the stack of a loaded moment from the specs that it pinned. */
export async function composeLoaded(
  db: Db,
  registry: Registry,
  loaded: LoadedMoment,
  stack: PinnedStack,
): Promise<ComposedMoment> {
  if (loaded.face === null) throw new Error(`moment ${loaded.record.moment} has no face to compose over`)
  const composed = composeMoment(
    registry,
    await specsOf((digest) => readSpec(db, digest), stack),
    loaded.face,
    { ...loaded.record, content: loaded.content },
  )
  // A role needs its extension even when its prompt is text: its operations and see-resolvers are code.
  const unloaded = [stack.primary, ...stack.stacked].find(
    ({ name }) => name.includes(':') && !registry.roles.has(name),
  )
  const { face } = loaded
  const missing = composed.missing ?? unloaded?.name ?? null
  const digests = {
    stack: digestOf(stack),
    surface: digestOf(face.surface),
    prompt: promptDigestOf({ prompt: composed.prompt, missing }),
  }
  return Object.assign(composed, { missing, digests })
}

/** The specs that a stack pinned, primary first. @throws {Error} naming a digest that is not stored */
export async function specsOf(
  read: (digest: Digest) => RoleSpec | null | Promise<RoleSpec | null>,
  { primary, stacked }: PinnedStack,
): Promise<RoleSpec[]> {
  const pinned = [primary, ...stacked]
  const specs = await Promise.all(pinned.map(({ digest }) => read(digest)))
  return specs.map((spec, i) => {
    if (spec !== null) return spec
    throw new Error(`the spec ${pinned[i]?.digest} of role ${pinned[i]?.name} is not stored`)
  })
}

/** @returns null when the code of a role is not loaded */
export const promptDigestOf = ({
  prompt,
  missing,
}: Pick<ComposedPrompt, 'prompt' | 'missing'>): Digest | null => (missing === null ? digestOf(prompt) : null)
