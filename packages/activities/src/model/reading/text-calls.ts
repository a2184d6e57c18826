import { isJsonObject, type Json, type JsonObject } from '@treeos/core'
import { asCalls, parseJson, readArgs, toolNameOf, type WrittenCall, withoutFence } from './arguments.ts'
import { readPythonic } from './pythonic.ts'

/** Calls that the model wrote into its words. */
export interface TextCalls {
  readonly calls: readonly [WrittenCall, ...WrittenCall[]]
  /** what stands before them */
  readonly words: string
}

/** What a call in words is held against. */
export interface OfferedTools {
  /** names of the tools that were sent */
  readonly tools: readonly string[]
  /** all that was said to the model, in which a call may be quoted */
  readonly prompt: string
}

/**
 * Finds calls in words. Open-weight models write a call into their words when their server does not know
 * their format. Such words are a call under these rules only:
 * - They are nothing but calls. Or the calls come after other words, begin on a line of their own with a
 *   control token of a template (such as `<tool_call>`) or with the brace of a call in JSON, and end the text.
 *   So a call within a sentence, or in a code fence below words, stays words.
 * - The first call names a tool that was offered.
 * - It does not stand in the prompt, word for word: an echo of the prompt is not made.
 * @param text without thinking
 * @returns null when the words are words
 */
export function findTextCalls(text: string, offer: OfferedTools): TextCalls | null {
  if (offer.tools.length === 0) return null
  const bare = withoutFence(text)
  const found = readBare(bare) ?? readMarked(bare) ?? readLast(bare)
  const [first] = found?.calls ?? []
  if (found === null || first === undefined) return null
  const calls = found.calls.map(({ name, args }) => ({ name: toolNameOf(name, offer.tools), args }))
  const [named] = calls
  if (named === undefined || !offer.tools.some((tool) => tool === named.name)) return null
  return isQuoted(found.written, offer.prompt)
    ? null
    : { calls: calls as [WrittenCall, ...WrittenCall[]], words: found.words }
}

/** What may stand before a call in JSON: a code fence, or a control token of a template. */
const BEFORE_CALL = /^(?:```[\w-]*|<[^<>\s]{1,40}>|\[TOOL_CALLS\])/
const BEFORE_CALL_MAX = 4
const CALL_IN_JSON = /^\[?\{{1,2}"(?:tool_calls?|name|function|tool|tool_name|type)":/
const NAME_IN_CALL = /"(?:name|function|tool|tool_name)":"([^"]{1,200})"/

/**
 * Whether words are a call of an offered tool in JSON that cannot be read: it was cut off, or has a fault.
 * They are not words to anybody.
 */
export function isBrokenCall(words: string, { tools, prompt }: OfferedTools): boolean {
  let text = words.trim()
  for (let i = 0; i < BEFORE_CALL_MAX; i++) text = text.replace(BEFORE_CALL, '').trimStart()
  const begins = text.slice(0, 1000).replace(/\s+/g, '')
  if (!CALL_IN_JSON.test(begins) || parseJson(text) !== undefined || isQuoted(text, prompt)) return false
  const named = NAME_IN_CALL.exec(begins)?.[1]
  return tools.some((tool) => tool === toolNameOf(named, tools)) && isOneObject(text)
}

/** Whether nothing follows the object or list that a text begins with; it may have no end. */
function isOneObject(text: string): boolean {
  const end = endOfJson(text)
  return end === null || /^[\s}\]`]*$/.test(text.slice(end))
}

/** Words that the limit of tokens cut off before their end. */
const CUT_RESPONSE = /^\{\s{0,20}"response"\s{0,20}:\s{0,20}"((?:[^"\\]|\\.)*)\\?$/s

/**
 * The words of an answer in the form that llama.cpp asks models without a tool format for: `{"response": …}`.
 */
export function responseIn(words: string, { tools }: OfferedTools): string | null {
  const bare = withoutFence(words)
  const begun = tools.length === 0 ? null : CUT_RESPONSE.exec(bare)
  if (begun !== null) return String(parseJson(`"${begun[1]}"`) ?? begun[1])
  const value = tools.length === 0 ? undefined : parseJson(bare)
  const isOne = isJsonObject(value) && Object.keys(value).length === 1 && typeof value.response === 'string'
  return isOne ? String(value.response) : null
}

/** The object or list that words begin with, whatever follows; null where they begin with none that ends. */
export function leadingJson(words: string): string | null {
  const text = words.trim().replace(BEFORE_CALL, '').trimStart()
  const end = endOfJson(text)
  return end === null || parseJson(text.slice(0, end)) === undefined ? null : text.slice(0, end)
}

/** Whether a prompt has this text in it, whatever its white space and the escapes of JSON around it. */
export function isQuoted(written: string, prompt: string): boolean {
  return plain(prompt).includes(plain(written))
}

/** Whether a prompt has each part of this JSON in it, with the name of its field. */
export function isMadeOf(written: string, prompt: string): boolean {
  const shown = plain(prompt)
  return leavesOf(parseJson(written)).every((leaf) => shown.includes(plain(leaf)))
}

const plain = (text: string): string => text.replace(/[\s\\]+/g, '')

/** The parts of a value without parts of their own, as JSON: `"name":value` of an object, `value` of a list. */
function leavesOf(value: unknown, field = ''): string[] {
  if (typeof value !== 'object' || value === null) return [field + JSON.stringify(value)]
  return Array.isArray(value)
    ? value.flatMap((one) => leavesOf(one))
    : Object.entries(value).flatMap(([name, one]) => leavesOf(one, `${JSON.stringify(name)}:`))
}

interface LooseCalls {
  readonly calls: readonly WrittenCall[]
  readonly words: string
  /** the first call as it was written */
  readonly written: string
}

/** Nothing but calls, as JSON or as Python. */
function readBare(text: string): LooseCalls | null {
  const calls = readJsonCalls(text) ?? readPythonic(text)
  return calls === null ? null : { calls, words: '', written: text }
}

/** Control tokens around calls, of all templates. Between them stands a call, in one of several grammars. */
const TAGS = [
  'tool_call',
  'tool_calls',
  'function_call',
  'function_calls',
  'functioncall',
  'TOOLCALL',
  'tool_code',
  'tools', // where the template of Qwen2.5-Coder lists them
]
const WRAPPERS = [
  ...TAGS.flatMap((tag) => [`<${tag}>`, `</${tag}>`]),
  ...['<minimax:tool_call>', '</minimax:tool_call>'],
  ...['<|tool_call|>', '<|/tool_call|>', '<|tool_calls|>', '<|tool_call>', '<tool_call|>'],
  ...['<|python_tag|>', '<|python_start|>', '<|python_end|>', '[TOOL_CALLS]', 'functools'],
  ...['<|tool_call_start|>', '<|tool_call_end|>', '<|START_ACTION|>', '<|END_ACTION|>'],
  ...['<|tool_calls_section_begin|>', '<|tool_calls_section_end|>', '<|tool_call_begin|>'],
  ...['<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>', '<｜tool▁call▁begin｜>', '<｜tool▁call▁end｜>'],
  ...['<start_function_call>', '<end_function_call>'],
]
/** Tokens that begin a call without a wrapper around it. */
const BEGINNINGS = ['<function=', '<invoke name=']
const SEPARATORS = ['<｜tool▁sep｜>', '<|tool_call_argument_begin|>', '<|tool_sep|>', '[ARGS]']
/** Marks that some templates put before the names of XML tags, and around texts. */
const PREFIXES = /(?<=<\/?)(?:｜DSML｜|antml:)/g
const TEXT_MARKS = /<escape>([\s\S]*?)<escape>|<\|"\|>([\s\S]*?)<\|"\|>/g

const oneOf = (tokens: readonly string[]) =>
  tokens
    .toSorted((a, b) => b.length - a.length)
    .map((token) => token.replace(/[[\]|()]/g, '\\$&'))
    .join('|')
const OPENING = new RegExp(`(?:^|\\n)[ \\t]*(?=${oneOf([...WRAPPERS, ...BEGINNINGS])})`)
const WRAPPER = new RegExp(oneOf(WRAPPERS))
const SEPARATED = new RegExp(
  `^(?:function\\s*(?:${oneOf(SEPARATORS)}))?\\s*([\\w.:/-]+)\\s*(?:\\[CALL_ID\\][\\w-]*)?\\s*(?:${oneOf(SEPARATORS)}|\\n)([\\s\\S]*)$`,
)

/** Words, then calls between control tokens to the end. */
function readMarked(text: string): LooseCalls | null {
  const plain = text.replace(PREFIXES, '')
  const at = OPENING.exec(plain)
  if (at === null) return null
  const from = at.index + at[0].length
  const blocks = plain
    .slice(from)
    .split(WRAPPER)
    .map((block) => block.trim())
    .filter((block) => block !== '')
  const calls: WrittenCall[] = []
  for (const block of blocks) {
    const read = readBlock(block)
    if (read === null) return null
    calls.push(...read)
  }
  const [written] = blocks
  return written === undefined ? null : { calls, words: plain.slice(0, from), written }
}

/** Of lines that begin with a brace so many are tried, the last ones: each try reads the text to its end. */
const LAST_TRIES_MAX = 16

/** Words, then calls in JSON on lines of their own to the end. */
function readLast(text: string): LooseCalls | null {
  for (const { index } of [...text.matchAll(/\n[ \t]*(?=\{)/g)].slice(-LAST_TRIES_MAX)) {
    const written = text.slice(index).trim()
    const calls = text.slice(0, index).split('```').length % 2 === 0 ? null : readJsonCalls(written)
    if (calls !== null && calls.length > 0) return { calls, words: text.slice(0, index + 1), written }
  }
  return null
}

function readBlock(block: string): readonly WrittenCall[] | null {
  const bare = withoutFence(block)
  return (
    readJsonCalls(bare) ??
    readTagged(bare, {
      begin: '<function=',
      end: '</function>',
      key: '<parameter=',
      close: '</parameter>',
    }) ??
    readTagged(bare, {
      begin: '<invoke name=',
      end: '</invoke>',
      key: '<parameter name=',
      close: '</parameter>',
    }) ??
    readKeyed(bare) ??
    readSeparated(bare) ??
    readPythonic(bare.replace(TEXT_MARKS, (_, a, b) => JSON.stringify(a ?? b)))
  )
}

/** JSON calls, one or a list, or several one after the other. */
function readJsonCalls(written: string): WrittenCall[] | null {
  if (!/^[{[]/.test(written)) return null
  const text = withoutSecondBrace(written)
  const value = parseJson(text)
  if (value !== undefined) return asCalls(value)
  const parts = splitJson(text)?.map((part) => asCalls(parseJson(part)))
  return parts === undefined || parts.includes(null) ? null : parts.flatMap((calls) => calls ?? [])
}

/**
 * An object whose braces a model wrote twice, as the template of Qwen2.5-Coder shows it calls: no JSON begins so.
 * One brace too many or too few may follow.
 */
function withoutSecondBrace(text: string): string {
  if (!/^\{\s*\{/.test(text)) return text
  const inner = text.slice(1).trimStart()
  const end = endOfJson(inner)
  return end !== null && /^[\s}]*$/.test(inner.slice(end)) ? inner.slice(0, end) : text
}

/** The texts of JSON objects that stand one after the other, with `;`, `,` or white space between. */
function splitJson(text: string): string[] | null {
  const parts: string[] = []
  for (let rest = text; rest !== ''; rest = rest.replace(/^[\s;,]+/, '')) {
    const end = endOfJson(rest)
    if (end === null) return null
    parts.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return parts.length > 1 ? parts : null
}

/**
 * Where the object or list ends that a text begins with.
 * @returns null when it begins with none, or has no end
 */
function endOfJson(text: string): number | null {
  let depth = 0
  let isInText = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (isInText) {
      if (char === '\\') at += 1
      else if (char === '"') isInText = false
    } else if (char === '{' || char === '[') depth += 1
    else if (depth === 0) return null
    else if (char === '"') isInText = true
    else if (char === '}' || char === ']') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return null
}

interface CallTags {
  readonly begin: string
  readonly end: string
  readonly key: string
  readonly close: string
}

/**
 * `<function=see><parameter=address>/a</parameter></function>`, `<function=see>{…}</function>`, and the like
 * of `<invoke>`
 */
function readTagged(block: string, { begin, end, key, close }: CallTags): WrittenCall[] | null {
  if (!block.startsWith(begin)) return null
  const calls: WrittenCall[] = []
  for (const part of block.split(begin).slice(1)) {
    const tag = readTag(part)
    if (tag === null) return null
    const { name, rest } = tag
    const [body = '', after = ''] = rest.split(end)
    if (after.trim() !== '') return null
    const args = body.includes(key) ? readParameters(body, key, close) : readArgs(body.trim() || '{}')
    if (args === undefined) return null
    calls.push({ name, args })
  }
  return calls
}

/** What follows `<function=`: `see>…` or `"see" string="true">…` */
function readTag(part: string): { name: string; rest: string; isText: boolean } | null {
  const tag = /^\s*"?([^"<>\s]{1,200})"?([^<>]{0,100})>/.exec(part)
  if (tag === null) return null
  return { name: tag[1]!, rest: part.slice(tag[0].length), isText: tag[2]!.includes('string="true"') }
}

function readParameters(body: string, key: string, close: string): JsonObject | undefined {
  const [before, ...parts] = body.split(key)
  if (before?.trim() !== '') return undefined
  const args: [string, Json][] = []
  for (const part of parts) {
    const tag = readTag(part)
    if (tag === null) return undefined
    const [text = ''] = tag.rest.split(close)
    args.push([tag.name, parameterOf(text.trim(), tag.isText)])
  }
  return Object.fromEntries(args)
}

/** `see<arg_key>address</arg_key><arg_value>/a</arg_value>` */
function readKeyed(block: string): WrittenCall[] | null {
  const [name = '', ...pairs] = block.split('<arg_key>')
  if (pairs.length === 0 || !/^[\w.:/-]+$/.test(name.trim())) return null
  const args = pairs.map((pair): [string, Json] => {
    const [key = '', value = ''] = pair.split('</arg_key>')
    const text = value.replace('<arg_value>', '').replace('</arg_value>', '').trim()
    return [key.trim(), parameterOf(text, false)]
  })
  return [{ name: name.trim(), args: Object.fromEntries(args) }]
}

/** `see<|tool_call_argument_begin|>{…}`, and the forms of Mistral and DeepSeek */
function readSeparated(block: string): WrittenCall[] | null {
  const parts = SEPARATED.exec(block)
  const args = parts === null ? undefined : readArgs(parts[2])
  return args === undefined ? null : [{ name: parts![1], args }]
}

/** XML does not tell texts from numbers: whatever is JSON, and no text in quotes, is taken as such. */
function parameterOf(text: string, isText: boolean): Json {
  const value = isText ? undefined : parseJson(text)
  return value === undefined || typeof value === 'string' ? text : (value as Json)
}
