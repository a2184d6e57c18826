import {
  type CallParameters,
  callParameters,
  type Json,
  MODEL_FIELDS,
  type RoleName,
  type Verb,
} from '@treeos/core'
import { type ComposedRole, composeRoles, type RoleSpec } from '@treeos/roles'
import {
  type FilledSignature,
  inline,
  type Prompt,
  renderSignature,
  roleBody,
  rolePrompt,
  viewBlock,
} from '@treeos/signature'
import type { Registry } from '../extend/registry.ts'
import type { Face } from '../read/face.ts'
import { CAN_LISTS, type CanList, type Concrete, covers, type Surface } from '../rows/lists.ts'
import { localTime } from './open-time.ts'
import { type WakeRow, wakeBlock } from './wake-block.ts'

/**
 * Version of what a moment shows and of the form of its prompt: the views of the substrate, their bounds, and the parts of the
 * prompt. It is recorded with each moment. Raise it with every change of these, so that replay does not compare the prompt of an
 * older moment with one of another form.
 */
export const PROMPT_LAYOUT = 1

/** The composed role of a moment, and the prompt and tools that a model gets for it. */
export interface Composed {
  readonly role: ComposedRole
  /** the Signature of the moment; the call of a model renders it with the overlay, if there is one */
  readonly signature: FilledSignature
  /** its rendering without an overlay: this is recorded */
  readonly prompt: Prompt
  readonly tools: readonly Tool[]
  /** a role whose prompt is code of a version that is not loaded here: this prompt must not be used; null when all are loaded */
  readonly missing: RoleName | null
}

/**
 * Composes the roles of one moment over its face. Live moments, replay and what-if all use it.
 * @param specs of the stack, primary first, as they were pinned when the moment opened
 * @param moment its wake, content and time
 */
export function composeMoment(
  registry: Pick<Registry, 'roles' | 'operations' | 'beOperations'>,
  specs: readonly RoleSpec[],
  face: Face,
  moment: PromptMoment,
): Composed {
  const role = composeRoles(specs.map((spec) => ({ spec, prompt: roleBody(render(registry, spec, face)) })))
  const signature = fillMoment(role, face, moment)
  return {
    role,
    signature,
    prompt: renderSignature(signature, null),
    // Only who asks a model needs them, and they take long to make.
    get tools() {
      return toolsFor(face.surface, role, registry, moment.wake.expectReply)
    },
    missing: specs.find((spec) => !isLoaded(registry, spec))?.name ?? null,
  }
}

/**
 * Renders the prompt of a role. A prompt function that throws renders as empty: a fault in a prompt must not change what the
 * being can do.
 */
function render(registry: Pick<Registry, 'roles'>, spec: RoleSpec, face: Face): string {
  if (typeof spec.prompt === 'string') return spec.prompt
  try {
    return registry.roles.get(spec.name)?.render?.({ me: face.me, face }) ?? ''
  } catch {
    return ''
  }
}

function isLoaded(registry: Pick<Registry, 'roles'>, { name, prompt }: RoleSpec): boolean {
  if (typeof prompt === 'string') return true
  const loaded = registry.roles.get(name)?.spec.prompt
  return typeof loaded === 'object' && loaded.function === prompt.function
}

const VERB_OF_LIST = {
  canSee: 'see',
  canDo: 'do',
  canSummon: 'summon',
  canBe: 'be',
} as const satisfies Record<CanList, Verb>
const HINT: Readonly<Record<CanList, string>> = {
  canSee: 'read these addresses',
  canDo: 'do these actions',
  canSummon: 'speak to these beings',
  canBe: 'perform these identity operations',
}

/** A moment as its prompt shows it: its wake and its time, from rows, and the content of the wake. */
export interface PromptMoment extends WakeRow {
  /** ms since 1970 UTC */
  readonly openedAt: number
  /** IANA name of the reality's zone */
  readonly zone: string
  /** minutes that the zone is ahead of UTC; absent: UTC is shown */
  readonly offset?: number | undefined
  readonly content: Json
}

/** Name of the Signature of every moment. */
const MOMENT_SIGNATURE = 'moment'

/**
 * Fills the Signature of one moment. What it is to do is assembled in a fixed order: identity and place, see-views,
 * capabilities, the composed role prompt, who speaks, the recorded time. Its input is the content of the wake, and its output a
 * call of one of the tools. It is pure: the same moment gives the same bytes on every replay. Raise `PROMPT_LAYOUT` when it
 * changes.
 */
export function fillMoment(role: ComposedRole, face: Face, moment: PromptMoment): FilledSignature {
  const { openedAt, zone, offset, content } = moment
  const time = offset === undefined ? new Date(openedAt).toISOString() : localTime(openedAt, offset)
  const parts = [
    `I am ${inline(face.me.name)}, ${inline(role.name)} at ${inline(face.space.path)}.`,
    ...face.views.map(({ name, view }) => viewBlock(name, view)),
    capabilities(face.surface),
    rolePrompt(role.prompt),
    wakeBlock(moment, face.surface, role),
    `[Time] ${time}${offset === undefined ? '' : ` ${inline(zone)}`}`,
  ]
  return {
    name: MOMENT_SIGNATURE,
    system: parts.filter((part) => part.trim() !== '').join('\n\n'),
    inputs: { content },
    isBare: true,
  }
}

function capabilities(surface: Surface): string {
  const sections = CAN_LISTS.filter((list) => surface[list].length > 0).map((list) => {
    const lines = surface[list].map((entry) => `- ${show(entry)}`)
    return `${VERB_OF_LIST[list]} (${HINT[list]} with the ${VERB_OF_LIST[list]} tool):\n${lines.join('\n')}`
  })
  return sections.length === 0 ? '' : `and can:\n\n${sections.join('\n\n')}`
}

const show = (entry: Concrete): string =>
  typeof entry === 'string' ? inline(entry) : `anything like ${inline(entry.pattern)}`

/** A verb as a function of the Chat Completions API. */
export interface Tool {
  readonly type: 'function'
  readonly function: {
    readonly name: Verb
    readonly description: string
    readonly parameters: CallParameters
  }
}

const TOOLS: Readonly<Record<Exclude<Verb, 'summon'>, Tool>> = {
  see: tool('see', 'Read the world at an address. Nothing changes.', callParameters('see', MODEL_FIELDS.see)),
  do: tool('do', 'Invoke one action on a target.', callParameters('do', MODEL_FIELDS.do)),
  be: tool('be', 'Perform an identity operation.', callParameters('be', MODEL_FIELDS.be)),
}

type Answering = Pick<ComposedRole, 'replyTo' | 'respondMode'>

const SUMMON_TOOLS: Readonly<Record<Answering['replyTo'] | 'nobody' | 'announcer', Tool>> = {
  asker: summonTool('@name; whoever woke me when left out', false),
  'chain-initial': summonTool('@name; whoever began all this when left out', false),
  nobody: summonTool('@name', true),
  announcer: summonTool(
    '@name',
    true,
    'Speak to a being. No answer to what woke me is wanted, and none is sent.',
  ),
}

function summonTool(target: string, required: boolean, description = 'Speak to a being.'): Tool {
  const told = { target: { description: target, required } }
  return tool('summon', description, callParameters('summon', MODEL_FIELDS.summon, told))
}

function tool(name: Verb, description: string, parameters: CallParameters): Tool {
  return { type: 'function', function: { name, description, parameters } }
}

type Operations = Pick<Registry, 'operations' | 'beOperations'>

/**
 * The tools of a surface: the verbs whose list is not empty. No role or extension can add a fifth verb. Operations in reach are
 * listed with their arguments, since a model that guesses them fails its moment.
 * @param expectReply false when the sender of the wake wants no answer
 */
export function toolsFor(
  surface: Surface,
  { replyTo, respondMode }: Answering,
  { operations, beOperations }: Operations,
  expectReply = true,
): Tool[] {
  const answers = expectReply ? replyTo : 'announcer'
  return CAN_LISTS.filter((list) => surface[list].length > 0).map((list) => {
    if (list === 'canSummon') return SUMMON_TOOLS[respondMode === 'none' ? 'nobody' : answers]
    const tool = TOOLS[VERB_OF_LIST[list]]
    if (list === 'canDo') return withOperations(tool, surface.canDo, operations)
    return list === 'canBe' ? withOperations(tool, surface.canBe, beOperations) : tool
  })
}

const OPERATIONS_SHOWN_MAX = 24

/** Adds to a tool the operations that its list covers, those named in the list first. */
function withOperations(
  tool: Tool,
  entries: readonly Concrete[],
  operations: Operations['operations'],
): Tool {
  const held = [...operations.values()].filter(({ name }) => covers(entries, name) !== undefined)
  const named = held.filter(({ name }) => entries.includes(name))
  const shown = [...new Set([...named, ...held])].slice(0, OPERATIONS_SHOWN_MAX)
  if (shown.length === 0) return tool
  const lines = shown.map(({ name, args }) => {
    const taken = Object.entries(args).map(([arg, what]) => `${arg}: ${what}`)
    return taken.length === 0 ? name : `${name} (${taken.join('; ')})`
  })
  const description = [tool.function.description, 'With their arguments:', ...lines].join('\n')
  return { ...tool, function: { ...tool.function, description } }
}

/** The four verbs as functions, for callers that no wake opened: their summons must name a target. */
const VERB_TOOLS: Readonly<Record<Verb, Tool>> = { ...TOOLS, summon: SUMMON_TOOLS.nobody }

/**
 * The four verbs as functions, whatever a surface holds. The operations in reach are listed with their arguments.
 * @param surface null when it is not known, and then no operation is listed
 */
export function verbTools(
  surface: Surface | null,
  { operations, beOperations }: Operations,
): Readonly<Record<Verb, Tool['function']>> {
  const { see, summon } = VERB_TOOLS
  const shown = (tool: Tool, entries: readonly Concrete[] | undefined, held: Operations['operations']) =>
    withOperations(tool, entries ?? [], held).function
  return {
    see: see.function,
    do: shown(VERB_TOOLS.do, surface?.canDo, operations),
    summon: summon.function,
    be: shown(VERB_TOOLS.be, surface?.canBe, beOperations),
  }
}
