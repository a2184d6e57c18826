import {
  act,
  describeWorn,
  reply,
  type Seat,
  type SummonResult,
  see,
  spokenText,
  summon,
} from '@treeos/client'
import {
  type BeingName,
  type CallParameters,
  callParameters,
  FILES_MAX,
  fieldFault,
  filesNamed,
  isJsonObject,
  type Json,
  type JsonObject,
  matterReel,
  NOTHING_SHOWN,
  parseStance,
  quote,
  readText,
  readWrittenCall,
  requireContent,
  type SeeCall,
  type ShownNames,
  TreeosError,
  type Verb,
  wordsWith,
} from '@treeos/core'
import { verbTools } from '@treeos/world'
import { LIST_APPROVALS, listApprovals } from './approval-tools.ts'
import { LIST_OVERLAYS, listOverlays } from './overlay-tools.ts'
import { Repeats } from './repeats.ts'

/** For longer waits, a client reads the answer from the inbox. */
const WAIT_SECONDS_MAX = 300

/** The summon of a model, plus answering and waiting. */
const SPOKEN = sayingOutside(callParameters('summon', ['target', 'content', 'inReplyTo', 'expectReply']))
const SUMMON: CallParameters = {
  ...SPOKEN,
  properties: {
    ...SPOKEN.properties,
    files: {
      type: 'array',
      items: { type: 'string' },
      maxItems: FILES_MAX,
      description:
        'addresses of things that hold files, as in matter:file-…: the being is shown those of yours',
    },
    waitSeconds: {
      type: 'number',
      minimum: 0,
      maximum: WAIT_SECONDS_MAX,
      description: 'how long to wait for the reply; without it, the reply comes to the inbox',
    },
  },
}

/**
 * The same, and that the words are of others. What is said, or written to strangers, is from outside anyway.
 */
function sayingOutside(parameters: CallParameters): CallParameters {
  const outside = {
    type: 'boolean',
    description: 'true where these are words of others: of a page, a message, an agent',
  }
  return { ...parameters, properties: { ...parameters.properties, outside } }
}

const DESCRIPTIONS: Partial<Record<Verb, string>> = {
  summon: 'Speak to a being, or answer what lies in the inbox.',
}

type Registry = Parameters<typeof verbTools>[1]
const NO_OPERATIONS: Registry = { operations: new Map(), beOperations: new Map() }

/** The tools: the four verbs, always. With a surface, they tell what the operations in its reach take. */
function toolsFor(surface: Parameters<typeof verbTools>[0], registry: Registry = NO_OPERATIONS) {
  const functions = verbTools(surface, registry)
  return (['see', 'do', 'summon', 'be'] as const).map((verb) => ({
    name: verb,
    description: DESCRIPTIONS[verb] ?? functions[verb].description,
    inputSchema: schemaOf(verb, functions[verb].parameters),
    annotations: { readOnlyHint: verb === 'see', openWorldHint: false },
  }))
}
const TOOLS = toolsFor(null)

function schemaOf(verb: Verb, parameters: CallParameters): CallParameters {
  if (verb === 'summon') return SUMMON
  return verb === 'see' ? parameters : sayingOutside(parameters)
}

type PersonsTool = typeof LIST_OVERLAYS | typeof LIST_APPROVALS

/**
 * The tools of a seat: the verbs, and for a person stored overlays and what waits for its yes. A being that wears no role
 * now may ask for them too.
 */
export async function seatTools(seat: Seat): Promise<((typeof TOOLS)[number] | PersonsTool)[]> {
  const verbs = await seat
    .use(async (at, being) => toolsFor((await describeWorn(at, being)).surface, at.registry))
    .catch((error: unknown) => {
      if (error instanceof TreeosError) return TOOLS
      throw error
    })
  return seat.isPerson ? [...verbs, LIST_OVERLAYS, LIST_APPROVALS] : verbs
}

/**
 * Performs one verb as the being, or does what a tool of persons says.
 * @param given unchecked
 * @param signal ends the waiting for an answer
 * @throws {TreeosError} VERB_NOT_SUPPORTED, INVALID_INPUT or PAYLOAD_TOO_LARGE for the call, else its refusal
 */
export async function callTool(
  seat: Seat,
  name: string,
  given: unknown,
  signal: AbortSignal,
): Promise<object> {
  const input = withoutClientFields(given)
  if (name === LIST_OVERLAYS.name) {
    requireArguments(LIST_OVERLAYS, input)
    return listOverlays(seat)
  }
  if (name === LIST_APPROVALS.name) return listApprovals(seat, requireArguments(LIST_APPROVALS, input))
  const tool = TOOLS.find((known) => known.name === name)
  if (tool === undefined)
    throw new TreeosError('VERB_NOT_SUPPORTED', `tool ${quote(name)} is not one of see, do, summon, be`)
  if (tool.name === 'summon') return speak(seat, withoutEmpty(requireArguments(tool, input)), signal)
  const { outside, ...written } = requireObject(input)
  const call = readWrittenCall(
    tool.name,
    tool.name === 'see' ? requireObject(input) : written,
    await seat.use(async ({ registry }) => shownBy(registry)),
  )
  if (call.verb === 'see') return seat.use((at, being) => look(at, being, call))
  const saysOutside = truthOf('outside', outside) === true
  return seat.act((at, being) => act(at, being, call, undefined, undefined, saysOutside))
}

/** What is at one address, or at each of several: one that is refused does not fail the others. */
async function look(at: Parameters<typeof see>[0], being: BeingName, call: SeeCall): Promise<object> {
  if ('address' in call) return see(at, being, call.address)
  const sights = call.addresses.map(async (address) => {
    try {
      return { address, seen: await see(at, being, address) }
    } catch (error) {
      if (!(error instanceof TreeosError)) throw error
      return { address, refused: { code: error.code, message: error.message } }
    }
  })
  return { looks: await Promise.all(sights) }
}

/** Fields that clients, such as those of workflow builders, put beside the arguments of every tool. No tool has them. */
const CLIENT_FIELDS = new Set(['toolCallId', 'sessionId'])

export const withoutClientFields = (given: unknown): unknown =>
  isJsonObject(given)
    ? Object.fromEntries(Object.entries(given).filter(([name]) => !CLIENT_FIELDS.has(name)))
    : given

/** A client may fill in what it leaves out. */
const withoutEmpty = (args: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== '' && value !== null))

/** The registered names. A client is told those in its reach, and the gates refuse the others. */
const shownBy = ({ operations, beOperations }: Registry): ShownNames => ({
  ...NOTHING_SHOWN,
  doOperations: operationSchemas(operations),
  beOperations: operationSchemas(beOperations),
})
const operationSchemas = (known: Registry['operations']) =>
  new Map([...known.values()].map(({ name, args }) => [name, Object.keys(args)]))

/** Calls that wait, by their seat: a client that gives one up and asks again means the same summon. */
const repeatsOf = new WeakMap<Seat, Repeats>()

async function speak(seat: Seat, args: JsonObject, signal: AbortSignal): Promise<object> {
  const waitSeconds = waitOf(args.waitSeconds)
  if (waitSeconds === null) return sayTo(seat, args, { waitSeconds })
  const repeats = repeatsOf.get(seat) ?? new Repeats()
  repeatsOf.set(seat, repeats)
  const { key, end } = repeats.begin(args)
  try {
    return await sayTo(seat, args, { waitSeconds, key, signal })
  } finally {
    end(signal.aborted)
  }
}

interface WaitOptions {
  readonly waitSeconds: number | null
  readonly key?: string
  readonly signal?: AbortSignal
}

function sayTo(seat: Seat, args: JsonObject, waiting: WaitOptions): Promise<object> {
  const expectReply = truthOf('expectReply', args.expectReply)
  const outside = truthOf('outside', args.outside) === true
  const said = {
    content: wordsWith(requireSpoken(args), filesIn(args.files)),
    outside,
    ...waiting,
    ...(expectReply === null ? {} : { expectReply }),
  }
  const correlation = readText(args, 'inReplyTo')
  const target = readText(args, 'target')
  if (correlation !== null) {
    if (target !== null)
      throw new TreeosError(
        'INVALID_INPUT',
        'an answer goes to the being that asked: leave out target, or inReplyTo',
      )
    return seat.act(async (at, as) => inWords(await reply(at, { ...said, correlation, as })))
  }
  if (target === null)
    throw new TreeosError(
      'INVALID_INPUT',
      'target is missing; it takes a stance, as in @ann, or use inReplyTo',
    )
  const whom = parseStance(target)
  return seat.act(async (at, as) => inWords(await summon(at, { ...said, target: whom, as })))
}

/** An answer that is JSON also in plain words. */
const inWords = (summoned: SummonResult): SummonResult =>
  summoned.reply === null || typeof summoned.reply.content === 'string'
    ? summoned
    : { ...summoned, reply: { ...summoned.reply, ...{ text: spokenText(summoned.reply.content) } } }

/** MCP offers text alone, where a program may say any JSON. */
function requireSpoken(args: JsonObject): string {
  const content = readText(args, 'content')
  if (content === null) throw fieldFault('content', args.content, 'a text')
  return content
}

/** A message is too small for bytes, which are given by the API. */
function filesIn(value: Json | undefined): string[] {
  if (value == null) return []
  const ids = filesNamed({ files: value })
  if (Array.isArray(value) && ids.length === new Set(value).size) return ids.map(matterReel)
  throw fieldFault('files', value, `at most ${FILES_MAX} addresses of things`)
}

/** Clients write numbers and truths as text too. */
function waitOf(value: Json | undefined): number | null {
  if (value == null) return null
  const seconds = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value
  if (typeof seconds === 'number' && seconds >= 0 && seconds <= WAIT_SECONDS_MAX) return seconds
  throw new TreeosError(
    'INVALID_INPUT',
    `waitSeconds is ${quote(value)}; it takes a number from 0 to ${WAIT_SECONDS_MAX}`,
  )
}

function truthOf(field: string, value: Json | undefined): boolean | null {
  if (value == null || value === '') return null
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  throw fieldFault(field, value, 'true or false')
}

/**
 * The arguments of verbs are checked by core, for programs as for models, so no schema of zod stands here. A
 * misspelt name would else be lost without a word.
 */
function requireArguments(
  { name, inputSchema }: (typeof TOOLS)[number] | PersonsTool,
  input: unknown,
): JsonObject {
  const args = requireObject(input)
  const known = Object.keys(inputSchema.properties)
  const odd = Object.keys(args).find((key) => !known.includes(key))
  if (odd === undefined) return args
  throw new TreeosError(
    'INVALID_INPUT',
    `${name} takes no ${quote(odd)}; it takes ${known.join(', ') || 'none'}`,
  )
}

function requireObject(input: unknown): JsonObject {
  const args = requireContent(input ?? {}, 'arguments')
  if (isJsonObject(args)) return args
  throw new TreeosError('INVALID_INPUT', `arguments is ${quote(args)}; it takes an object`)
}
