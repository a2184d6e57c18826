import { type Cognition, type RoleName, TreeosError, type Verb } from '@treeos/core'
import { type Entry, entryKey } from '../shape/entry.ts'
import {
  type AnswerUse,
  type CanLists,
  type CompleteRole,
  type Layout,
  type Orientation,
  type ProseMeaning,
  permissionsOf,
  type RespondMode,
  type RoleSpec,
  type SelfContinue,
  type ViewChoice,
  withDefaults,
} from '../shape/role.ts'

/** A role of a stack with its prompt as text. */
export interface WornRole {
  readonly spec: RoleSpec
  readonly prompt: string
}

/** A stack composed to one role. Lists and prompt come from all roles, every other field from the primary. */
export interface ComposedRole extends CanLists {
  /** of the primary */
  readonly name: RoleName
  /** of the modifiers, in clause order */
  readonly stackedNames: readonly RoleName[]
  readonly see: readonly string[]
  readonly permissions: readonly Verb[]
  readonly prompt: string
  readonly requiredCognition: Cognition | null
  readonly selfContinue: SelfContinue
  readonly steps?: number
  readonly forceToolCall: boolean
  readonly defaultOrientation: Orientation
  readonly triggerOn: readonly string[]
  readonly respondMode: RespondMode
  readonly onAnswers?: AnswerUse
  readonly views: ViewChoice
  readonly layout: Layout
  readonly prose: ProseMeaning
}

const FRAME_BREAK = '\n\n---\n\n'

/**
 * Composes a stack. Lists are ordered unions, the primary's entries first and the first occurrence kept, so a
 * modifier only ever adds. Prompts are framed by name; blank ones leave no frame.
 * @param roles the primary, then every modifier in clause order; the primary among them counts once
 * @returns frozen, and the same for the same roles on every replay
 * @throws {TreeosError} INVALID_INPUT without any role: a stack has a primary
 */
export function composeRoles(roles: readonly WornRole[]): ComposedRole {
  const [first, ...others] = roles
  if (first === undefined) {
    throw new TreeosError('INVALID_INPUT', 'no roles to compose: a stack has a primary')
  }
  const { primary, lists, permissions } = joinedOf(
    first.spec,
    roles.map(({ spec }) => spec),
  )
  const modifiers = others.filter(({ spec }) => spec.name !== primary.name)
  return Object.freeze({
    name: primary.name,
    stackedNames: Object.freeze(modifiers.map(({ spec }) => spec.name)),
    ...lists,
    permissions,
    prompt: frames(first.prompt, modifiers).join(FRAME_BREAK),
    requiredCognition: primary.requiredCognition ?? null,
    selfContinue: primary.selfContinue,
    ...(primary.steps === undefined ? {} : { steps: primary.steps }),
    forceToolCall: primary.forceToolCall,
    defaultOrientation: primary.defaultOrientation,
    triggerOn: primary.triggerOn,
    respondMode: primary.respondMode,
    ...(primary.onAnswers === undefined ? {} : { onAnswers: primary.onAnswers }),
    views: primary.views,
    layout: primary.layout,
    prose: primary.prose,
  })
}

/** What follows from the specs of a stack alone. */
interface JoinedSpecs {
  readonly specs: readonly RoleSpec[]
  readonly primary: CompleteRole
  readonly lists: CanLists & Pick<RoleSpec, 'see'>
  readonly permissions: readonly Verb[]
}

/**
 * By the primary's spec, what its last stack joined to: a being mostly wears what it wore before. Only of
 * specs that cannot change.
 */
const known = new WeakMap<RoleSpec, JoinedSpecs>()

function joinedOf(first: RoleSpec, specs: readonly RoleSpec[]): JoinedSpecs {
  const last = known.get(first)
  if (last?.specs.length === specs.length && last.specs.every((spec, i) => spec === specs[i])) return last
  const lists = {
    canSee: union(specs, 'canSee'),
    canDo: union(specs, 'canDo'),
    canSummon: union(specs, 'canSummon'),
    canBe: union(specs, 'canBe'),
    see: union(specs, 'see') as readonly string[],
  }
  const permissions = Object.freeze(permissionsOf(lists))
  const joined = { specs, primary: withDefaults(first), lists, permissions }
  if (specs.every(isFrozen)) known.set(first, joined)
  return joined
}

const LISTS = ['canSee', 'canDo', 'canSummon', 'canBe', 'see'] as const
const isFrozen = (spec: RoleSpec): boolean =>
  Object.isFrozen(spec) &&
  LISTS.every((list) => Object.isFrozen(spec[list]) && spec[list].every(Object.isFrozen))

function union(specs: readonly RoleSpec[], list: keyof CanLists | 'see'): readonly Entry[] {
  const entries = specs.flatMap((spec) => spec[list])
  if (entries.length < 2) return Object.freeze(entries)
  // A map keeps a key at the position of its first insertion.
  return Object.freeze([...new Map(entries.map((entry) => [entryKey(entry), entry])).values()])
}

function frames(primary: string, modifiers: readonly WornRole[]): string[] {
  const worn = modifiers
    .filter(({ prompt }) => !isBlank(prompt))
    .map(({ spec, prompt }) => `Additionally, you are currently in this mode — ${spec.name}:\n\n${prompt}`)
  return isBlank(primary) ? worn : [primary, ...worn]
}

const isBlank = (prompt: string) => prompt.trim() === ''
