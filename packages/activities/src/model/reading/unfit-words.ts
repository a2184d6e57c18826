import { isJsonObject, type ShownNames } from '@treeos/core'
import { repeatsLastLine } from '@treeos/world'
import { parseJson, withoutFence } from './arguments.ts'
import { isMadeOf, isQuoted, leadingJson } from './text-calls.ts'

const ECHO = 'model repeated data that it was shown, in place of an answer in words'
const CALL_IN_WORDS = 'model wrote JSON that looks like a call, in place of a tool call or of words'
const BROKEN_JSON = 'model wrote JSON that cannot be read, in place of an answer in words'
const NO_WORDS = 'model answered without a word'

/** Why words that a model wrote cannot be meant for anybody; null where they can. */
export function faultInWords(
  words: string,
  prompt: string,
  { doOperations, beOperations }: ShownNames,
): string | null {
  if (MARKED_CALL.test(words)) return CALL_IN_WORDS
  const said = words.trim()
  if (!HAS_WORDS.test(said)) return NO_WORDS
  // The name of an operation of an extension, alone or as the last line.
  const named = (said.split('\n').at(-1) ?? '')
    .replace(/^[[`]|[\]`]$/g, '')
    .replace(/^(?:do|be) /, '')
    .toLowerCase()
  if (named.includes(':') && (doOperations.has(named) || beOperations.has(named))) return CALL_IN_WORDS
  if (repeatsLastLine(words) || repeatsRefusal(said, prompt)) return ECHO
  const json = leadingJson(words)
  if (json !== null && isMadeOf(json, prompt)) return ECHO
  if (json === null && BEGINS_AS_JSON.test(words)) return BROKEN_JSON
  const names = [...doOperations.keys(), ...beOperations.keys()].filter((name) => words.includes(name))
  const values = [json ?? withoutFence(words), ...fencedIn(words)].map(parseJson)
  return values.some((value) => isCallLike(value) || (names.length > 0 && hasArguments(value)))
    ? CALL_IN_WORDS
    : null
}

/** What stands in code fences. */
const fencedIn = (words: string): string[] =>
  words.split('```').flatMap((part, i) => (i % 2 === 1 ? part.replace(/^[\w-]+(?=\s)/, '') : []))

/** A letter, a digit or a pictogram. */
const HAS_WORDS = /[\p{L}\p{N}\p{Extended_Pictographic}]/u

/** The code of an error within a sentence, as refusals have it. */
const ERROR_CODE = /: [A-Z]+(?:_[A-Z]+)*: /

/**
 * Whether words are a copy of a refusal that the prompt told. A copy of something else may be what was asked for, such
 * as an answer that the role gives word by word.
 */
const repeatsRefusal = (said: string, prompt: string): boolean =>
  ERROR_CODE.test(said) && isQuoted(said, prompt)

/** A text within brackets, such as the first field of an object, or two brackets of lists. */
const BEGINS_AS_JSON = /^\s*(?:```\w*\s*)?(?:[{[][\s{[]*"|\[\s*\[)/

/** A line that begins with a control token of a call, or with a verb as a function. */
const MARKED_CALL =
  /^\s*(?:<\/?(?:tools?|tool_?calls?|function_?calls?|tool_code|tool_responses?)>|\[TOOL_CALLS\]|<\|[\w ]{1,40}\|>|(?:see|do|summon|be)\()/im

/** Names of the parts of a call. A value with two of them is meant as one, whatever else is wrong with it. */
const CALL_FIELDS = new Set(
  'name function tool tool_name operation action verb arguments parameters args payload target tool_calls'.split(
    ' ',
  ),
)

const isCallLike = (value: unknown): boolean =>
  (Array.isArray(value) ? value : [value]).some(
    (one) => isJsonObject(one) && Object.keys(one).filter((key) => CALL_FIELDS.has(key)).length >= 2,
  )

/** Whether a value holds arguments, as a call does. */
const hasArguments = (value: unknown): boolean =>
  isJsonObject(value) && ['args', 'arguments', 'parameters'].some((key) => isJsonObject(value[key]))
