import { isKey, type Json, type JsonObject, type Priority, parseCall, type VerbCall } from '@treeos/core'
import { parseRole, type RoleFlow, requireFlow } from '@treeos/roles'
import {
  type BirthForm,
  type Extension,
  type Facet,
  type Operation,
  type PatternResolver,
  type RelationResolver,
  type Role,
  type Script,
  type SeeResolver,
  SUBSTRATE_NAMES,
  type SubstrateOperation,
} from '@treeos/world'
import type { Skill, TaskShape } from './define-skill.ts'

/** The manifest: everything that an extension provides. TreeOS uses nothing else of it. */
export interface ExtensionInput<Action extends string = string> {
  /** kebab-case; prefix of every name in the extension */
  readonly name: string
  /** version of its package; it pins prompt functions in the digests of roles */
  readonly version: string
  /**
   * What it was set to when it was loaded, by a variable or a file, if its operations, roles or views depend
   * on that. Moments record a digest of it with the version, so a replay tells moments with other settings
   * from changed records. Not for secrets
   */
  readonly settings?: Json
  readonly roles?: readonly Role<NoInfer<Action> | SubstrateOperation>[]
  /** clauses that users may append to a flow */
  readonly clauses?: RoleFlow
  readonly operations?: readonly Operation<Action>[]
  /** packages of model calls; each adds the operation of its name */
  readonly skills?: readonly Skill<Action>[]
  /** the operations of TreeOS that `carryOut` may run for the actor; it refuses any other */
  readonly carriesOut?: readonly (SubstrateOperation | 'birth')[]
  /** shapes of tasks; each adds the operation of its name */
  readonly tasks?: readonly TaskShape<Action>[]
  /** by relation: resolve entries `{rel}` */
  readonly relations?: Readonly<Record<string, RelationResolver>>
  /** by kind: resolve entries `{pattern, kind}` */
  readonly patterns?: Readonly<Record<string, PatternResolver>>
  /** by resolver: resolve entries `{resolver}` */
  readonly resolvers?: Readonly<Record<string, RelationResolver>>
  readonly see?: Readonly<Record<string, SeeResolver>>
  readonly scripts?: Readonly<Record<string, Script>>
  /** descriptions of its types of spaces, by name; `create-space` accepts them */
  readonly spaceTypes?: Readonly<Record<string, string>>
  /** descriptions of its types of things, by name, `food:log` or `food-log`; `create-matter` accepts them */
  readonly matterTypes?: Readonly<Record<string, string>>
  /** qualities in its namespace by which lists of beings are narrowed, as in `treeos beings --role writer` */
  readonly facets?: readonly Facet[]
  /**
   * descriptions of the world signals that it publishes, by key: `in-session` of extension `court` is
   * `world.court.in-session`
   */
  readonly signals?: Readonly<Record<string, string>>
  /** presets for schedules, by name: `set-schedule {name, preset}` */
  readonly schedules?: Readonly<Record<string, SchedulePreset>>
  /** presets for subscriptions, by name: `subscribe {name, preset}` */
  readonly hooks?: Readonly<Record<string, HookPreset>>
  /** acts of the operator, in order, that plant a small demo world: `treeos up --demo <extension>` */
  readonly scene?: readonly SceneAct[]
  /**
   * names of beings that the scene gives a script, and that are born with a model instead where one is
   * connected when it is planted
   */
  readonly minds?: readonly string[]
  /** forms that the portal offers beside its own one of a birth, each for an operation of this extension */
  readonly birthForms?: readonly (BirthForm & { readonly action: NoInfer<Action> })[]
}

/** The arguments of `set-schedule`, without the name. */
export interface SchedulePreset {
  /** 1 to a year; in its place `at` */
  readonly everySeconds?: number
  /** times of the day, as in `09:30` */
  readonly at?: string | readonly string[]
  /** of `mon` to `sun`; every day when left out */
  readonly days?: readonly string[]
  /** IANA name of the time zone of `at`; that of the reality when left out */
  readonly zone?: string
  /** what came due while nothing ran: one wake for all of it, or none; `once` when left out */
  readonly missed?: 'once' | 'skip'
  /** content of each wake */
  readonly content?: Json
  readonly priority?: Priority
}

/** The arguments of `subscribe`, without the name. */
export interface HookPreset {
  /** a quality, such as `court.ruling`, or a world signal, such as `world.court.in-session` */
  readonly field: string
  /** `everywhere`, or the path of a space */
  readonly scope: string
  /** true: the spaces below `scope` count too */
  readonly below?: boolean
  /** a scalar or a list of scalars; only a change to one of them wakes the being */
  readonly equals?: Json
  readonly coalesceSeconds?: number
  readonly priority?: Priority
}

/** One act of a scene: a DO, BE or SUMMON. */
export type SceneAct =
  | {
      readonly verb: 'do'
      readonly operation: string
      readonly target: string
      readonly args?: Readonly<Record<string, unknown>>
    }
  | { readonly verb: 'be'; readonly operation: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly verb: 'summon'; readonly target: string; readonly content: Json }

/**
 * Names that no extension may have. Extensions write facts whose kind begins with their name, and these are
 * TreeOS' own.
 */
const RESERVED: ReadonlySet<string> = new Set(SUBSTRATE_NAMES)

/**
 * Defines an extension.
 * @throws {Error} for a name that is not kebab-case or is reserved, for a part whose name does not begin with
 *   `<extension>:`, and for a facet outside its namespace, a malformed signal key, clause or act of the scene
 * @example
 * export const court = defineExtension({ name: 'court', version: '1.0.0', roles: [judge], operations: [rule] })
 */
export function defineExtension<const Action extends string = never>(
  input: ExtensionInput<Action>,
): Extension {
  const { name, version } = input
  if (!isKey(name)) throw new Error(`extension name ${JSON.stringify(name)} is not kebab-case`)
  if (RESERVED.has(name))
    throw new Error(`extension name ${name} is reserved: kinds of TreeOS' own facts begin with it`)
  const packages = [...(input.skills ?? []), ...(input.tasks ?? [])]
  const operations = [...(input.operations ?? []), ...packages.map(({ operation }) => operation)]
  const named = [
    ...(input.roles ?? []).map((role) => role.spec.name),
    ...operations.map((operation) => operation.name),
    ...packages.map(({ entry }) => entry.name),
    ...Object.keys(input.relations ?? {}),
    ...Object.keys(input.patterns ?? {}),
    ...Object.keys(input.resolvers ?? {}),
    ...Object.keys(input.see ?? {}),
    ...Object.keys(input.scripts ?? {}),
    ...Object.keys(input.schedules ?? {}),
    ...Object.keys(input.hooks ?? {}),
    ...(input.birthForms ?? []).map(({ action }) => action),
  ]
  const unprefixed = named.find((part) => !part.startsWith(`${name}:`))
  if (unprefixed !== undefined)
    throw new Error(`${JSON.stringify(unprefixed)} of extension ${name} must be named ${name}:…`)
  const types = [...Object.keys(input.spaceTypes ?? {}), ...Object.keys(input.matterTypes ?? {})]
  const foreign = types.find(
    (type) => !type.startsWith(`${name}:`) && !(isKey(type) && type.startsWith(`${name}-`)),
  )
  if (foreign !== undefined)
    throw new Error(
      `the type ${JSON.stringify(foreign)} of extension ${name} must be named ${name}:… or ${name}-…`,
    )
  const facet = input.facets?.find(({ quality }) => !quality.startsWith(`${name}.`))
  if (facet !== undefined)
    throw new Error(
      `facet ${facet.name} of extension ${name} must be a quality ${name}.…, not ${facet.quality}`,
    )
  const signal = Object.keys(input.signals ?? {}).find((key) => !key.split('.').every(isKey))
  if (signal !== undefined)
    throw new Error(`signal ${JSON.stringify(signal)} of extension ${name} is not a dotted kebab-case key`)
  const scene = (input.scene ?? []).map((act) => parseCall(act))
  const unborn = (input.minds ?? []).find((mind) => !scene.some((act) => isScripted(act, mind)))
  if (unborn !== undefined)
    throw new Error(
      `the scene of extension ${name} bears no scripted being ${unborn}, which is one of its minds`,
    )
  return Object.freeze({
    name,
    version,
    ...(input.settings === undefined ? {} : { settings: input.settings }),
    roles: (input.roles ?? []).map((role) => pin(role, `${name}@${version}`)),
    clauses: requireFlow(input.clauses ?? []),
    operations,
    shapes: Object.fromEntries((input.tasks ?? []).map(({ name, entry }) => [name, entry])),
    beOperations: [],
    carriesOut: input.carriesOut ?? [],
    relations: input.relations ?? {},
    patterns: input.patterns ?? {},
    resolvers: input.resolvers ?? {},
    see: input.see ?? {},
    scripts: input.scripts ?? {},
    spaceTypes: input.spaceTypes ?? {},
    matterTypes: input.matterTypes ?? {},
    facets: input.facets ?? [],
    signals: input.signals ?? {},
    schedules: (input.schedules ?? {}) as Record<string, JsonObject & SchedulePreset>,
    hooks: (input.hooks ?? {}) as Record<string, JsonObject & HookPreset>,
    scene,
    minds: input.minds ?? [],
    birthForms: input.birthForms ?? [],
  })
}

const isScripted = (act: VerbCall, name: string): boolean =>
  act.verb === 'be' &&
  act.operation === 'birth' &&
  act.args.name === name &&
  act.args.cognition === 'scripted'

/** Pins a prompt function by the version of its extension, since a function has no digest. */
function pin(role: Role, version: string): Role {
  if (role.render === null) return role
  return Object.freeze({
    spec: parseRole({ ...role.spec, prompt: { function: version } }),
    render: role.render,
  })
}
