import {
  beingReel,
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  parseMomentId,
  readPath,
  SUBSTRATE,
} from '@treeos/core'
import type { DerivedPermission, Witness } from '@treeos/verify'
import { WitnessReels } from '@treeos/verify/parts'
import { areRelated, qualitiesRead } from './context.ts'
import type { CheckpointedLog } from './log.ts'

/** A witness without the facts on which the permission does not depend. */
export interface ShortWitness {
  readonly reels: Witness['reels']
  /** by `<seq> <reel>` of the fact before each gap: where the log holds it, as [index, path] */
  readonly cuts: JsonObject
}

type WitnessLink = readonly [header: Json, salt: Json, payload: Json]
interface FactRun {
  /** numbers of its first and its last fact */
  readonly from: number
  readonly to: number
}

/**
 * Leaves runs of facts out of a witness, on which the permission does not depend: long ones, and those that
 * name a being that the moment does not touch. The fact before such a run must be in the log, because the
 * hashes of the run no longer lead from it to the head.
 * @param longest number of facts in the longest run that is shown; Infinity shows all
 */
export async function shorten(
  { witness, derived }: { readonly witness: Witness; readonly derived: DerivedPermission },
  log: CheckpointedLog,
  longest: number,
): Promise<ShortWitness> {
  const { shown } = new WitnessReels(witness.reality, witness.reels)
  const isNeeded = needs(witness, derived)
  const touched = touchedBy(witness, derived)
  const isOfOthers = (link: WitnessLink) =>
    Number.isFinite(longest) && namesIn(link).some((name) => !touched.has(name))
  const reels: Record<string, Json> = {}
  const cuts: Record<string, Json> = {}
  for (const [reel, all] of Object.entries(witness.reels)) {
    const links = all as unknown as readonly WitnessLink[]
    const kept: Json[] = []
    let next = 1
    for (const { from, to } of runsOf(links, (link) => isNeeded(reel, link))) {
      if (to - from < longest && !links.slice(from - 1, to).some(isOfOthers)) continue
      const hash = shown.get(reel)?.hashes.get(to)
      const proof = await log.prove(reel, from - 1)
      if (proof?.seq !== from - 1 || hash === undefined) continue
      cuts[`${from - 1} ${reel}`] = [proof.index, [...proof.path]]
      kept.push(...links.slice(next - 1, from - 1), { to, hash })
      next = to + 1
    }
    reels[reel] = [...kept, ...links.slice(next - 1)]
  }
  return { reels, cuts }
}

const LISTS = ['canSee', 'canDo', 'canSummon', 'canBe']

/** Whether a role reaches for the children of the being that wears it. */
export const reachesForChildren = (specs: readonly Json[]): boolean =>
  specs
    .flatMap((spec) => LISTS.flatMap((list) => readPath(spec, [list]) ?? []))
    .some((entry) => readPath(entry, ['rel']) === 'any-child')

/**
 * Tells the facts on which a permission may depend. Of what a verifier reads, not all counts for each being:
 * the places of those who act and are acted on, and the children of one that reaches for its children.
 */
function needs(
  { moment, specs, target, program }: Witness,
  { lineage }: DerivedPermission,
): (reel: string, link: WitnessLink) => boolean {
  const being = String(readPath(moment.record, ['being']))
  const me = beingReel(being)
  const ofPlaces = [['permissions'], ['shadow'], ...qualitiesRead(program, 'space')]
  const isForChildren = reachesForChildren(specs)
  const isPlaced = (reel: string) =>
    reel === me || target.startsWith('matter:') || reel === beingReel(target.slice(1))
  return (reel, [header, , payload]) => {
    if (payload === null) return false
    switch (readPath(header, ['kind'])) {
      case 'being:bore':
        return isForChildren && reel === me
      case 'being:moved':
        return isPlaced(reel)
      case 'space:contributor-added':
      case 'space:contributor-removed':
        return [being, ...lineage].includes(String(readPath(payload, ['being'])))
      case 'quality:set': {
        const path = readPath(payload, ['path'])
        if (!reel.startsWith('space:') || !Array.isArray(path)) return true
        return ofPlaces.some((one) => areRelated(path.map(String), one))
      }
      default:
        return isJsonObject(payload)
    }
  }
}

const STANCE = /@([a-z][a-z0-9-]{0,31})/g

/**
 * The beings that a moment touches: itself, its makers, who spoke to it or drove it, and whom its roles and
 * its call name.
 */
function touchedBy(
  { moment, specs, surface, target }: Witness,
  { lineage }: DerivedPermission,
): ReadonlySet<string> {
  const named = canonicalJson([specs, surface, target, moment.decision])
  const others = [
    ['record', 'being'],
    ['open', 'driver'],
    ['open', 'caller', 'name'],
  ].map((path) => readPath(moment as unknown as Json, path))
  const stances = [...named.matchAll(STANCE)].map(([, name]) => name)
  return new Set(
    [...lineage, ...others, ...stances].flatMap((name) => (typeof name === 'string' ? [name] : [])),
  )
}

/** The beings that a fact names in its header, and in a payload that the gates read. */
function namesIn([header, , payload]: WitnessLink): string[] {
  const moment = readPath(header, ['moment'])
  const named = [
    readPath(header, ['actor']),
    readPath(header, ['driver']),
    typeof moment === 'string' ? parseMomentId(moment).being : null,
    ...['being', 'by', 'owner'].map((field) => readPath(payload, [field])),
  ]
  return named.flatMap((name) => (typeof name === 'string' && name !== SUBSTRATE ? [name] : []))
}

/**
 * The runs of facts that are not needed. The first fact of a reel is in none: it says what the reel is of.
 */
function runsOf(links: readonly WitnessLink[], isNeeded: (link: WitnessLink) => boolean): FactRun[] {
  const runs: FactRun[] = []
  for (const [i, link] of links.entries()) {
    if (i === 0 || isNeeded(link)) continue
    const last = runs.at(-1)
    if (last?.to === i) runs[runs.length - 1] = { from: last.from, to: i + 1 }
    else runs.push({ from: i + 1, to: i + 1 })
  }
  return runs
}
