import { type Cognition, ORIENTATIONS, type Orientation, type RoleName, VERBS, type Verb } from '@treeos/core'
import type { Entry } from './entry.ts'

/** What a being may reach: one list per verb. An empty list means nothing. */
export interface CanLists {
  readonly canSee: readonly Entry[]
  readonly canDo: readonly Entry[]
  readonly canSummon: readonly Entry[]
  readonly canBe: readonly Entry[]
}

export { ORIENTATIONS, type Orientation }
export const RESPOND_MODES = ['async', 'none'] as const
export const PROSE_MEANINGS = ['see', 'answers'] as const
/**
 * What prose without a tool call is: nothing that reaches anybody, or the answer to whoever waits for one.
 */
export type ProseMeaning = (typeof PROSE_MEANINGS)[number]
export type RespondMode = (typeof RESPOND_MODES)[number]
/** A being that asks others acts on each answer, or once all of them are in. */
export const ANSWER_USES = ['each', 'all'] as const
export type AnswerUse = (typeof ANSWER_USES)[number]
/**
 * true: after each sealed act; `until-answered`: only while a being still waits for the answer of the wearer.
 */
export const SELF_CONTINUES = [false, true, 'until-answered'] as const
export type SelfContinue = (typeof SELF_CONTINUES)[number]
/**
 * `default`: a model sees its place, others there, things and the conversation, whatever the role names in
 * `see`; `only`: it does not.
 */
export const VIEW_CHOICES = ['default', 'only'] as const
export type ViewChoice = (typeof VIEW_CHOICES)[number]
/**
 * The order of a prompt. `stable-first`: what changes from moment to moment comes last, so that prefix caches
 * of models hold more.
 */
export const LAYOUTS = ['as-told', 'stable-first'] as const
export type Layout = (typeof LAYOUTS)[number]

/** A prompt that is code of an extension, pinned by the version of its package. */
export interface FunctionPrompt {
  /** `<package>@<version>` */
  readonly function: string
}

/**
 * A role as it is stored and digested: plain data. Optional fields stay absent when the author left them out.
 */
export interface RoleSpec extends CanLists {
  readonly name: RoleName
  readonly prompt: string | FunctionPrompt
  /** for people; never part of a prompt */
  readonly description?: string
  /** see-resolvers whose results are rendered into the prompt, in this order; never tools */
  readonly see: readonly string[]
  readonly views?: ViewChoice
  readonly layout?: Layout
  /** only beings driven by this cognition can wear the role */
  readonly requiredCognition?: Cognition
  /** when a sealed act is followed by another moment of the being */
  readonly selfContinue?: SelfContinue
  /** most self-continues, looks and refusals for one question; left out, LIMITS.stepsDefault */
  readonly steps?: number
  readonly defaultOrientation?: Orientation
  /** the model must call a tool while a being waits for its answer; in other moments it may do nothing */
  readonly forceToolCall?: boolean
  /**
   * triggers that open a moment: `message`, `schedule`, `change` or an extension's trigger; `[]` stores
   * without waking
   */
  readonly triggerOn?: readonly string[]
  readonly respondMode?: RespondMode
  /** left out, it acts on each */
  readonly onAnswers?: AnswerUse
  readonly prose?: ProseMeaning
}

/** A role with the defaults of all fields that its author may leave out. */
export interface CompleteRole extends RoleSpec {
  readonly description: string
  readonly requiredCognition?: Cognition
  readonly selfContinue: SelfContinue
  readonly defaultOrientation: Orientation
  readonly forceToolCall: boolean
  readonly triggerOn: readonly string[]
  readonly respondMode: RespondMode
  readonly views: ViewChoice
  readonly layout: Layout
  readonly prose: ProseMeaning
  readonly permissions: readonly Verb[]
}

/** The verbs that are offered as tools: those with a non-empty list, in the order of VERBS. */
export function toolsOf(can: CanLists): Verb[] {
  const lists = {
    see: can.canSee,
    do: can.canDo,
    summon: can.canSummon,
    be: can.canBe,
  }
  return VERBS.filter((verb) => lists[verb].length > 0)
}

/** The verbs that a role uses: its tools, and see when it has see-resolvers. */
export function permissionsOf(spec: CanLists & Pick<RoleSpec, 'see'>): Verb[] {
  const tools = toolsOf(spec)
  return spec.see.length > 0 && !tools.includes('see') ? ['see', ...tools] : tools
}

/** Adds permissions and the defaults of omitted fields. Frozen. */
export function withDefaults(spec: RoleSpec): CompleteRole {
  return Object.freeze({
    description: '',
    selfContinue: false,
    defaultOrientation: 'forward',
    forceToolCall: false,
    triggerOn: DEFAULT_TRIGGERS,
    respondMode: 'async',
    views: 'default',
    layout: 'as-told',
    prose: 'see',
    ...spec,
    permissions: Object.freeze(permissionsOf(spec)),
  })
}

const DEFAULT_TRIGGERS: readonly string[] = Object.freeze(['message'])
