import { type Cognition, ORIENTATIONS, type Orientation, type RoleName, VERBS, type Verb } from '@treeos/core'
import type { Entry } from './entry.ts'

/** What a being may reach: one list a verb. An absent or empty list means none. */
export interface Surface {
  readonly canSee: readonly Entry[]
  readonly canDo: readonly Entry[]
  readonly canSummon: readonly Entry[]
  readonly canBe: readonly Entry[]
}

export { ORIENTATIONS, type Orientation }
export const REPLY_TARGETS = ['asker', 'chain-initial'] as const
export type ReplyTarget = (typeof REPLY_TARGETS)[number]
export const RESPOND_MODES = ['async', 'none'] as const
export type RespondMode = (typeof RESPOND_MODES)[number]

/** Stands for a prompt that is code of an extension, pinned by the package version it ships in. */
export interface FunctionPrompt {
  /** `<package>@<version>` */
  readonly function: string
}

/** A role as it is kept and digested: plain data. Optional fields stay absent when their author left them out. */
export interface RoleSpec extends Surface {
  readonly name: RoleName
  readonly prompt: string | FunctionPrompt
  /** for people; no part of any prompt */
  readonly description?: string
  /** see-resolvers whose results are rendered into the prompt, in this order; never tools */
  readonly see: readonly string[]
  /** only beings driven by this cognition can wear the role */
  readonly requiredCognition?: Cognition
  /** after a sealed act another moment follows */
  readonly selfContinue?: boolean
  readonly defaultOrientation?: Orientation
  /** the model must call a tool */
  readonly forceToolCall?: boolean
  /** what opens a moment: `message`, `schedule`, `change` or an extension's trigger; `[]` stores without waking */
  readonly triggerOn?: readonly string[]
  readonly replyTo?: ReplyTarget
  readonly respondMode?: RespondMode
}

/** A role with everything filled in that its author need not write. */
export interface CompleteRole extends RoleSpec {
  readonly description: string
  readonly requiredCognition?: Cognition
  readonly selfContinue: boolean
  readonly defaultOrientation: Orientation
  readonly forceToolCall: boolean
  readonly triggerOn: readonly string[]
  readonly replyTo: ReplyTarget
  readonly respondMode: RespondMode
  readonly permissions: readonly Verb[]
}

/** Which of the four verb tools are exposed, in the verbs' order: exactly those with a non-empty list. */
export function toolsOf(surface: Surface): Verb[] {
  const lists = {
    see: surface.canSee,
    do: surface.canDo,
    summon: surface.canSummon,
    be: surface.canBe,
  }
  return VERBS.filter((verb) => lists[verb].length > 0)
}

/** The verbs a role has any use of: its tools, and see when see-resolvers look for it. */
export function permissionsOf(spec: Surface & Pick<RoleSpec, 'see'>): Verb[] {
  const tools = toolsOf(spec)
  return spec.see.length > 0 && !tools.includes('see') ? ['see', ...tools] : tools
}

/** Fills in what is derived: permissions, and the defaults of every omitted field. Frozen. */
export function withDefaults(spec: RoleSpec): CompleteRole {
  return Object.freeze({
    description: '',
    selfContinue: false,
    defaultOrientation: 'forward',
    forceToolCall: false,
    triggerOn: DEFAULT_TRIGGERS,
    replyTo: 'asker',
    respondMode: 'async',
    ...spec,
    permissions: Object.freeze(permissionsOf(spec)),
  })
}

const DEFAULT_TRIGGERS: readonly string[] = Object.freeze(['message'])
