/** What tests of an extension need: rows as they are in a world, and what its pure parts come to over them. No services. */
import {
  canonicalJson,
  type Decision,
  type Json,
  type JsonObject,
  type MomentId,
  momentId,
  parseDecision,
  spaceName,
} from '@treeos/core'
import {
  type BeingRow,
  buildRegistry,
  DEFAULT_ROLE,
  type Decided,
  decideUngated,
  type Extension,
  foldFace,
  type MatterRow,
  memoryRows,
  OPERATOR,
  type OperationTarget,
  type Registry,
  type ScriptInput,
  type SpaceRow,
  seed,
  Unresolved,
  type WakeView,
  WorldReader,
  type WorldRow,
} from '@treeos/world'
import { reelOf } from './facts.ts'

type Given<Row, Needed extends keyof Row> = Partial<Row> & Pick<Row, Needed>
/** What can be read in a world. */
export type AnyRow = BeingRow | SpaceRow | MatterRow | WorldRow

/** A being as it is born when nothing more is said, at home unless it is somewhere else. */
export const being = (given: Given<BeingRow, 'name'>): BeingRow => ({
  parent: OPERATOR,
  cognition: { kind: 'scripted', script: null },
  defaultRole: DEFAULT_ROLE,
  home: '/',
  space: given.home ?? '/',
  qualities: {},
  ceiling: null,
  bornAt: 0,
  ...given,
})

export const space = (given: Given<SpaceRow, 'path'>): SpaceRow => ({
  name: spaceName(given.path),
  type: 'room',
  owner: OPERATOR,
  qualities: {},
  createdAt: 0,
  ...given,
})

export const matter = (given: Given<MatterRow, 'id'>): MatterRow => ({
  type: 'thing',
  owner: OPERATOR,
  place: '/',
  origin: 'owned',
  content: null,
  qualities: {},
  createdAt: 0,
  ...given,
})

/** The signals of one namespace, nested by the dots of their keys: `{ tick: { alive: true } }`. */
export const signals = (namespace: string, values: JsonObject): WorldRow => ({
  namespace,
  owner: OPERATOR,
  values,
})

/** A reader over these rows and no others, for what is given one: see-resolvers, relationships, patterns. */
export const worldOf = (rows: readonly AnyRow[]): WorldReader =>
  new WorldReader(memoryRows(new Map(rows.map((row) => [reelOf(row), row]))))

/** What an operation is tried with. */
export interface Attempt {
  readonly actor: BeingRow
  readonly target: BeingRow | SpaceRow | MatterRow
  readonly args?: JsonObject
  /** what else it may read: actor and target are there anyway */
  readonly world?: readonly AnyRow[]
  /** what came of its effect, which is never done here */
  readonly effect?: Json
}

/**
 * What an operation decides once it may: neither gate is asked. Its target, its arguments and what it may write by the
 * manifest are held as in a worker.
 * @throws {TreeosError} what the moment would fail with; where code of the extension died, its `cause` is the error it died of
 * @throws {Error} when the operation has an effect and the attempt gives no result of it
 */
export async function decide(
  extension: Extension,
  action: string,
  { actor, target, args = {}, world = [], effect }: Attempt,
): Promise<Pick<Decided, 'facts' | 'result' | 'reply'>> {
  const reader = worldOf([...world, actor, target])
  const outside = async () => (effect === undefined ? null : { value: effect })
  const outcome = await decideUngated(
    action,
    { registry: registryOf(extension), reader, outside },
    {
      actor,
      driver: null,
      lender: null,
      cognition: actor.cognition.kind,
      target: asTarget(target),
      args,
      world: reader,
      digest: canonicalJson,
      reach: onlyForSubstrate,
      fulfil: onlyForSubstrate,
    },
  )
  if (outcome.kind === 'decided') return outcome.decided
  throw new Error(`${action} waits for its effect: give the attempt an effect`)
}

const registryOf = (extension: Extension): Registry => buildRegistry([seed, extension])
const onlyForSubstrate = () => Promise.reject(new Error('only operations of the substrate are given this'))

function asTarget(row: Attempt['target']): OperationTarget {
  if ('id' in row) return { kind: 'matter', matter: row }
  return 'path' in row ? { kind: 'space', space: row } : { kind: 'being', being: row }
}

/** What a moment is made of. */
export interface Moment {
  readonly me: BeingRow
  /** its primary role, then what is stacked on it; its default role when left out, whatever its flow says */
  readonly wears?: readonly string[]
  /** what woke it; nobody, with no content, when left out */
  readonly wake?: Partial<WakeView>
  /** what it may see beside itself */
  readonly world?: readonly AnyRow[]
  readonly moment?: MomentId
}

/**
 * What a script decides in a moment, with the views of the roles that the being wears.
 * @throws what the script or a view died of; {TreeosError} INVALID_INPUT for what is no decision
 */
export async function runScript(extension: Extension, name: string, moment: Moment): Promise<Decision> {
  const registry = registryOf(extension)
  const script = registry.scripts.get(name)
  if (script === undefined) throw new Error(`extension ${extension.name} brings no script ${name}`)
  return parseDecision(await script(await open(registry, moment)))
}

/**
 * What the prompt of a role says in a moment; the being wears it alone when nothing else is said.
 * @throws what the prompt or a view died of
 */
export async function renderPrompt(extension: Extension, name: string, moment: Moment): Promise<string> {
  const registry = registryOf(extension)
  const { face } = await open(registry, { wears: [name], ...moment })
  const { spec, render } = roleOf(registry, name)
  return render === null ? String(spec.prompt) : render({ me: face.me, face })
}

async function open(
  registry: Registry,
  {
    me,
    wears = [me.defaultRole ?? DEFAULT_ROLE],
    wake,
    world = [],
    moment = momentId(me.name, 1, 1),
  }: Moment,
): Promise<ScriptInput> {
  const from = wake?.from ?? null
  const correlation = wake?.correlation ?? 'wake'
  const specs = wears.map((name) => roleOf(registry, name).spec)
  const [primary = '', ...stacked] = wears
  return {
    moment,
    face: await foldFace(worldOf([...world, me]), registry, { me, asker: from, specs }, rethrow),
    wake: {
      correlation,
      root: correlation,
      verb: 'summon',
      from,
      callerCognition: from === null ? null : 'human',
      content: null,
      inReplyTo: null,
      ...wake,
    },
    primary,
    stacked,
  }
}

function roleOf(registry: Registry, name: string) {
  const role = registry.roles.get(name)
  if (role === undefined) throw new Error(`no role ${name} is brought here`)
  return role
}

/** A worker leaves out what its code dies of, and logs it; a test has nobody who reads logs. */
function rethrow(_what: string, error: unknown): void {
  if (!(error instanceof Unresolved)) throw error
}
