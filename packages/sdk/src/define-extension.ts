import { isKey, type Json, type JsonObject, type Priority, parseCall } from '@treeos/core'
import { parseRole, type RoleFlow, requireFlow } from '@treeos/roles'
import type {
  Extension,
  Operation,
  PatternResolver,
  RelationResolver,
  Role,
  Script,
  SeeResolver,
  SubstrateAction,
} from '@treeos/world'

/** The manifest: everything that an extension brings, and nothing else of it is reachable. */
export interface ExtensionInput<Action extends string = string> {
  /** kebab-case; the prefix of every name it brings */
  readonly name: string
  /** of its package: pins the prompts that are functions */
  readonly version: string
  readonly roles?: readonly Role<NoInfer<Action> | SubstrateAction>[]
  /** clauses that its users may append to a flow */
  readonly clauses?: RoleFlow
  readonly operations?: readonly Operation<Action>[]
  /** what `{rel}` stands for */
  readonly relations?: Readonly<Record<string, RelationResolver>>
  /** what `{pattern, kind}` stands for, by kind */
  readonly patterns?: Readonly<Record<string, PatternResolver>>
  /** what `{resolver}` stands for */
  readonly resolvers?: Readonly<Record<string, RelationResolver>>
  readonly see?: Readonly<Record<string, SeeResolver>>
  readonly scripts?: Readonly<Record<string, Script>>
  /** types of spaces that it knows, by name, with what they are: `create-space` takes them */
  readonly spaceTypes?: Readonly<Record<string, string>>
  /** types of things that it knows, by name, with what they are: `create-matter` takes them */
  readonly matterTypes?: Readonly<Record<string, string>>
  /** keys that its operations publish, with what they say: `in-session` of extension `court` is `world.court.in-session` */
  readonly signals?: Readonly<Record<string, string>>
  /** schedules that a being may be given by name: `set-schedule {name, preset}` */
  readonly schedules?: Readonly<Record<string, SchedulePreset>>
  /** subscriptions that a being may be given by name: `subscribe {name, preset}` */
  readonly hooks?: Readonly<Record<string, HookPreset>>
  /** what the operator does, in order, to plant a small world that shows it: `treeos up --demo <extension>` */
  readonly scene?: readonly SceneAct[]
}

/** What `set-schedule` takes, but for the name. */
export interface SchedulePreset {
  readonly everySeconds: number
  /** told with each wake */
  readonly content?: Json
  readonly priority?: Priority
}

/** What `subscribe` takes, but for the name. */
export interface HookPreset {
  /** a quality, as in `court.ruling`, or a signal, as in `world.court.in-session` */
  readonly field: string
  /** `everywhere`, or the path of a space */
  readonly scope: string
  readonly below?: boolean
  /** only a change to one of these scalars wakes */
  readonly equals?: Json
  readonly coalesceSeconds?: number
  readonly priority?: Priority
}

/** One act of a scene: a call of a verb that changes something. */
export type SceneAct =
  | {
      readonly verb: 'do'
      readonly action: string
      readonly target: string
      readonly args?: Readonly<Record<string, unknown>>
    }
  | { readonly verb: 'be'; readonly operation: string; readonly payload: Readonly<Record<string, unknown>> }
  | { readonly verb: 'summon'; readonly target: string; readonly content: Json }

/** An extension may write facts of kinds that begin with its name; these are written by the substrate alone. */
const RESERVED: ReadonlySet<string> = new Set(
  'being space matter thread role quality signal place speech world registry moments seed live permissions schedule subscription wake'.split(
    ' ',
  ),
)

/**
 * Defines an extension.
 * @throws {Error} naming the part whose name does not begin with `<extension>:`, or a clause or an act that is malformed
 */
export function defineExtension<const Action extends string = never>(
  input: ExtensionInput<Action>,
): Extension {
  const { name, version } = input
  if (!isKey(name)) throw new Error(`extension name ${JSON.stringify(name)} is not kebab-case`)
  if (RESERVED.has(name))
    throw new Error(`extension name ${name} is the substrate's: its facts begin with it`)
  const named = [
    ...(input.roles ?? []).map((role) => role.spec.name),
    ...(input.operations ?? []).map((operation) => operation.name),
    ...Object.keys(input.relations ?? {}),
    ...Object.keys(input.patterns ?? {}),
    ...Object.keys(input.resolvers ?? {}),
    ...Object.keys(input.see ?? {}),
    ...Object.keys(input.scripts ?? {}),
    ...Object.keys(input.spaceTypes ?? {}),
    ...Object.keys(input.matterTypes ?? {}),
    ...Object.keys(input.schedules ?? {}),
    ...Object.keys(input.hooks ?? {}),
  ]
  const unprefixed = named.find((part) => !part.startsWith(`${name}:`))
  if (unprefixed !== undefined)
    throw new Error(`${JSON.stringify(unprefixed)} of extension ${name} must be named ${name}:…`)
  const signal = Object.keys(input.signals ?? {}).find((key) => !key.split('.').every(isKey))
  if (signal !== undefined)
    throw new Error(`signal ${JSON.stringify(signal)} of extension ${name} is no dotted kebab-case key`)
  return Object.freeze({
    name,
    version,
    roles: (input.roles ?? []).map((role) => pin(role, `${name}@${version}`)),
    clauses: requireFlow(input.clauses ?? []),
    operations: input.operations ?? [],
    beOperations: [],
    relations: input.relations ?? {},
    patterns: input.patterns ?? {},
    resolvers: input.resolvers ?? {},
    see: input.see ?? {},
    scripts: input.scripts ?? {},
    spaceTypes: input.spaceTypes ?? {},
    matterTypes: input.matterTypes ?? {},
    signals: input.signals ?? {},
    schedules: (input.schedules ?? {}) as Record<string, JsonObject & SchedulePreset>,
    hooks: (input.hooks ?? {}) as Record<string, JsonObject & HookPreset>,
    scene: (input.scene ?? []).map((act) => parseCall(act)),
  })
}

/** A prompt function cannot be digested; the version it ships in stands for it. */
function pin(role: Role, version: string): Role {
  if (role.render === null) return role
  return Object.freeze({
    spec: parseRole({ ...role.spec, prompt: { function: version } }),
    render: role.render,
  })
}
