import type {
  BeingName,
  Cognition,
  Decision,
  FactDraft,
  Json,
  JsonObject,
  MomentId,
  Verb,
  VerbCall,
} from '@treeos/core'
import type { Clause, RoleSpec } from '@treeos/roles'
import type { Reach } from '../gates/reach.ts'
import type { Standing } from '../gates/rules.ts'
import type { PatternResolver, RelationResolver } from '../read/expand-surface.ts'
import type { Face, SeeResolver } from '../read/face.ts'
import type { WorldReader } from '../read/reader.ts'
import type { OperationTarget } from '../read/target.ts'
import type { BeingRow } from '../rows/rows.ts'
import type { Effect } from './effect.ts'

/**
 * A role whose prompt may be a pure function of the moment's face; it is trusted code, run only outside the sandbox.
 * @typeParam Action names of operations that it was written with
 */
export interface Role<Action extends string = string> {
  /** there at compile time only: whoever registers the role can tell a misspelt action by it */
  readonly actions?: readonly Action[]
  readonly spec: RoleSpec
  /** null when the prompt is the text in the spec */
  readonly render: ((moment: PromptInput) => string) | null
}

/** What a prompt function may look at: nothing that replay could not fold again. */
export interface PromptInput {
  readonly me: Face['me']
  readonly face: Face
}

export interface OperationInput {
  readonly actor: BeingRow
  /** who drives the actor in this moment; null when it decides for itself */
  readonly driver: BeingRow | null
  /** whose rights the actor has beside its own: its driver's, unless the lease lends none */
  readonly lender: BeingRow | null
  /** who decides for the actor in this moment */
  readonly cognition: Cognition
  readonly target: OperationTarget
  readonly args: JsonObject
  /** reads are remembered: if one of them moves before the commit, the operation is decided again */
  readonly world: WorldReader
  /** hex digest of a JSON value, for what is kept by content */
  readonly digest: (value: Json) => string
  /** the actor's own reach, and its lender's */
  readonly reach: () => Promise<Reach>
  /**
   * Decides what the actor was asked for, as the asker: nothing in it is the actor's choice, and the asker could have done
   * the same itself. Its facts name the asker.
   * @throws {TreeosError} whatever refuses it to the asker; INVALID_INPUT when nobody asked for an operation
   */
  readonly fulfil: () => Promise<Decided>
  /** what came of the operation's effect; null of an operation without one */
  readonly effect: Json
  /** what the loaded extensions know */
  readonly known: Pick<Extension, 'spaceTypes' | 'matterTypes' | 'schedules' | 'hooks'>
}

/** What an operation decided: facts, what its caller is told, and role specs to keep by digest. */
export interface Decided {
  readonly facts: readonly FactDraft[]
  readonly result: Json
  readonly specs?: readonly RoleSpec[]
  /** wakes that are over by it, with no moment of their own */
  readonly closes?: readonly string[]
  /** said to whoever woke the actor, if anybody did, in the same act */
  readonly reply?: Json
}

/** A DO or BE operation: pure but for its reads, which are remembered. */
export interface Operation<Name extends string = string> {
  readonly name: Name
  readonly description: string
  /** `reality`: it concerns the whole reality, so it is gated at the root whatever its caller names */
  readonly targets: readonly (OperationTarget['kind'] | 'reality')[]
  /** the second gate, where no space on the way up says otherwise */
  readonly allow: readonly Standing[]
  /** name of each argument with what it takes, for forms and prompts */
  readonly args: Readonly<Record<string, string>>
  /** JSON Schema of its arguments, for forms; left out where there is none */
  readonly schema?: JsonObject
  /** what it does outside of the world first; left out when nothing */
  readonly effect?: Effect
  decide(input: OperationInput): Promise<Decided> | Decided
}

/** A scripted mind: reads the moment, decides once. It may be run again for the same moment; the first answer counts. */
export type Script = (moment: ScriptInput) => Decision | Promise<Decision>

export interface ScriptInput {
  /** its id, which is the correlation of the summon that the script makes */
  readonly moment: MomentId
  readonly face: Face
  readonly wake: WakeView
  readonly primary: string
  readonly stacked: readonly string[]
}

/** The wake as a mind may see it. */
export interface WakeView {
  readonly correlation: string
  /** correlation of the first summon of the chain; its own when it starts one */
  readonly root: string
  readonly verb: Verb
  readonly from: BeingName | null
  readonly callerCognition: Cognition | null
  readonly content: Json
  readonly inReplyTo: string | null
}

/** A part of a world: what is loaded in the worker is trusted code, and the manifest says all it brings. */
export interface Extension {
  readonly name: string
  readonly version: string
  readonly roles: readonly Role[]
  readonly clauses: readonly Clause[]
  readonly operations: readonly Operation[]
  readonly beOperations: readonly Operation[]
  readonly relations: Readonly<Record<string, RelationResolver>>
  readonly patterns: Readonly<Record<string, PatternResolver>>
  readonly resolvers: Readonly<Record<string, RelationResolver>>
  readonly see: Readonly<Record<string, SeeResolver>>
  readonly scripts: Readonly<Record<string, Script>>
  /** types of spaces and of things that it knows, by name, with what they are */
  readonly spaceTypes: Readonly<Record<string, string>>
  readonly matterTypes: Readonly<Record<string, string>>
  /** keys that it publishes in the namespace of its name, with what they say */
  readonly signals: Readonly<Record<string, string>>
  /** schedules and subscriptions that a being may be given by name */
  readonly schedules: Readonly<Record<string, JsonObject>>
  readonly hooks: Readonly<Record<string, JsonObject>>
  /** what the operator does, in order, to plant a small world that shows it; none when empty */
  readonly scene: readonly VerbCall[]
}
