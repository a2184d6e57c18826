import { isJsonObject, type ShownNames } from '@treeos/core'
import { repeatsLastLine } from '@treeos/world'
import { parseJson, withoutFence } from './arguments.ts'
import { isMadeOf, isQuoted, leadingJson } from './text-calls.ts'

const ECHO = 'model repeated data that it was shown, in place of an answer in words'
const CALL_IN_WORDS = 'model wrote JSON that looks like a call, in place of a tool call or of words'
const CALL_TOLD = 'model told of a call to make, in place of a tool call or of an answer to whoever asked'
const BROKEN_JSON = 'model wrote JSON that cannot be read, in place of an answer in words'
const NO_WORDS = 'model answered without a word'

/** Why words that a model wrote cannot be meant for anybody; null where they can. */
export function faultInWords(
  words: string,
  prompt: string,
  { doOperations, beOperations, asked = '' }: ShownNames,
): string | null {
  if (MARKED_CALL.test(words)) return CALL_IN_WORDS
  for (const [, name = ''] of words.matchAll(LABELLED_CALL))
    if (VERBS.includes(name) || doOperations.has(name) || beOperations.has(name)) return CALL_IN_WORDS
  const said = words.trim()
  if (MARK_ALONE.test(said) && !asked.includes(said)) return ECHO
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
  const ofExtensions = names.filter((name) => name.includes(':'))
  const values = [json ?? withoutFence(words), ...fencedIn(words)].map(parseJson)
  const isCall = (value: unknown) =>
    isCallLike(value) || isListedCall(value, names) || (names.length > 0 && hasArguments(value))
  if (values.some(isCall)) return CALL_IN_WORDS
  // Whoever asks how to call one by its name is told.
  const isTold =
    (VERB_AS_TOOL.test(words) && !/\btool\b/i.test(asked)) ||
    ofExtensions.some((name) => !asked.includes(name) && tellsCall(words, name))
  return isTold ? CALL_TOLD : null
}

/** What stands in code fences. */
const fencedIn = (words: string): string[] =>
  words.split('```').flatMap((part, i) => (i % 2 === 1 ? part.replace(/^[\w-]+(?=\s)/, '') : []))

/** A letter, a digit or a pictogram. */
const HAS_WORDS = /[\p{L}\p{N}\p{Extended_Pictographic}]/u

/** The code of an error within a sentence, as refusals have it. */
const ERROR_CODE = /: [A-Z]+(?:_[A-Z]+)*: /

/**
 * Whether words are a refusal that the prompt told, as it stands there or after a few words that name what was refused.
 * A copy of something else may be what was asked for, such as an answer that the role gives word by word.
 */
function repeatsRefusal(said: string, prompt: string): boolean {
  const found = ERROR_CODE.exec(said)
  if (found === null) return false
  const [head, tail] = [said.slice(0, found.index), said.slice(found.index).replace(/[^\p{L}\p{N}]+$/u, '')]
  return isQuoted(tail, prompt) && (isQuoted(said, prompt) || head.split(/\s+/).length <= REFUSED_WORDS)
}

/** Most words before the code of an error that only name what was refused. Whoever explains it needs more. */
const REFUSED_WORDS = 6

/** An answer that begins by telling to call a tool that has the name of a verb. */
const VERB_AS_TOOL = /^\W{0,4}(?:first,? )?call the [`'"]?(?:see|do|summon|be)[`'"]? tool\b/i

/**
 * Whether words say that an operation is to be called, begin with it as a list of operations has it, or write it as
 * a line of what was done.
 */
function tellsCall(words: string, name: string): boolean {
  const at = words.indexOf(name)
  if (/^[\s`'"[]*$/.test(words.slice(0, at)) && /^[`'"]?\s?[:(]/.test(words.slice(at + name.length)))
    return true
  const before = words.slice(Math.max(0, at - 40), at)
  const after = words.slice(at + name.length, at + name.length + 60)
  return TOLD_BEFORE.test(before) || TOLD_AFTER.test(after)
}
const TOLD_BEFORE = /\b(?:call|tool|function|answer with)\b[^.!?\n]{0,16}$|\b(?:do|be) [`'"]?$/i
const TOLD_AFTER = /^[`'"]?(?: tool\b| function\b| on \S+ with \{)/i

/** Whether a value is a list of an operation and its arguments. A list of several operations is an answer. */
const isListedCall = (value: unknown, names: readonly string[]): boolean => {
  if (!Array.isArray(value) || !names.includes(value[0])) return false
  return value.length === 1 || !value.every((one) => names.includes(one))
}

/** A text within brackets, such as the first field of an object, or two brackets of lists. */
const BEGINS_AS_JSON = /^\s*(?:```\w*\s*)?(?:[{[][\s{[]*"|\[\s*\[)/

/** A line that begins with a control token of a call, a call in brackets, or a verb as a function. */
const MARKED_CALL =
  /^\s*(?:\[(?:(?:tools?|functions?)(?:[ _-]?calls?)?|calls?) ?[:=]|\[(?:see|do|summon|be),|<\/?(?:tools?|tool_?calls?|function_?calls?|tool_code|tool_responses?)>|\[TOOL_CALLS\]|<\|[\w ]{1,40}\|>|(?:see|do|summon|be)\()/im

const VERBS = ['see', 'do', 'summon', 'be']

/** A line that says of a name alone that it is a tool, as the first line of a call that is written as YAML. */
const LABELLED_CALL =
  /^\W{0,4}(?:tools?|functions?|actions?|operations?|calls?) ?[:=] ?[`'"]?([\w-]+(?::[\w-]+)?)[`'"]?\s*$/gim

/** One word in brackets, as parts of a prompt begin. */
const MARK_ALONE = /^\[[a-z][a-z -]{0,30}\]$/i

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
