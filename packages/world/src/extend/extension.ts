import type {
  BeingName,
  Cognition,
  Decision,
  FactDraft,
  Json,
  JsonObject,
  MomentId,
  SpacePath,
  TreeosError,
  Verb,
  VerbCall,
} from '@treeos/core'
import type { Clause, RoleSpec } from '@treeos/roles'
import type { Signature } from '@treeos/signature'
import type { RuleAsk } from '../gates/ask.ts'
import type { Reach } from '../gates/reach.ts'
import type { OperationForm, OperationForms } from '../gates/require-covered.ts'
import type { RuleStanding } from '../gates/rules.ts'
import type { PatternResolver, RelationResolver } from '../read/expand-surface.ts'
import type { Face, SeeResolver } from '../read/face.ts'
import type { WorldReader } from '../read/reader.ts'
import type { OperationTarget } from '../read/target.ts'
import type { ApprovalRow, BeingRow } from '../rows/rows.ts'
import type { Effect } from './effect.ts'

/**
 * A role whose prompt may be a pure function of the moment's face. The function is trusted code and runs
 * outside the sandbox.
 * @typeParam Action names of operations that it was written with
 */
export interface Role<Action extends string = string> {
  /** exists at compile time only, to report misspelt operations */
  readonly actions?: readonly Action[]
  readonly spec: RoleSpec
  /** null when the prompt is the text in the spec */
  readonly render: ((moment: PromptInput) => string) | null
}

/** What a prompt function may read: only what replay can fold again. */
export interface PromptInput {
  readonly me: Face['me']
  readonly face: Face
}

export interface DecideInput {
  readonly actor: BeingRow
  /** who drives the actor in this moment; null when it decides for itself */
  readonly driver: BeingRow | null
  /** the being whose rights the actor has in addition to its own: its driver, unless the lease lends none */
  readonly lender: BeingRow | null
  /** who decides for the actor in this moment */
  readonly cognition: Cognition
  readonly target: OperationTarget
  readonly args: JsonObject
  /**
   * the moment of the actor, and the wake that opened it: what a mind cannot make up, as it can its arguments
   */
  readonly moment: MomentId
  readonly wake: WakeView
  /** whether the moment holds words from outside */
  readonly fromOutside: boolean
  /** reads are recorded: if one of them changes before the commit, the operation is decided again */
  readonly world: WorldReader
  /** hex digest of a JSON value, for content that is kept by digest */
  readonly digest: (value: Json) => string
  /** the actor's own reach, and its lender's */
  readonly reach: () => Promise<Reach>
  /**
   * Whether the actor may see a space now: what the lists of this moment hold, or what its reach and its
   * lender's hold, unless a rule of a space keeps it from the actor. What it may not see, it may not come to
   * know by going there.
   */
  readonly sees: (space: SpacePath) => Promise<boolean>
  /**
   * for an operation that mediates: what became of the operation that the wake asks for; null for any other
   */
  readonly fulfilled: FulfilledAsk | null
  /** result of the operation's effect; null for an operation without one */
  readonly effect: Json
  readonly known: LoadedCode
  /** when the moment opened, ms since 1970 UTC */
  readonly openedAt: number
  /**
   * Carries out an operation of the substrate for the same actor, as part of this act. The rule gate is asked
   * about it, and its own checks hold. The actor's lists are not asked: they hold the operation that carries
   * it out. Its facts come before those of this operation.
   * @returns its result
   * @throws {TreeosError} EXTENSION_BLOCKED when the manifest does not name it; else its refusal
   */
  readonly carryOut: CarryOut
  /** the extension whose operation carries this one out; null when the actor does it itself */
  readonly carriedBy: string | null
}

/** An operation of the substrate that one of an extension carries out. */
export interface CarriedCall {
  readonly operation: string
  /** stance, path or address; the actor when left out */
  readonly target?: string
  readonly args: JsonObject
}
export type CarryOut = (call: CarriedCall) => Promise<Json>

/** A quality of beings with a maker, by which `treeos beings` lists them. */
export interface Facet {
  /** `role` for `--role` */
  readonly name: string
  /** dotted path of a text, as in `lineage.role` */
  readonly quality: string
}

/** What the loaded code brings, by name. */
export interface LoadedCode extends Pick<Extension, 'spaceTypes' | 'matterTypes' | 'schedules' | 'hooks'> {
  /** of signals: those of the extensions and of the substrate, which no being takes */
  readonly namespaces: readonly string[]
  readonly scripts: readonly string[]
  readonly operations: OperationForms
}

/** Decision of an operation: facts, a result for its caller, and role specs to keep by digest. */
export interface DecidedOperation {
  readonly facts: readonly FactDraft[]
  readonly result: Json
  readonly specs?: readonly RoleSpec[]
  /** ids of wakes that this ends, without a moment of their own */
  readonly closes?: readonly string[]
  /** sent to the being that woke the actor, if one did, in the same act */
  readonly reply?: Json
  /** said to a being in the same act, through both gates; not together with a reply */
  readonly tell?: { readonly target: string; readonly content: Json }
  /** beings that the actor made, or makes in this act: each gets a wake of its own, without a caller */
  readonly awakens?: readonly { readonly being: BeingName; readonly content: Json }[]
  /** true: the actor does not go on by itself after this act */
  readonly rests?: true
  /** of the substrate only: a being goes on, since what it asked was answered */
  readonly resumes?: ResumedApproval
  /** of the substrate only: a call that a person changed, which the others are asked about anew */
  readonly asksAgain?: ApprovalRow
}

/** That a being goes on from the moment in which it asked for a yes. */
export interface ResumedApproval {
  readonly row: ApprovalRow
  readonly event: 'approved' | 'denied' | 'expired'
  /** who answered; left out when nobody did */
  readonly by?: BeingName
  readonly why?: string
}

/**
 * What became of an operation that the wake asked for. It was decided with the rights of the asker, who could
 * have done the same itself, and its facts name the asker. Or it was refused, as it would have been to the
 * asker.
 */
export type FulfilledAsk =
  | {
      readonly kind: 'decided'
      readonly decided: DecidedOperation
      /** the rules that allowed it to the asker */
      readonly by: readonly string[]
      /** it has an effect, which was done */
      readonly hasEffect: boolean
    }
  | { readonly kind: 'refused'; readonly error: TreeosError }

/** What an operation may say no from. */
export type AllowInput = Pick<DecideInput, 'actor' | 'target' | 'args' | 'world' | 'wake' | 'openedAt'>

/** A DO or BE operation. It is pure, except for reads, which are recorded. */
export interface Operation<Name extends string = string> extends OperationForm {
  readonly name: Name
  readonly description: string
  /** for the rule gate, where no rule says whom it permits */
  readonly allow: readonly RuleStanding[]
  /** whom to ask before it, where `allow` decides; left out for nobody */
  readonly ask?: RuleAsk
  /** what each argument takes, by name, for forms and prompts */
  readonly args: Readonly<Record<string, string>>
  /** JSON Schema of its arguments, for forms; left out where there is none */
  readonly schema?: JsonObject
  /** what it does outside the world first; left out when nothing */
  readonly effect?: Effect
  /**
   * it invokes a skill: name of the Signature that overlays attach to unless they name another; left out for
   * none
   */
  readonly entry?: string
  /**
   * It answers whoever woke the actor: the name of the argument that takes the answer. A prompt then names it
   * as the way to answer, instead of a summon; left out otherwise
   */
  readonly answers?: string
  /** names of arguments whose text is stored sealed: `decide` gets them sealed; left out for none */
  readonly seals?: readonly string[]
  /**
   * Asked before the effect, and before `decide` where there is none: what may not be done then is refused
   * before anything is done outside.
   * @returns true, or why not; what it reads is recorded like what `decide` reads
   */
  allowIf?(input: AllowInput): boolean | string | Promise<boolean | string>
  /**
   * true: it does what the wake asks for, on behalf of the asker, and takes no arguments; left out otherwise
   */
  readonly mediates?: true
  /**
   * true: only a person does it, by an act of its own and in its own words, so what a program asks for in its
   * name counts as words from outside and is refused; left out otherwise
   */
  readonly inPerson?: true
  /**
   * true: what it writes holds no words that a mind is told, and lets nobody do more; what a program does by any other operation counts as
   * words from outside
   */
  readonly wordless?: true
  /** a person declared that it only reads, so a model may call it with other reads in one answer; left out otherwise */
  readonly reads?: true
  decide(input: DecideInput): Promise<DecidedOperation> | DecidedOperation
}

/** Decides for a scripted being. It may run more than once for a moment; the first answer counts. */
export type Script = (moment: ScriptInput) => Decision | Promise<Decision>

export interface ScriptInput {
  /** its id, which is the correlation of the summon that the script makes */
  readonly moment: MomentId
  readonly face: Face
  readonly wake: WakeView
  readonly primary: string
  readonly stacked: readonly string[]
}

/** A wake, as a model, a script or an operation sees it. */
export interface WakeView {
  /** id of the wake that an answer names; where the being goes on, of the wake that it goes on from */
  readonly correlation: string
  /**
   * why it began, in one word: `message`, `answer`, `act`, `continue`, `look`, `change`, `schedule`, `idle`,
   * …
   */
  readonly kind: string
  /** correlation of the first summon of the chain; its own when it starts one */
  readonly root: string
  readonly verb: Verb
  readonly from: BeingName | null
  readonly callerCognition: Cognition | null
  readonly content: Json
  readonly inReplyTo: string | null
  /** false: its sender wants no answer, and none is sent */
  readonly expectReply: boolean
  /** true: its words come from outside of the reality */
  readonly outside: boolean
}

/** An extension: trusted code that a worker loads. This manifest names everything that it defines. */
export interface Extension {
  readonly name: string
  readonly version: string
  /** what it was set to that calls and faces depend on, beside its version; nothing when left out */
  readonly settings?: Json
  readonly roles: readonly Role[]
  readonly clauses: readonly Clause[]
  readonly operations: readonly Operation[]
  readonly beOperations: readonly Operation[]
  /**
   * names of operations of the substrate that its operations carry out for their actor; none when left out
   */
  readonly carriesOut?: readonly string[]
  /** the Signatures of its tasks, by the name of the shape; none when left out */
  readonly shapes?: Readonly<Record<string, Signature>>
  readonly relations: Readonly<Record<string, RelationResolver>>
  readonly patterns: Readonly<Record<string, PatternResolver>>
  readonly resolvers: Readonly<Record<string, RelationResolver>>
  readonly see: Readonly<Record<string, SeeResolver>>
  readonly scripts: Readonly<Record<string, Script>>
  /** types of spaces and of things that it defines, by name, with a description */
  readonly spaceTypes: Readonly<Record<string, string>>
  readonly matterTypes: Readonly<Record<string, string>>
  /** qualities by which lists of beings are narrowed; none when left out */
  readonly facets?: readonly Facet[]
  /** keys that it publishes in the namespace with its name, with a description */
  readonly signals: Readonly<Record<string, string>>
  /** schedules and subscriptions that a being may be given by name */
  readonly schedules: Readonly<Record<string, JsonObject>>
  readonly hooks: Readonly<Record<string, JsonObject>>
  /** calls that the operator makes, in order, to set up a demonstration; empty for none */
  readonly scene: readonly VerbCall[]
  /** scripted beings of the scene that are born with a model as their mind where one is connected; none when left out */
  readonly minds?: readonly BeingName[]
  /** forms that the portal offers beside its own one of a birth; none when left out */
  readonly birthForms?: readonly BirthForm[]
}

/**
 * A form for an operation that brings a child into the world. The portal draws it: no code of an extension
 * runs in a browser.
 */
export interface BirthForm {
  readonly title: string
  /** the operation, which names the child in its argument `name` */
  readonly action: string
  readonly button: string
  /** what the form says beside its button */
  readonly note?: string
  /** the arguments that it asks for, in order */
  readonly fields: readonly BirthField[]
}

export interface BirthField {
  /** of the argument */
  readonly name: string
  readonly label: string
  readonly description?: string
  /** a line unless given; `script` offers the names of scripts */
  readonly input?: 'text' | 'script' | 'choice'
  /** of a choice, for the being that fills in the form; the first one is chosen at first */
  readonly choices?: (me: Pick<BeingRow, 'qualities'>) => readonly BirthChoice[]
}

export interface BirthChoice {
  readonly value: string
  readonly description: string
}
