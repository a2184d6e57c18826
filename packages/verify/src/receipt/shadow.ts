import { at, isArray, type Json, type JsonObject, same } from '../canonical.ts'
import { type Answer, deriveRuleGate, spacesAsked } from './gates.ts'
import type { Question } from './question.ts'
import type { World } from './world.ts'

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
