import { isJsonObject, type Json, type JsonObject } from '@treeos/core'
import type { LostCallOutcome } from '@treeos/sdk'
import type { CheckRule } from './file.ts'

/** What of the lost call a rule may name. */
interface LostCall {
  readonly args: JsonObject
  readonly key: string
}

/** The arguments for the tool that is asked what became of a lost call. */
export const argsOfCheck = ({ args }: CheckRule, lost: LostCall): JsonObject =>
  filled(args, lost) as JsonObject

/** What its answer says of the lost call. A text that the lost call did not have cannot be looked for. */
export function readCheck(rule: CheckRule, answer: JsonObject, lost: LostCall): LostCallOutcome<JsonObject> {
  const [happened, didNot] = [rule.happened, rule.didNotHappen].map((wanted) => told(wanted, lost))
  const holds = (wanted: string) => textsIn(answer).some((text) => text.includes(wanted))
  if (happened === undefined) return { outcome: 'unknown' }
  if (answer.isError !== true && holds(happened))
    return { outcome: 'happened', value: { ...answer, toldBy: rule.tool } }
  const isDenied =
    rule.didNotHappen === undefined ? answer.isError !== true : didNot !== undefined && holds(didNot)
  return { outcome: isDenied ? 'did-not-happen' : 'unknown' }
}

function told(wanted: string | undefined, lost: LostCall): string | undefined {
  const text = wanted === undefined ? null : filled(wanted, lost)
  return text === null || text === '' ? undefined : String(text)
}

const KEY = '$$key'

function filled(value: Json, { args, key }: LostCall): Json {
  if (value === KEY) return key
  if (typeof value === 'string' && value.startsWith('$')) return args[value.slice(1)] ?? null
  if (Array.isArray(value)) return value.map((part) => filled(part, { args, key }))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, filled(part, { args, key })]))
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
