/** Derives what shadow rules of spaces would have said. They are recorded and decide nothing. */
import { at, isArray, type Json, type JsonObject, same } from '../canonical.ts'
import { type Answer, countedFor, deriveRuleGate, rulesOf, spacesAsked } from './gates.ts'
import type { Question } from './question.ts'
import type { World } from './world.ts'

/** On so many reels an act is counted for what is tried. */
const TRIED_MAX = 8

const wordOf = ({ allowed, asks = [] }: Answer): string =>
  allowed ? (asks.length > 0 ? 'ask' : 'allowed') : 'refused'

/**
 * Compares what a record says of rules that are tried with what they give.
 * @param answer of the rules that decide
 * @throws {Error} where the record says something else
 */
export function checkShadow(
  world: World,
  question: Question,
  answer: Answer,
  { shadow = [], beside, outcome }: JsonObject,
): void {
  const { verb, key, counting } = question
  if (counting === undefined) return
  const on = counting.target
  const isTried = spacesAsked(question).some(
    (path) => Object.keys(world.space(path)?.shadow ?? {}).length > 0,
  )
  const tried = isTried && beside === undefined ? deriveRuleGate(world, question, true) : answer
  const [was, would] = [wordOf(answer), wordOf(tried)]
  const due: Json | null = was === would ? null : { verb, key, on, was, would, by: tried.by }
  const isOfCall = (one: Json) => at(one, 'verb') === verb && at(one, 'key') === key && at(one, 'on') === on
  const said = (isArray(shadow) ? shadow : []).find(isOfCall) ?? null
  const isBefore = said === null && outcome === 'failure' && answer.allowed // it may have failed before the gate was asked
  if (!isBefore && !same(said, due))
    throw new Error('the rules that are tried would have said something else')
}

/** The reels on which a call is counted for the rules that are tried, whatever they say of it. */
export function countedForTried(world: World, question: Question): NonNullable<Answer['tallies']> {
  const { verb, key, counting } = question
  if (counting === undefined) return []
  const rules = spacesAsked(question).flatMap((path) => rulesOf(world, path, [verb, key], true))
  const tried = rules.filter(({ isTried }) => isTried)
  const all = countedFor(world, question, tried, 'shadow')
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, TRIED_MAX)
}
