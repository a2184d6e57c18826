import fc from 'fast-check'
import { MIND } from './authority-deciders.ts'
import { Oracle } from './authority-oracle.ts'
import { Play, type World } from './authority-play.ts'
import {
  ALL_MOVES,
  AUTHOR_MOVES,
  BEARING,
  BIRTH_MOVES,
  CONNECT_BY,
  DRIVEN_MOVES,
  LEASE_MOVES,
  LENT_MOVES,
  MOLE,
  type Move,
  OTHER_MOVES,
  PLAIN,
  RELEASE_BY,
  scene,
  TURNING_MOVES,
} from './authority-scene.ts'

const oneOf = (moves: readonly Move[]) => fc.nat(moves.length - 1).map((i) => moves[i] as Move)
export const run = fc.record({
  /** on a world with a line of births as long as any may be; it is slower */
  deep: fc.nat(7).map((n) => n === 0),
  steps: fc.array(
    fc.record({
      /** counted from the youngest */
      who: fc.oneof(fc.constant(0), fc.nat(3)),
      move: fc.oneof(
        { weight: 4, arbitrary: oneOf(BIRTH_MOVES) },
        { weight: 3, arbitrary: oneOf(AUTHOR_MOVES) },
        { weight: 2, arbitrary: oneOf(TURNING_MOVES) },
        { weight: 2, arbitrary: oneOf(OTHER_MOVES) },
        { weight: 2, arbitrary: oneOf(LEASE_MOVES) },
      ),
      /** by whoever drives it, if anybody does */
      driven: fc.boolean(),
    }),
    { minLength: 0, maxLength: 8 },
  ),
})
type Run = typeof run extends fc.Arbitrary<infer T> ? T : never

/** After the last step so many of the youngest, and the first of all, try everything that there is to try. */
const PROBED = 2

/** @throws {Breach} */
export async function live(code: World, { deep, steps }: Run): Promise<Play> {
  const start = scene(deep)
  const play = new Play(code, start, new Oracle(start))
  await play.begin()
  for (const { who, move, driven } of steps) {
    const { cast } = play
    const turn = cast[Math.max(0, cast.length - 1 - who)] as string
    await play.step(turn, move, driven ? play.leases.deciderOf(turn) : MIND)
  }
  await play.step(play.cast.at(-1) as string, BEARING) // whoever is born last has asked for nothing before
  const { cast } = play
  const youngest = cast.at(-1) as string
  if (!deep) await drive(play, 'bailiff', 'maker')
  if (!deep) await drive(play, MOLE, 'operator')
  await drive(play, youngest, 'operator')
  const probing = deep ? cast.slice(-1) : [...new Set([...cast.slice(0, 2), ...cast.slice(-PROBED)])]
  for (const who of probing) for (const move of ALL_MOVES) await play.try(who, move)
  return play
}

/** Inhabits somebody, tries what turns on it, and lets go: nothing is left of the lease. */
async function drive(play: Play, who: string, by: keyof typeof CONNECT_BY): Promise<void> {
  await play.step(who, CONNECT_BY[by])
  for (const move of DRIVEN_MOVES) await play.try(who, move, play.leases.deciderOf(who))
  for (const move of [...LENT_MOVES, ...LEASE_MOVES]) await play.try(who, move)
  for (const decider of play.leases.wrong(who)) await play.try(who, PLAIN, decider)
  await play.step(who, RELEASE_BY.self)
  await play.step(who, CONNECT_BY.operator)
  for (const decider of play.leases.wrong(who)) await play.try(who, PLAIN, decider)
  await play.step(who, RELEASE_BY.operator)
  for (const decider of play.leases.wrong(who)) await play.try(who, PLAIN, decider)
}

/** Runs the property on other code until it fails. */
export const check = (code: World, numRuns: number) =>
  fc.check(
    fc.asyncProperty(run, async (lived) => {
      await live(code, lived)
    }),
    { numRuns, seed: 5, endOnFailure: true },
  )
