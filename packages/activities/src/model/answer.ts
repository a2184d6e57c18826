import {
  CONTENT_BOUNDS,
  type Decision,
  guardJson,
  isJsonObject,
  type Json,
  type JsonObject,
  LIMITS,
  MODEL_FIELDS,
  parseCall,
  quote,
  TreeosError,
  VERBS,
  type Verb,
  type VerbCall,
} from '@treeos/core'

/** The decision in one completion. */
export interface Answer {
  readonly decision: Decision
  /** number of tool calls after the first; none of them runs */
  readonly ignoredCalls: number
}

/** The outputs of a Signature, unchecked, or why there are none. */
export type Outputs =
  | { readonly outputs: JsonObject }
  | { readonly failure: Extract<Decision, { kind: 'failure' }> }

/** A call as the model wrote it. `args` is undefined when they were not JSON. */
interface WrittenCall {
  readonly name: unknown
  readonly args: unknown
}

/**
 * Reads a completion as a call, a see or a failure. Takes any value and never throws. Its failures go to other beings and to
 * logs, so they quote a tool's name or one argument at most, of 80 characters, as printable ASCII.
 * @param completion the parsed body of an answer
 * @param offered verbs whose tools were sent. Text that looks like a call counts as one for these verbs only. A real tool
 *   call of another verb is returned as a call, and the gate refuses it
 */
export function parseAnswer(completion: unknown, offered: readonly Verb[]): Answer {
  const choices = isJsonObject(completion) ? completion.choices : undefined
  const choice = Array.isArray(choices) ? choices[0] : undefined
  if (!isJsonObject(choice) || !isJsonObject(choice.message)) return fail('model answered without a message')
  if (choice.finish_reason === 'content_filter')
    return fail("model's answer was withheld by its provider's filter")

  const { content, refusal, tool_calls } = choice.message
  const text = content ?? refusal ?? null // a refusal counts as prose
  const toolCalls = tool_calls ?? []
  if ((text !== null && typeof text !== 'string') || !Array.isArray(toolCalls))
    return fail('model answered with a message that is not one of Chat Completions')

  const inText = toolCalls.length === 0 && text !== null ? findTextCalls(text, offered) : null
  const prose = proseOf(inText === null ? text : inText.prose)
  const calls = inText?.calls ?? toolCalls
  const ignoredCalls = Math.max(0, calls.length - 1)
  if (prose !== null && !isWithinBounds(prose))
    return fail(`model's prose is refused: ${BOUNDS}`, ignoredCalls)
  if (calls.length === 0) return { decision: { kind: 'see', content: prose }, ignoredCalls }

  const { name, args } = inText?.calls[0] ?? readCall(toolCalls[0])
  const verb = VERBS.find((known) => known === name)
  if (verb === undefined)
    return fail(`model called a tool that does not exist: ${shown(name)}; ${toolsAre(offered)}`, ignoredCalls)
  if (args === undefined && choice.finish_reason === 'length')
    return fail(`model ran out of tokens while it called ${verb}`, ignoredCalls)
  if (!isJsonObject(args))
    return fail(`model called ${verb} with arguments that are not a JSON object`, ignoredCalls)
  if (!isWithinBounds({ ...args, verb }))
    return fail(`model called ${verb} with arguments that are refused: ${BOUNDS}`, ignoredCalls)
  const call = readArguments(verb, args)
  if (typeof call === 'string') return fail(call, ignoredCalls)
  return { decision: { kind: 'call', call, content: prose }, ignoredCalls }
}

/**
 * Reads the outputs of a Signature from a completion: the arguments of its tool, unchecked. Takes any value and never throws. A
 * failure quotes nothing of the model, which may repeat an overlay.
 * @param tool name of the function that takes the outputs
 */
export function parseOutputs(completion: unknown, tool: string): Outputs {
  const failed = (message: string): Outputs => ({ failure: { kind: 'failure', code: 'LLM_FAILED', message } })
  const choices = isJsonObject(completion) ? completion.choices : undefined
  const choice = Array.isArray(choices) ? choices[0] : undefined
  if (!isJsonObject(choice) || !isJsonObject(choice.message))
    return failed('model answered without a message')
  if (choice.finish_reason === 'content_filter')
    return failed("model's answer was withheld by its provider's filter")
  const calls = Array.isArray(choice.message.tool_calls) ? choice.message.tool_calls : []
  const { name, args } = readCall(calls[0])
  if (name !== tool) return failed(`model did not call ${tool}, so it gave no outputs`)
  if (args === undefined && choice.finish_reason === 'length')
    return failed(`model ran out of tokens while it called ${tool}`)
  if (!isJsonObject(args)) return failed(`model called ${tool} with arguments that are not a JSON object`)
  return isWithinBounds(args)
    ? { outputs: args }
    : failed(`model called ${tool} with arguments that are refused: ${BOUNDS}`)
}

const BOUNDS = `at most ${LIMITS.contentBytesMax} bytes of plain JSON, ${LIMITS.contentDepthMax} deep, are taken`

function fail(message: string, ignoredCalls = 0): Answer {
  return { decision: { kind: 'failure', code: 'LLM_FAILED', message }, ignoredCalls }
}

/** @returns undefined for text that is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isWithinBounds(value: unknown): boolean {
  try {
    guardJson(value, CONTENT_BOUNDS)
    return true
  } catch {
    return false
  }
}

const proseOf = (text: string | null): string | null => (text === null || text.trim() === '' ? null : text)

function readCall(call: unknown): WrittenCall {
  const named = isJsonObject(call) ? call.function : undefined
  if (!isJsonObject(named)) return { name: undefined, args: undefined }
  return {
    name: named.name,
    args: typeof named.arguments === 'string' ? parseJson(named.arguments) : undefined,
  }
}

/** Parses a call like every other caller does. @returns the fault when an argument is missing, wrong, or unknown to the tool */
function readArguments(verb: Verb, args: JsonObject): VerbCall | string {
  const fields: readonly string[] = MODEL_FIELDS[verb]
  const unknown = Object.keys(args).find((key) => !fields.includes(key))
  if (unknown !== undefined)
    return `model called ${verb} with ${shown(unknown)}, which it does not take; it takes ${fields.join(', ')}`
  try {
    return parseCall({ ...args, verb })
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    return `model called ${verb}: ${inAscii(error.message)}`
  }
}

const toolsAre = (offered: readonly Verb[]): string =>
  offered.length === 0 ? 'it has no tools' : `it has ${offered.join(', ')}`

/** A value of the model's in a message: short, in quotes, and without invisible characters. */
const shown = (value: unknown): string => inAscii(quote(value))

const inAscii = (text: string): string =>
  text.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Calls that the model wrote into its text. */
interface TextCalls {
  readonly calls: readonly [WrittenCall, ...WrittenCall[]]
  readonly prose: string
}

/**
 * Finds calls in text. Open-weight models write a call into their text when their server does not know their format. Calls
 * count only at the end of the text, so a call that is quoted within a sentence is not made.
 * @returns null when the text has no call, or its first call is of a verb that was not offered
 */
function findTextCalls(text: string, offered: readonly Verb[]): TextCalls | null {
  const lifted = findTagged(text) ?? findListed(text) ?? findBare(text)
  return offered.some((verb) => verb === lifted?.calls[0].name) ? lifted : null
}

const OPEN = '<tool_call>'
const CLOSE = '</tool_call>'
const LIST = '[TOOL_CALLS]'

/** `prose <tool_call>{…}</tool_call> <tool_call>{…}</tool_call>`. Some servers remove the last closing tag. */
function findTagged(text: string): TextCalls | null {
  const parts = text.split(OPEN)
  const calls: WrittenCall[] = []
  while (parts.length > 1) {
    const part = parts.at(-1)!.trim()
    const call = asWrittenCall(parseJson(part.endsWith(CLOSE) ? part.slice(0, -CLOSE.length) : part))
    if (call === null) break
    calls.push(call)
    parts.pop()
  }
  return textCalls(calls.reverse(), parts.join(OPEN))
}

/** `prose [TOOL_CALLS][{…}, {…}]` */
function findListed(text: string): TextCalls | null {
  const at = text.lastIndexOf(LIST)
  const list = at < 0 ? undefined : parseJson(text.slice(at + LIST.length))
  if (!Array.isArray(list)) return null
  const calls = list.map(asWrittenCall)
  return calls.includes(null) ? null : textCalls(calls as WrittenCall[], text.slice(0, at))
}

/** `{"name": …, "arguments": …}` and nothing else */
function findBare(text: string): TextCalls | null {
  if (!text.trimStart().startsWith('{')) return null
  const value = parseJson(text)
  const call = asWrittenCall(value)
  return call === null || Object.keys(value as object).length !== 2 ? null : textCalls([call], '')
}

function textCalls([first, ...rest]: WrittenCall[], prose: string): TextCalls | null {
  return first === undefined ? null : { calls: [first, ...rest], prose }
}

/** Arguments in text are JSON, or JSON in a string as in a real tool call. */
function asWrittenCall(value: unknown): WrittenCall | null {
  if (!isJsonObject(value) || typeof value.name !== 'string' || !Object.hasOwn(value, 'arguments'))
    return null
  const args: Json | undefined = value.arguments
  return { name: value.name, args: typeof args === 'string' ? parseJson(args) : args }
}
