import {
  type BeingName,
  beingReel,
  canonicalJson,
  type Digest,
  type JsonObject,
  type MomentId,
  PAST_BOUNDS,
  type PastFact,
  parseMomentId,
  type ReelId,
  readPath,
  SPEECH_KIND,
  stanceOf,
  utf8Length,
} from '@treeos/core'
import { mayRead, maySee, type Seer } from '../gates/sight.ts'
import { Cut, fitting } from '../views/bounds.ts'

/**
 * Most bytes of canonical JSON of all acts, the newest first, and of what one fact says. Raise PROMPT_LAYOUT
 * with these.
 */
const PAST_BYTES = 16_384
const FACT_BYTES = 1024

/** Name of the view of own past acts. */
export const PAST_VIEW = 'past'

/**
 * Facts whose words are shown. Others say who may do what, or hold what a being is made of: of these only the
 * kind is shown.
 */
const TOLD: ReadonlySet<string> = new Set([
  'quality:set',
  'space:created',
  'signal:published',
  'matter:created',
  'matter:written',
])
/** Kinds of facts whose payload only the substrate writes. */
const OF_SUBSTRATE =
  /^(being|space|place|matter|quality|signal|role|reality|thread|approval|tally|fact|moment|origin):/

const isTold = (kind: string): boolean => TOLD.has(kind) || !OF_SUBSTRATE.test(kind)

/**
 * The being's own past acts, the newest first: what each did, and what it caused. Of others' facts only what
 * was said to the being is told. What stands on something that the being may not see now is left out, and
 * counted.
 * @param reels of the face: only acts that a cause links to one of them; null: all acts
 */
export async function pastOf(seer: Seer, reels: readonly ReelId[] | null): Promise<JsonObject> {
  const { facts, earlier, unasked = 0 } = await seer.world.past(reels)
  // Of all facts, so that the moment reads the same once one of them is erased.
  const seen = await seenAmong(seer, new Set(facts.map(({ ref }) => ref[0])))
  const cut = new Cut()
  const acts: JsonObject[] = []
  const room = { bytes: PAST_BYTES }
  let [hidden, left] = [0, earlier]
  for (const { caused: effects, ...own } of actsIn(facts, seer.me.name)) {
    const act = { ...own, caused: reels === null ? [] : effects } // inward, nothing of others is shown
    if (reels !== null && !isLinked(act, reels, seer.me.name)) continue
    const isSeen = ({ ref }: PastFact) => seen.has(ref[0])
    hidden += [...act.did, ...act.caused].filter((fact) => !isSeen(fact)).length
    const shown = {
      at: new Date(act.at).toISOString(),
      did: act.did.filter(isSeen).map(shownDeed),
      caused: act.caused.filter(isSeen).flatMap((fact) => shownEffect(fact, seer.me.name) ?? []),
    }
    room.bytes -= utf8Length(canonicalJson(shown))
    if (room.bytes < 0 && acts.length > 0) left += 1
    else acts.push(shown.caused.length === 0 ? { at: shown.at, did: shown.did } : shown)
  }
  if (left > 0) cut.say(`${left} earlier acts`)
  if (unasked > 0)
    cut.say(`${unasked} acts before the last ${PAST_BOUNDS.searchedMax}, which were not searched`)
  if (hidden > 0) cut.say(`${hidden} facts of what may not be seen now`)
  return { acts, ...cut.field }
}

interface PastAct {
  readonly at: number
  readonly did: PastFact[]
  readonly caused: PastFact[]
}

/**
 * Own acts in the order in which they were read, the newest first. A fact that follows the fact which caused
 * its moment is what that act caused, be it of another being or of a later moment of its own.
 */
function actsIn(facts: readonly PastFact[], self: BeingName): PastAct[] {
  const acts = new Map<MomentId, PastAct>()
  const actOf = new Map<Digest, PastAct>()
  for (const fact of facts) {
    const cause = fact.cause === null ? undefined : actOf.get(fact.cause)
    if (cause !== undefined) cause.caused.push(fact)
    else if (parseMomentId(fact.moment).being === self) {
      const act = acts.get(fact.moment) ?? { at: fact.at, did: [], caused: [] }
      acts.set(fact.moment, act)
      actOf.set(fact.ref[2], act)
      act.did.push(fact)
    }
  }
  return [...acts.values()]
}

/**
 * Whether a cause links an act to one of these reels: a fact of it stands there, a fact that it caused does,
 * or it spoke to that being.
 */
function isLinked({ did, caused }: PastAct, reels: readonly ReelId[], self: BeingName): boolean {
  const face = new Set(reels.filter((reel) => reel !== beingReel(self)))
  return (
    [...did, ...caused].some(({ ref }) => face.has(ref[0])) || did.some((fact) => face.has(heardBy(fact)))
  )
}

/** The reel of the being to which a fact speaks; empty for other facts. */
function heardBy({ kind, payload }: PastFact): ReelId {
  const to = kind === SPEECH_KIND ? readPath(payload, ['to']) : undefined
  return typeof to === 'string' ? beingReel(to) : ''
}

/** Those of these reels whose being, space or thing may be seen now. Signals are open to all. */
async function seenAmong(seer: Seer, reels: ReadonlySet<ReelId>): Promise<ReadonlySet<ReelId>> {
  await seer.world.prefetch([...reels]) // the key of their rows
  const seen = new Set<ReelId>()
  for (const reel of reels) if (await isSeen(seer, reel)) seen.add(reel)
  return seen
}

async function isSeen(seer: Seer, reel: ReelId): Promise<boolean> {
  const [kind, name] = [reel.slice(0, reel.indexOf(':') + 1), reel.slice(reel.indexOf(':') + 1)]
  if (kind === 'being:') {
    const being = await seer.world.being(name)
    return being !== null && maySee(seer, { kind: 'being', being })
  }
  if (kind === 'space:') {
    const space = await seer.world.space(name)
    return space !== null && maySee(seer, { kind: 'space', space })
  }
  if (kind === 'matter:') {
    const matter = await seer.world.matter(name)
    return matter !== null && mayRead(seer, matter)
  }
  return kind === 'world:'
}

const addressOf = (reel: ReelId): string => reel.replace(/^being:/, '@').replace(/^space:/, '')

/** What the being itself did. */
function shownDeed(fact: PastFact): JsonObject {
  const { kind, payload, ref } = fact
  const did: JsonObject = kind === SPEECH_KIND ? { did: 'spoke' } : { did: kind, on: addressOf(ref[0]) }
  if (payload === null) return { ...did, erased: true }
  if (kind !== SPEECH_KIND) return isTold(kind) ? { ...did, what: fitting(payload, FACT_BYTES) } : did
  return {
    ...did,
    to: stanceOf(String(readPath(payload, ['to']))),
    said: fitting(readPath(payload, ['content']) ?? null, FACT_BYTES),
  }
}

/**
 * What a moment did that an act woke: of another being only what it said to this one, and of the rest that it
 * was done.
 */
function shownEffect(fact: PastFact, self: BeingName): JsonObject | null {
  if (fact.actor === self) return shownDeed(fact)
  const by = stanceOf(fact.actor)
  if (fact.kind !== SPEECH_KIND) return { by, did: fact.kind, on: addressOf(fact.ref[0]) }
  return readPath(fact.payload, ['to']) === self ? { by, ...shownDeed(fact) } : null
}
