import {
  type Decision,
  type DoCall,
  GIVEN_BOUNDS,
  guardJson,
  isJsonObject,
  type JsonObject,
  LIMITS,
  NOTHING_SHOWN,
  NotPlainJsonError,
  namedVerb,
  quote,
  readNamedCall,
  readWrittenCall,
  type ShownNames,
  TreeosError,
  VERBS,
  type Verb,
  type VerbCall,
} from '@treeos/core'
import type { WrittenCall } from './reading/arguments.ts'
import { readMessage } from './reading/message.ts'
import { faultInWords } from './reading/unfit-words.ts'

/** The decision in one completion. */
export interface CompletionAnswer {
  readonly decision: Decision
  /** number of tool calls after the first; none of them runs */
  readonly ignoredCalls: number
  /** the calls after the first, where all name an operation and can be read; else left out, and for none */
  readonly further?: readonly DoCall[]
  /** why its words are no answer to anybody; left out where they may be one */
  readonly unfit?: string
}

/** The outputs of a Signature, unchecked, or why there are none. */
export type SignatureOutputs =
  | { readonly outputs: JsonObject }
  | { readonly failure: Extract<Decision, { kind: 'failure' }> }

/** Ends of an answer that are failures, whatever it says. */
const BAD_ENDS = {
  filter: "model's answer was withheld by its provider's filter",
  broken: "model's server broke off the answer",
  malformed: 'model wrote a call that its server could not read',
} as const
const CUT_CALL = 'model ran out of tokens while it wrote a call'
const BROKEN_CALL = 'model wrote a call that cannot be read'
const CUT_ANSWER = 'model ran out of tokens before the end of its answer'
const NO_MESSAGE = 'model answered without a message'
const SPENT =
  'model used up its tokens before it said anything, and thinking counts: raise TREEOS_ANSWER_TOKENS, the llm.max-tokens of the ' +
  'being or the limit of its server, or let it think less'

/**
 * Reads a completion as a call, a see or a failure. Takes any value and never throws. Its failures go to
 * other beings and to logs, so they quote a tool's name or one argument at most, of 80 characters, as
 * printable ASCII.
 * @param completion the parsed body of an answer
 * @param offered verbs whose tools were sent. Text that looks like a call counts as one for these verbs only, and
 *   for a summon where `shown.speaks`. A real tool call of another verb is returned as a call, and the gate decides
 * @param prompt all that was said to the model
 * @param shown names that the prompt told, which the model may write short
 */
export function parseAnswer(
  completion: unknown,
  offered: readonly Verb[],
  prompt = '',
  shown: ShownNames = NOTHING_SHOWN,
): CompletionAnswer {
  // A call in words may name what the prompt shows, in place of the tool that does it.
  const speaks = shown.speaks === true && !offered.includes('summon') ? ['summon'] : []
  const names = [...offered, ...speaks, ...operationNames(shown)]
  const written = readMessage(completion, { tools: names, prompt })
  if (written === null) return fail(NO_MESSAGE)
  const { words, calls, end, isBroken } = written
  if (end !== 'done' && end !== 'length') return fail(BAD_ENDS[end])
  const ignoredCalls = Math.max(0, calls.length - 1)
  const unkept = words === null ? null : faultOfContent(words)
  if (unkept !== null) return fail(`model's prose is refused: ${unkept}`, ignoredCalls)
  const [first] = calls
  if (first === undefined) {
    if (words === null && end === 'length') return fail(SPENT)
    if (isBroken) return miscalled(end === 'length' ? CUT_CALL : BROKEN_CALL)
    const unfit = words === null ? null : end === 'length' ? CUT_ANSWER : faultInWords(words, prompt, shown)
    return {
      decision: { kind: 'see', content: words },
      ignoredCalls,
      ...(unfit === null ? {} : { unfit }),
    }
  }

  const { name, args } = first
  const verb = VERBS.find((known) => known === name) ?? verbOfOperation(name, shown)
  if (verb === undefined)
    return miscalled(
      `model called a tool that does not exist: ${told(name)}; ${toolsAre(offered)}`,
      ignoredCalls,
    )
  if (args === undefined && end === 'length')
    return miscalled(`model ran out of tokens while it called ${verb}`, ignoredCalls)
  if (!isJsonObject(args))
    return miscalled(`model called ${verb} with arguments that are not a JSON object`, ignoredCalls)
  const refused = faultOfContent({ ...args, verb })
  if (refused !== null)
    return miscalled(`model called ${verb} with arguments that are refused: ${refused}`, ignoredCalls)
  const call = readArguments(String(name), verb, args, shown)
  if (typeof call === 'string') return miscalled(call, ignoredCalls)
  const further = furtherCalls(calls.slice(1), shown)
  return {
    decision: { kind: 'call', call, content: words },
    ignoredCalls,
    ...(further === null ? {} : { further }),
  }
}

/** More are not queued, so they need not be read. */
const FURTHER_MAX = 4 * LIMITS.readsMax

function furtherCalls(written: readonly WrittenCall[], shown: ShownNames): readonly DoCall[] | null {
  if (written.length === 0 || written.length > FURTHER_MAX) return null
  const calls = written.map(({ name, args }) => {
    const verb = VERBS.find((known) => known === name) ?? verbOfOperation(name, shown)
    if (verb === undefined || !isJsonObject(args) || faultOfContent({ ...args, verb }) !== null) return null
    const call = readArguments(String(name), verb, args, shown)
    return typeof call === 'string' || call.verb !== 'do' ? null : call
  })
  return calls.every((call) => call !== null) ? calls : null
}

/** The names of the operations that the prompt shows, whole and without their prefix. */
const operationNames = ({ doOperations, beOperations }: ShownNames): string[] =>
  [...doOperations.keys(), ...beOperations.keys()].flatMap((name) => [
    name,
    name.slice(name.indexOf(':') + 1),
  ])

/**
 * Reads the outputs of a Signature from a completion: the arguments of its tool, unchecked. Takes any value
 * and never throws. A failure quotes nothing of the model, which may repeat an overlay.
 * @param tool name of the function that takes the outputs
 * @param prompt all that was said to the model
 */
export function parseOutputs(completion: unknown, tool: string, prompt = ''): SignatureOutputs {
  const failed = (message: string): SignatureOutputs => ({
    failure: { kind: 'failure', code: 'LLM_FAILED', message },
  })
  const written = readMessage(completion, { tools: [tool], prompt })
  if (written === null) return failed(NO_MESSAGE)
  const { words, calls, end } = written
  if (end !== 'done' && end !== 'length') return failed(BAD_ENDS[end])
  const [{ name, args } = { name: undefined, args: undefined }] = calls
  if (calls.length === 0 && words === null && end === 'length') return failed(SPENT)
  if (name !== tool) return failed(`model did not call ${tool}, so it gave no outputs`)
  if (args === undefined && end === 'length') return failed(`model ran out of tokens while it called ${tool}`)
  if (!isJsonObject(args)) return failed(`model called ${tool} with arguments that are not a JSON object`)
  const refused = faultOfContent(args)
  return refused === null
    ? { outputs: args }
    : failed(`model called ${tool} with arguments that are refused: ${refused}`)
}

function fail(message: string, ignoredCalls = 0): CompletionAnswer {
  return { decision: { kind: 'failure', code: 'LLM_FAILED', message }, ignoredCalls }
}

/** What the model wrote could not be read as a call: told so, it may call again. */
function miscalled(message: string, ignoredCalls = 0): CompletionAnswer {
  return { decision: { kind: 'failure', code: 'LLM_FAILED', message, miscall: true }, ignoredCalls }
}

/** Why a value cannot be recorded, without its place: a path has names that the model wrote. */
function faultOfContent(value: unknown): string | null {
  try {
    guardJson(value, GIVEN_BOUNDS)
    return null
  } catch (error) {
    if (!(error instanceof NotPlainJsonError)) throw error
    return error.reason
  }
}

/** The verb of a tool that has the name of an operation which was shown. */
const verbOfOperation = (name: unknown, shown: ShownNames): Verb | undefined =>
  typeof name === 'string' ? namedVerb(name, shown) : undefined

/** @returns the fault when an argument is missing, wrong, or unknown to the tool */
function readArguments(name: string, verb: Verb, args: JsonObject, shown: ShownNames): VerbCall | string {
  try {
    return name === verb ? readWrittenCall(verb, args, shown) : readNamedCall(name, args, shown)
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    return `model called ${verb}: ${inAscii(error.message)}`
  }
}

const toolsAre = (offered: readonly Verb[]): string =>
  offered.length === 0 ? 'it has no tools' : `it has ${offered.join(', ')}`

/** A value of the model's in a message: short, in quotes, and without invisible characters. */
const told = (value: unknown): string => inAscii(quote(value))

const inAscii = (text: string): string =>
  text.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
