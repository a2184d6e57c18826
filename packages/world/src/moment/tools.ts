import {
  type BeingName,
  type Caller,
  type CallParameters,
  callParameters,
  type FieldNotes,
  frozen,
  MODEL_FIELDS,
  type ShownNames,
  stanceOf,
  type Verb,
} from '@treeos/core'
import type { ComposedRole } from '@treeos/roles'
import { carry, type MindWords } from '@treeos/signature'
import type { Operation } from '../extend/extension.ts'
import type { Registry } from '../extend/registry.ts'
import type { Face, Targets, TargetsByVerb } from '../read/face.ts'
import { CAN_LISTS, type CanList, type ConcreteEntry, covers, type Surface } from '../rows/lists.ts'
import { argumentsSchema, needsArguments } from './arguments-schema.ts'

/** A verb as a function of the Chat Completions API. */
export interface Tool {
  readonly type: 'function'
  readonly function: {
    readonly name: Verb
    readonly description: MindWords
    readonly parameters: CallParameters
  }
}

type ReplyRules = Pick<ComposedRole, 'respondMode'>
type ToolOperations = Pick<Registry, 'operations' | 'beOperations'>

/** What the tools of a moment depend on. */
export interface ToolsAt {
  readonly surface: Surface
  /** what each verb can be called with now; left out where that is not known */
  readonly targets?: TargetsByVerb | undefined
  readonly me?: BeingName
  /** who woke it */
  readonly caller?: Pick<Caller, 'name'> | null
  /** false: the sender of the wake wants no answer */
  readonly expectReply?: boolean | undefined
  /** it has looked or acted for who asked before */
  readonly goesOn?: boolean
}

export const VERB_OF_LIST = {
  canSee: 'see',
  canDo: 'do',
  canSummon: 'summon',
  canBe: 'be',
} as const satisfies Record<CanList, Verb>

/**
 * The tools of a surface: the verbs whose list is not empty, without those that can reach nothing now. No
 * role or extension can add a fifth verb. A tool names the targets that it can have now, so a model need not
 * guess one. Operations in reach are listed with what they do and take. Where somebody can be answered,
 * acting comes first, and answering once it has acted: small models take what they read first. Looking comes
 * last, since what is around is shown to them anyway.
 */
export function toolsFor(at: ToolsAt, answering: ReplyRules, operations: ToolOperations): readonly Tool[] {
  const { surface, targets, me, caller = null, expectReply, goesOn } = at
  const { respondMode } = answering
  const of = [surface, targets, me, caller?.name, expectReply, goesOn, respondMode]
  return knownOr(toolsKnown, operations.operations, JSON.stringify(of), () =>
    frozen(makeTools(at, answering, operations)),
  )
}

/** Most results of each kind that are kept for one registry. */
const KNOWN_MAX = 200
type OperationCache<T> = WeakMap<ToolOperations['operations'], Map<string, T>>
/** Tools follow from what they are made of, and that is mostly as it was in the last moment. */
const toolsKnown: OperationCache<readonly Tool[]> = new WeakMap()
const heldKnown: OperationCache<readonly Operation[]> = new WeakMap()

/** What was made of the same operations before under this name; else it is made now. */
function knownOr<T>(
  known: OperationCache<T>,
  operations: ToolOperations['operations'],
  name: string,
  make: () => T,
): T {
  const named = known.get(operations) ?? new Map<string, T>()
  known.set(operations, named)
  const found = named.get(name)
  if (found !== undefined) return found
  const made = make()
  if (named.size >= KNOWN_MAX) named.clear()
  named.set(name, made)
  return made
}

function makeTools(at: ToolsAt, answering: ReplyRules, { operations, beOperations }: ToolOperations): Tool[] {
  const { surface, targets } = at
  const makers: Readonly<Record<CanList, () => Tool | null>> = {
    canSee: () => (isUnreachable(targets?.see) ? null : seeTool(targets?.see)),
    canDo: () => (isUnreachable(targets?.do) ? null : doTool(targets?.do, heldBy(surface.canDo, operations))),
    canSummon: () => (isUnreachable(targets?.summon) ? null : summonTool(at, answering)),
    canBe: () => beTool(heldBy(surface.canBe, beOperations)),
  }
  const order = !isAsked(at, answering) ? CAN_LISTS : at.goesOn === true ? ANSWER_FIRST : ANSWERING_ORDER
  return order.filter((list) => surface[list].length > 0).flatMap((list) => makers[list]() ?? [])
}

const ANSWERING_ORDER = ['canDo', 'canSummon', 'canSee', 'canBe'] as const satisfies readonly CanList[]
const ANSWER_FIRST = ['canSummon', 'canDo', 'canSee', 'canBe'] as const satisfies readonly CanList[]

/** Whether somebody woke the being that it can answer by a summon. */
const isAsked = ({ surface, caller = null, expectReply }: ToolsAt, { respondMode }: ReplyRules): boolean =>
  caller !== null &&
  expectReply !== false &&
  respondMode !== 'none' &&
  covers(surface.canSummon, stanceOf(caller.name)) !== undefined

const isUnreachable = (targets: Targets | undefined): boolean =>
  targets?.isWhole === true && targets.of.length === 0

/** The surface without lists that reach nothing now: no tool is offered for them, so nothing names one. */
export const offeredSurface = ({ surface, targets }: Pick<Face, 'surface' | 'targets'>): Surface => ({
  ...surface,
  ...(isUnreachable(targets?.see) ? { canSee: [] } : {}),
  ...(isUnreachable(targets?.do) ? { canDo: [] } : {}),
  ...(isUnreachable(targets?.summon) ? { canSummon: [] } : {}),
})

/** The targets as the only values of a field, where all of them are known. */
const choicesOf = (targets: Targets | undefined): Pick<FieldNotes, 'choices'> =>
  targets?.isWhole === true && targets.of.length > 0 ? { choices: targets.of } : {}

const tool = (name: Verb, description: string, parameters: CallParameters): Tool => ({
  type: 'function',
  function: { name, description: carry('declaration', description), parameters },
})

const ADDRESSES = '@name, /path or matter:id'

/** The one thing that a verb can reach: a choice of one is none, and small models fill it in wrongly. */
const onlyOf = (targets: Targets | undefined): string | undefined =>
  targets?.isWhole === true && targets.of.length === 1 ? targets.of[0] : undefined

/** With a choice of two, a second address is the other look. */
const looksAtMore = (targets: Targets | undefined): boolean =>
  !isWhole(targets) || (targets?.of.length ?? 0) > 2

const seeFields = (targets: Targets | undefined): (typeof MODEL_FIELDS)['see'] =>
  onlyOf(targets) !== undefined ? [] : looksAtMore(targets) ? MODEL_FIELDS.see : ['address']

const seeTool = (targets?: Targets): Tool =>
  tool(
    'see',
    onlyOf(targets) === undefined
      ? `Look at ${looksAtMore(targets) ? 'one address, or several at once' : 'one address'}. Nothing changes.`
      : `Look at ${onlyOf(targets)}. Nothing changes.`,
    callParameters('see', seeFields(targets), {
      address: {
        required: true,
        description: isWhole(targets) ? 'what to look at' : `what to look at: ${ADDRESSES}`,
        ...choicesOf(targets),
      },
    }),
  )

const isWhole = (targets: Targets | undefined): boolean => targets?.isWhole === true

/**
 * An answer is a summon of the being that woke this one. The runtime adds what it answers, so no field for
 * that is offered: there is nothing else that a being could answer.
 */
function summonTool(
  { surface, targets, me, caller = null, expectReply }: ToolsAt,
  answering: ReplyRules,
): Tool {
  const summon = targets?.summon
  const { respondMode } = answering
  const left = respondMode === 'none' || expectReply === false ? null : caller && stanceOf(caller.name)
  const isOfSelf = me !== undefined && covers(surface.canSummon, stanceOf(me)) !== undefined
  const isOfOthers =
    !isWhole(summon) || summon?.of.some((target) => target !== (caller && stanceOf(caller.name)))
  const isNamed = isWhole(summon) // it is the first of the choices
  const told = {
    target: {
      description: `${isWhole(summon) ? 'whom' : 'whom: @name'}${left === null || isNamed ? '' : `; ${left} when left out`}`,
      // servers hold a model to a schema only where it needs all of its fields
      required: left === null || isWhole(summon),
      ...choicesOf(summon),
    },
    orientation: {
      description:
        'only to myself, what I see then. forward: the world; half: the world, and what I did before to what is in it; inward: only what I did before',
    },
    expectReply: { description: 'false: I want no answer' },
  } as const
  const fields = MODEL_FIELDS.summon.filter((field) => {
    if (field === 'inReplyTo') return false
    if (field === 'target') return onlyOf(summon) === undefined || onlyOf(summon) !== left
    return field === 'orientation' ? isOfSelf : field === 'expectReply' ? isOfOthers : true
  })
  const noAnswer = expectReply === false ? ' No answer to what woke me is wanted, and none is sent.' : ''
  return tool('summon', `Speak to a being.${noAnswer}`, callParameters('summon', fields, told))
}

function doTool(targets: Targets | undefined, held: readonly Operation[] | null): Tool {
  const { args, isOffered, isTyped } = argumentsFor(held)
  const only = onlyOf(targets)
  const fields = MODEL_FIELDS.do.filter((field) =>
    field === 'target' ? only === undefined : field !== 'args' || isOffered,
  )
  return tool(
    'do',
    withOperations(
      only === undefined ? 'Do one operation.' : `Do one operation. Its target is ${only}.`,
      held,
      { verb: 'do', isTyped },
    ),
    callParameters('do', fields, {
      target: {
        description: isWhole(targets) ? 'what it is done to' : `what it is done to: ${ADDRESSES}`,
        required: isWhole(targets),
        ...choicesOf(targets),
      },
      operation: choicesAmong(held),
      args,
    }),
  )
}

function beTool(held: readonly Operation[] | null): Tool {
  const { args, isOffered, isTyped } = argumentsFor(held)
  const fields = MODEL_FIELDS.be.filter((field) => field !== 'args' || isOffered)
  return tool(
    'be',
    withOperations('Do one thing as who you are.', held, { verb: 'be', isTyped }),
    callParameters('be', fields, { operation: choicesAmong(held), args: args }),
  )
}

/** What is told of the arguments of all operations in reach, and whether there are any. */
function argumentsFor(held: readonly Operation[] | null): {
  readonly args: FieldNotes
  readonly isOffered: boolean
  readonly isTyped: boolean
} {
  const isListed = held !== null && held.length > 0 && held.length <= OPERATIONS_SHOWN_MAX
  const schema = isListed ? argumentsSchema(held) : null
  if (schema === 'none') return { args: {}, isOffered: false, isTyped: false }
  if (schema === null) return { args: {}, isOffered: true, isTyped: false }
  return { args: { schema, required: needsArguments(schema) }, isOffered: true, isTyped: true }
}

const OPERATIONS_SHOWN_MAX = 24

/** The operations that a list covers, those named in it first. */
const heldBy = (
  entries: readonly ConcreteEntry[],
  operations: ToolOperations['operations'],
): readonly Operation[] =>
  entries.length === 0
    ? []
    : knownOr(heldKnown, operations, JSON.stringify(entries), () => findHeld(entries, operations))

function findHeld(entries: readonly ConcreteEntry[], operations: ToolOperations['operations']): Operation[] {
  const held = [...operations.values()].filter(({ name }) => covers(entries, name) !== undefined)
  const named = held.filter(({ name }) => entries.includes(name))
  return [...new Set<Operation>([...named, ...held])]
}

const choicesAmong = (held: readonly Operation[] | null): Pick<FieldNotes, 'choices'> =>
  held === null || held.length === 0 || held.length > OPERATIONS_SHOWN_MAX
    ? {}
    : { choices: held.map(({ name }) => name) }

interface OperationStyle {
  readonly verb: 'do' | 'be'
  /** the schema says what each argument is */
  readonly isTyped: boolean
}

function withOperations(
  description: string,
  held: readonly Operation[] | null,
  telling: OperationStyle,
): string {
  if (held === null || held.length === 0) return description
  return [
    description,
    ...held.slice(0, OPERATIONS_SHOWN_MAX).map((operation) => lineOf(operation, telling)),
  ].join('\n')
}

const KIND_NAMES: Readonly<Record<Operation['targets'][number], string>> = {
  being: 'a being',
  space: 'a space',
  matter: 'a thing',
  thread: 'a thread',
  reality: '/',
}

/** One line of an operation: what it does, to what, and what each argument is. */
function lineOf({ name, description, targets, args }: Operation, { verb, isTyped }: OperationStyle): string {
  const on = verb === 'be' ? '' : `Target: ${targets.map((kind) => KIND_NAMES[kind]).join(' or ')}. `
  const taken = Object.entries(args).map(([arg, what]) => (isTyped ? arg : `${arg}: ${what}`))
  return `${name}: ${description} ${on}${taken.length === 0 ? 'No args' : `Args: ${taken.join(isTyped ? ', ' : '; ')}`}.`
}

/**
 * The four verbs as functions, for callers that no wake opened, whatever a surface holds. The operations in
 * reach are listed.
 * @param surface null when it is not known, and then no operation is listed
 */
export function verbTools(
  surface: Surface | null,
  { operations, beOperations }: ToolOperations,
): Readonly<Record<Verb, Tool['function']>> {
  const held = (list: CanList, known: ToolOperations['operations']) =>
    surface === null ? null : heldBy(surface[list], known)
  const at = { surface: surface ?? NO_SURFACE }
  return {
    see: seeTool().function,
    do: doTool(undefined, held('canDo', operations)).function,
    summon: summonTool(at, { respondMode: 'none' }).function,
    be: beTool(held('canBe', beOperations)).function,
  }
}

const NO_SURFACE: Surface = { canSee: [], canDo: [], canSummon: [], canBe: [] }

/** The names that a prompt showed: a mind may write them in a short form. */
export function shownIn(
  { surface, targets, occupants, spaces, space, me }: Face,
  { operations, beOperations }: ToolOperations,
  caller: Pick<Caller, 'name'> | null,
): ShownNames {
  const literal = [...surface.canSee, ...surface.canSummon].filter((entry) => typeof entry === 'string')
  const beings = [me.name, ...(caller === null ? [] : [caller.name]), ...occupants].map(stanceOf)
  const reachable =
    targets === undefined ? [] : [targets.see, targets.do, targets.summon].flatMap(({ of }) => of)
  return {
    addresses: [
      ...new Set([
        ...beings,
        ...literal,
        ...reachable,
        ...(space.path === '' ? [] : [space.path]),
        ...spaces,
      ]),
    ],
    doOperations: argumentNames(heldBy(surface.canDo, operations)),
    beOperations: argumentNames(heldBy(surface.canBe, beOperations)),
    ...onlyIn(targets),
    ...(surface.canSummon.length === 0 || isUnreachable(targets?.summon) ? {} : { speaks: true }),
  }
}

function onlyIn(targets: TargetsByVerb | undefined): Pick<ShownNames, 'only'> {
  const [see, does] = [onlyOf(targets?.see), onlyOf(targets?.do)]
  if (see === undefined && does === undefined) return {}
  return { only: { ...(see === undefined ? {} : { see }), ...(does === undefined ? {} : { do: does }) } }
}

const argumentNames = (held: readonly Operation[]): ReadonlyMap<string, readonly string[]> =>
  new Map(held.map(({ name, args }) => [name, Object.keys(args)]))
