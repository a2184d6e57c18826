import {
  CONTENT_BOUNDS,
  type Decision,
  guardJson,
  isJsonObject,
  type Json,
  type JsonObject,
  LIMITS,
  parseCall,
  VERBS,
  type Verb,
  type VerbCall,
} from '@treeos/core'

/** What one completion comes to. */
export interface Answer {
  readonly decision: Decision
  /** tool calls after the first: none of them runs */
  readonly dropped: number
}

/** A call as the model wrote it; arguments are undefined when they were not JSON. */
interface Written {
  readonly name: unknown
  readonly args: unknown
}

const ARGUMENTS: Readonly<Record<Verb, readonly string[]>> = {
  see: ['address'],
  do: ['action', 'target', 'args'],
  summon: ['content', 'target'],
  be: ['operation', 'payload'],
}

/**
 * Reads a completion as act, see or failure. Takes anything, never throws, and its failures quote nothing that the
 * model or its provider wrote, since they are told to others and rest in logs.
 * @param completion the body of an answer, parsed
 * @param offered the verbs whose tools were sent: only to these is text lifted that merely looks like a call. A real
 *   call of another verb is passed on, for the gate to refuse
 */
export function parseAnswer(completion: unknown, offered: readonly Verb[]): Answer {
  const choices = isJsonObject(completion) ? completion.choices : undefined
  const choice = Array.isArray(choices) ? choices[0] : undefined
  if (!isJsonObject(choice) || !isJsonObject(choice.message)) return fail('model answered without a message')
  if (choice.finish_reason === 'content_filter')
    return fail("model's answer was withheld by its provider's filter")

  const { content, refusal, tool_calls } = choice.message
  const spoken = content ?? refusal ?? null // a refusal is prose under another name
  const real = tool_calls ?? []
  if ((spoken !== null && typeof spoken !== 'string') || !Array.isArray(real))
    return fail('model answered with a message that is not one of Chat Completions')

  const lifted = real.length === 0 && spoken !== null ? liftCalls(spoken, offered) : null
  const prose = proseOf(lifted === null ? spoken : lifted.prose)
  const calls = lifted?.calls ?? real
  const dropped = Math.max(0, calls.length - 1)
  if (prose !== null && !isTaken(prose)) return fail(`model's prose is refused: ${BOUNDS}`, dropped)
  if (calls.length === 0) return { decision: { kind: 'see', content: prose }, dropped }

  const { name, args } = lifted?.calls[0] ?? readCall(real[0])
  const verb = VERBS.find((known) => known === name)
  if (verb === undefined) return fail('model called a tool that there is not', dropped)
  if (args === undefined && choice.finish_reason === 'length')
    return fail(`model ran out of tokens while it called ${verb}`, dropped)
  if (!isJsonObject(args)) return fail(`model called ${verb} with arguments that are no JSON object`, dropped)
  if (!isTaken({ ...args, verb }))
    return fail(`model called ${verb} with arguments that are refused: ${BOUNDS}`, dropped)
  const call = readArguments(verb, args)
  if (call === null)
    return fail(
      `model called ${verb} with arguments missing, empty, of a wrong type, or unknown to it`,
      dropped,
    )
  return { decision: { kind: 'call', call, content: prose }, dropped }
}

const BOUNDS = `at most ${LIMITS.contentBytesMax} bytes of plain JSON, ${LIMITS.contentDepthMax} deep, are taken`

function fail(message: string, dropped = 0): Answer {
  return { decision: { kind: 'failure', code: 'LLM_FAILED', message }, dropped }
}

/** @returns undefined for text that is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isTaken(value: unknown): boolean {
  try {
    guardJson(value, CONTENT_BOUNDS)
    return true
  } catch {
    return false
  }
}

const proseOf = (text: string | null): string | null => (text === null || text.trim() === '' ? null : text)

function readCall(call: unknown): Written {
  const named = isJsonObject(call) ? call.function : undefined
  if (!isJsonObject(named)) return { name: undefined, args: undefined }
  return {
    name: named.name,
    args: typeof named.arguments === 'string' ? parseJson(named.arguments) : undefined,
  }
}

/** The same reading as everywhere, of none but the arguments that the tool names. */
function readArguments(verb: Verb, args: JsonObject): VerbCall | null {
  if (Object.keys(args).some((key) => !ARGUMENTS[verb].includes(key))) return null
  try {
    return parseCall({ ...args, verb })
  } catch {
    return null // what it says quotes the model
  }
}

interface Lifted {
  /** at least one */
  readonly calls: readonly [Written, ...Written[]]
  readonly prose: string
}

/**
 * Open-weight models write a call into their text when their server does not know their format. Calls are lifted where
 * nothing else follows them, so that a being which quotes one in the middle of a sentence does not make it.
 * @returns null when the text has none, or its first is of a verb that was not offered
 */
function liftCalls(text: string, offered: readonly Verb[]): Lifted | null {
  const lifted = liftTagged(text) ?? liftListed(text) ?? liftBare(text)
  return offered.some((verb) => verb === lifted?.calls[0].name) ? lifted : null
}

const OPEN = '<tool_call>'
const CLOSE = '</tool_call>'
const LIST = '[TOOL_CALLS]'

/** `prose <tool_call>{…}</tool_call> <tool_call>{…}</tool_call>`; servers may have eaten the last closing tag. */
function liftTagged(text: string): Lifted | null {
  const parts = text.split(OPEN)
  const calls: Written[] = []
  while (parts.length > 1) {
    const part = parts.at(-1)!.trim()
    const call = readWritten(parseJson(part.endsWith(CLOSE) ? part.slice(0, -CLOSE.length) : part))
    if (call === null) break
    calls.push(call)
    parts.pop()
  }
  return lift(calls.reverse(), parts.join(OPEN))
}

/** `prose [TOOL_CALLS][{…}, {…}]` */
function liftListed(text: string): Lifted | null {
  const at = text.lastIndexOf(LIST)
  const list = at < 0 ? undefined : parseJson(text.slice(at + LIST.length))
  if (!Array.isArray(list)) return null
  const calls = list.map(readWritten)
  return calls.includes(null) ? null : lift(calls as Written[], text.slice(0, at))
}

/** `{"name": …, "arguments": …}` and nothing else */
function liftBare(text: string): Lifted | null {
  if (!text.trimStart().startsWith('{')) return null
  const value = parseJson(text)
  const call = readWritten(value)
  return call === null || Object.keys(value as object).length !== 2 ? null : lift([call], '')
}

function lift([first, ...rest]: Written[], prose: string): Lifted | null {
  return first === undefined ? null : { calls: [first, ...rest], prose }
}

/** Text gives arguments as JSON, or as JSON in a string, as the real thing does. */
function readWritten(value: unknown): Written | null {
  if (!isJsonObject(value) || typeof value.name !== 'string' || !Object.hasOwn(value, 'arguments'))
    return null
  const args: Json | undefined = value.arguments
  return { name: value.name, args: typeof args === 'string' ? parseJson(args) : args }
}
