/**
 * The law as two verifiers state it, on realities that are generated: each says of a bundle what contradicts,
 * and what it could not judge.
 */
import type { JsonObject } from '@treeos/core'
import { newWake, PRIORITIES } from '@treeos/core'
import { Random } from '../faults/random.ts'
import { verifyBytes } from './bundle-lines.ts'
import { bundleOf, GeneratedReality } from './generated-reality.ts'
import { BEGINNING, liveStep, TOUR } from './generated-steps.ts'
import { manor } from './manor.ts'
import type { SecondVerifier } from './second-opinion.ts'

/**
 * What a verifier says of a bundle: the class of the first fault, and by class how many calls it could not
 * judge.
 */
export interface LawOpinion {
  readonly fault: string | null
  readonly told: string
  readonly unjudged: Readonly<Record<string, number>>
}

export interface BothOpinions {
  readonly first: LawOpinion
  readonly second: LawOpinion
}

/** Draws of the steps of a reality. Leaving some out gives a smaller one. */
export const drawsOf = (seed: number, steps: number): readonly number[] => {
  const draw = new Random(seed)
  return Array.from({ length: steps }, () => Math.floor(draw.next() * 4_294_967_296))
}

/** Lives a reality of these steps. */
export async function livedReality(
  draws: readonly number[],
  name: string,
  isToured = false,
): Promise<GeneratedReality> {
  const at = new GeneratedReality(name, [manor])
  for (const [i, call] of [...BEGINNING, ...(isToured ? TOUR : [])].entries()) {
    const content = { answers: null, call: call as unknown as JsonObject }
    const wake = {
      id: `act/begin-${i}`,
      being: 'operator',
      kind: 'act' as const,
      priority: PRIORITIES.human,
      content,
      root: `begin-${i}`,
    }
    await at.live('operator', newWake(wake), call)
  }
  for (const [i, draw] of draws.entries()) await liveStep(at, new Random(draw), i)
  return at
}

const PERMISSION = /^the permission and the facts of (\d+) calls: (.*)$/

export async function bothOn(lines: readonly JsonObject[], second: SecondVerifier): Promise<BothOpinions> {
  const bundle = bundleOf(lines)
  const [{ broken, unproven }, other] = await Promise.all([
    verifyBytes(bundle, null),
    second.ask({ bundle, key: null, why: true }),
  ])
  const unjudged = Object.fromEntries(
    unproven.flatMap((told) => {
      const [, count, why = ''] = PERMISSION.exec(told) ?? []
      return count === undefined ? [] : [[why, Number(count)]]
    }),
  )
  const opinion = (
    found: readonly { readonly reason: string; readonly what: string }[] | undefined,
    all: Readonly<Record<string, number>> = {},
  ) => ({
    ...{ fault: found?.[0]?.reason ?? null, told: found?.[0]?.what ?? '', unjudged: all },
  })
  return { first: opinion(broken, unjudged), second: opinion(other.broken, other.unjudged) }
}

/**
 * What the second verifier never judges: requests for others, whose answers have words of the code, and calls
 * about threads. The first may find that nothing differs.
 */
const NOT_STATED: readonly string[] = [
  'what their askers could do when they asked is not in the bundle',
  'what a thread was at that time is in no reel',
]

/** Calls that rest on reels which the bundle does not hold. */
export const MISSING = 'they depend on reels that are not in the bundle as a whole'

/** Why neither verifier judges a call that differs and rests on what is in no reel: an act or an event. */
export const UNSEEN = 'what they answer came by no summon that is in the bundle'

/** Describes where the two verifiers differ. @returns null if they agree */
export function disagreementIn({ first, second }: BothOpinions): string | null {
  if (first.fault !== second.fault)
    return `the first says ${first.fault ?? 'ok'} (${first.told}), the second ${second.fault ?? 'ok'} (${second.told})`
  if (first.fault !== null) return null
  const more = Object.entries(second.unjudged).find(
    ([why, count]) => !NOT_STATED.includes(why) && count > (first.unjudged[why] ?? 0),
  )
  return more === undefined
    ? null
    : `the second could not judge ${more[1]} calls, the first ${first.unjudged[more[0]] ?? 0}: ${more[0]}`
}

/** Fewer steps after which they still disagree: steps are left out, the many first, until none can go. */
export async function smallestCase(
  draws: readonly number[],
  disagrees: (draws: readonly number[]) => Promise<boolean>,
): Promise<readonly number[]> {
  let left = draws
  for (let size = Math.ceil(left.length / 2); size > 0; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let from = 0; from < left.length; ) {
      const fewer = [...left.slice(0, from), ...left.slice(from + size)]
      if (fewer.length < left.length && (await disagrees(fewer))) left = fewer
      else from += size
    }
  return left
}
