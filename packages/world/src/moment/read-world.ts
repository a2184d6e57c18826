import {
  type Aside,
  type BeingName,
  fileIn,
  type HeadRef,
  type JsonObject,
  type LookingBack,
  type MatterId,
  type PinnedStack,
  type ReelId,
  type RoleName,
  type SeenHead,
  TreeosError,
} from '@treeos/core'
import {
  checkWake,
  compileFlow,
  evaluateFlow,
  type FlowResult,
  type OpeningWake,
  type Program,
  pinStack,
  type SkipReason,
} from '@treeos/roles'
import type { Registry } from '../extend/registry.ts'
import { mayRead, maySee, type Seer } from '../gates/sight.ts'
import type { FaultListener } from '../read/expand-surface.ts'
import type { BuiltFace, Face, FaceFile, Resolvers } from '../read/face.ts'
import type { WorldReader } from '../read/reader.ts'
import { resolve } from '../read/target.ts'
import { SHADOW } from '../rows/qualities.ts'
import { spaceKey } from '../rows/rows.ts'
import { buildFace, buildInwardFace } from './build-face.ts'
import { holdsOutside, type MomentInputs, openContext } from './context.ts'
import { rowOfChange, valueAt } from './wake-quotes.ts'
import { wordsShown } from './words-shown.ts'

/**
 * All that one moment sees: its program, the context slice, its stack, its face, and every head that was
 * read.
 */
export interface WorldReading {
  readonly program: Program
  readonly context: JsonObject
  /** the flow reads the qualities of the place, which the being may not see */
  readonly isPlaceHidden: boolean
  /** its wake, or anything that it read, holds words from outside */
  readonly outside: boolean
  /** heads of the reels that program and context were read from */
  readonly heads: readonly HeadRef[]
  readonly result: FlowResult
  /** null when the flow yields no stack */
  readonly face: Face | null
  /** what its wake quotes and it may not see, sorted; all of it without a stack */
  readonly unseen: readonly string[]
  /** where the moment looks; null for forward */
  readonly orientation: LookingBack | null
  /** canonical JSON of the face */
  readonly faceText: string | null
  /** heads of all reels that were read, sorted by reel */
  readonly basis: readonly HeadRef[]
  /** what was read beside rows */
  readonly aside: Aside
  /**
   * the roles that the flow in its shadow would have given it, the primary first; null where they are the
   * same, and without such a flow
   */
  readonly shadow: readonly RoleName[] | null
  /**
   * reels with words from outside that only the flow in its shadow read, sorted: they do not mark the moment
   */
  readonly triedOutside: readonly ReelId[]
}

/**
 * Reads the world once, for one being. Live moments (over a snapshot) and replay (over the recorded basis)
 * both use it, since it reads through the reader only.
 * @param onFault called for every entry and see-resolver that was left out
 * @throws the error of a read that failed
 */
export async function readWorld(
  reader: WorldReader,
  resolvers: Resolvers & Pick<Registry, 'operations'>,
  opening: MomentInputs & { readonly asker: BeingName | null },
  onFault?: FaultListener,
): Promise<WorldReading> {
  let pass = await passOver(reader, resolvers, opening, onFault)
  const { heads } = pass
  const outside = holdsOutside(reader, opening)
  // What it saw holds words from outside, and its flow did not know that yet.
  if (outside && !pass.opened.outside && pass.opened.restsOnOrigin)
    pass = await passOver(reader, resolvers, { ...opening, outside }, onFault)
  const { opened, result, folded } = pass
  const dryRun = await wornInShadow(reader, { ...opening, outside }, result)
  reader.requireWhole()
  const { program, context, isPlaceHidden } = opened
  const { of: quoted = [] } = opening.quotes ?? {}
  return {
    program,
    context,
    isPlaceHidden,
    outside,
    heads,
    result,
    face: folded?.face ?? null,
    unseen: folded?.unseen ?? quoted,
    orientation: folded?.face.orientation ?? null,
    faceText: folded?.text ?? null,
    basis: headRefs(reader.heads),
    aside: reader.aside,
    ...dryRun,
  }
}

/**
 * What a flow on a dry run would have given a being, where it is something else. It reads what the being's
 * own flow may read, it is not worn, and it marks nothing. A malformed clause of it holds never, as in any
 * flow.
 */
export async function wornInShadow(
  reader: WorldReader,
  opening: MomentInputs & { readonly outside: boolean },
  result: FlowResult,
): Promise<Pick<WorldReading, 'shadow' | 'triedOutside'>> {
  const { [SHADOW]: flow } = opening.me.qualities
  if (!Array.isArray(flow) || result.skip !== undefined) return { shadow: null, triedOutside: [] }
  const { outside } = opening
  const known = new Set(reader.heads.keys())
  const apart = reader.apart()
  const { program, context } = await openContext(apart, opening, { flow: flow as JsonObject[], outside })
  apart.requireWhole()
  const { cognition, asked } = opening
  const dryRun = evaluateFlow(compileFlow(program.flow), {
    context,
    cognition,
    roles: program.roles,
    defaultRole: program.defaultRole,
    asked: outside ? null : asked,
  })
  const names = dryRun.skip === undefined ? [dryRun.primary, ...dryRun.stacked] : []
  return {
    shadow: names.join() === [result.primary, ...result.stacked].join() ? null : names,
    triedOutside: apart.markedBeyond(known),
  }
}

/** Reads program and context, evaluates, and folds the face for the stack. */
async function passOver(
  reader: WorldReader,
  resolvers: Resolvers & Pick<Registry, 'operations'>,
  opening: MomentInputs & { readonly asker: BeingName | null },
  onFault?: FaultListener,
) {
  const opened = await openContext(reader, opening)
  const heads = headRefs(reader.heads)
  const { program, context, outside } = opened
  const result = evaluateProgram(program, {
    context,
    cognition: opening.cognition,
    asked: outside ? null : opening.asked,
    trigger: opening.trigger,
    cut: opening.cut,
    ended: opening.ended,
  })
  const folded =
    result.skip === undefined ? await seeFor(reader, resolvers, opening, { program, result }, onFault) : null
  return { opened, heads, result, folded }
}

async function seeFor(
  reader: WorldReader,
  resolvers: Resolvers & Pick<Registry, 'operations'>,
  {
    me,
    asker,
    cognition,
    lastSealed,
    quotes = null,
    caller,
    orientation,
  }: MomentInputs & { readonly asker: BeingName | null },
  { program, result }: { program: Program; result: Extract<FlowResult, { skip?: undefined }> },
  onFault?: FaultListener,
): Promise<BuiltFace & { readonly unseen: readonly string[] }> {
  const { primary, stacked } = result
  const specs = await Promise.all(
    [primary, ...stacked].map((name) => reader.spec(program.roles[name]?.digest ?? '')),
  )
  const words = wordsShown(specs, cognition)
  if (words === 'all') reader.readsAll()
  if (words === 'place') reader.reads(spaceKey(me.space))
  if (quotes?.change !== undefined) reader.reads(rowOfChange(quotes.change), quotes.change.path)
  let unseen: readonly string[] = []
  const changed = async (seer: Seer) => {
    unseen = await unseenOf(seer, quotes?.of ?? [])
    const change = quotes?.change
    return change === undefined || unseen.includes(change.target) ? undefined : valueAt(reader, change)
  }
  const { files: brought } = quotes ?? {}
  const files = (seer: Seer) => filesShown(seer, brought ?? [], caller?.name ?? null)
  const turned = orientation ?? specs[0]?.defaultOrientation ?? 'forward'
  const at = { me, asker, specs, lastSealed, forModel: cognition === 'llm' }
  if (turned === 'inward')
    return { ...(await buildInwardFace(reader, resolvers, at, onFault)), unseen: quotes?.of ?? [] }
  const ofHalf = turned === 'half' ? { half: true, quoted: quotes?.change?.target ?? null } : {}
  const face = await buildFace(
    reader,
    resolvers,
    {
      ...at,
      ...ofHalf,
      ...(quotes === null ? {} : { changed }),
      ...(brought === undefined ? {} : { files }),
    },
    onFault,
  )
  return { ...face, unseen }
}

const UNSHOWN = 'it is not there, or it is not for you to see'

/**
 * The files that words bring. Who says them shows what is its own; of what belongs to others a being is shown
 * what it may see itself.
 */
async function filesShown(
  seer: Seer,
  ids: readonly MatterId[],
  speaker: BeingName | null,
): Promise<readonly FaceFile[]> {
  const shown: FaceFile[] = []
  for (const thing of ids) {
    const matter = await seer.world.matter(thing)
    const isShown = matter !== null && (matter.owner === speaker || (await mayRead(seer, matter)))
    const file = isShown ? fileIn(matter.content) : null
    shown.push(file !== null ? { file, thing } : { refused: isShown ? 'it holds no file' : UNSHOWN, thing })
  }
  return shown
}

/**
 * The addresses that a being may not see, or that name nothing any more. Its part in a thread does not end,
 * so threads are not asked.
 */
async function unseenOf(seer: Seer, addresses: readonly string[]): Promise<string[]> {
  const unseen: string[] = []
  for (const address of addresses) {
    if (address.startsWith('thread:')) continue
    const at = { reader: seer.world, me: seer.me, thread: async () => null }
    const target = await resolve(at, address).catch((error: unknown) => {
      if (error instanceof TreeosError) return null
      throw error
    })
    if (target === null || !(await maySee(seer, target))) unseen.push(address)
  }
  return unseen
}

/** Evaluates a recorded program over a recorded slice. */
export function evaluateProgram(
  program: Program,
  at: {
    context: JsonObject
    cognition: MomentInputs['me']['cognition']['kind']
    asked: string | null
  } & OpeningWake,
): FlowResult {
  const result = evaluateFlow(compileFlow(program.flow), {
    context: at.context,
    cognition: at.cognition,
    roles: program.roles,
    defaultRole: program.defaultRole,
    asked: at.asked,
  })
  return checkWake(result, at, program.roles)
}

/** What the flow of a moment gives: its stack with the digests of the specs, or why there is none. */
export function assignStack(
  program: Program,
  at: Parameters<typeof evaluateProgram>[1],
): { readonly stack: PinnedStack | null; readonly skip: SkipReason | null } {
  const result = evaluateProgram(program, at)
  return result.skip === undefined
    ? { stack: pinStack(program, result), skip: null }
    : { stack: null, skip: result.skip }
}

function headRefs(heads: ReadonlyMap<ReelId, SeenHead>): HeadRef[] {
  return [...heads.values()]
    .map((head): HeadRef => [head.reel, head.seq, head.hash])
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}
