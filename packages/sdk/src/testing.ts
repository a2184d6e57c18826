/**
 * Test helpers for extensions: they build rows, and run operations, scripts and prompts over them without
 * services.
 */
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
  buildFace,
  buildRegistry,
  DEFAULT_ROLE,
  type DecidedOperation,
  decideUngated,
  type Extension,
  type MatterRow,
  memoryRows,
  OPERATOR,
  type OperationTarget,
  type Registry,
  type ScriptInput,
  type SpaceRow,
  seed,
  UnresolvedEntryError,
  type WakeView,
  WorldReader,
  type WorldRow,
} from '@treeos/world'
import { reelOf } from './facts.ts'

export { compileFlow, evaluateFlow } from '@treeos/roles'

export {
  type EffectInputs,
  type FakeAnswer,
  type FakeFetch,
  fakeFetch,
  performEffect,
} from './testing-effects.ts'

type RowFields<Row, Needed extends keyof Row> = Partial<Row> & Pick<Row, Needed>
/** A row of a world. */
export type AnyRow = BeingRow | SpaceRow | MatterRow | WorldRow

/**
 * A row of a being with the defaults of a birth. It is at its home unless `space` is given.
 * @example
 * being({ name: 'ada', home: '/court' })
 */
export const being = (given: RowFields<BeingRow, 'name'>): BeingRow => ({
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

/**
 * A row of a space; by default a `room` of the operator.
 * @example
 * space({ path: '/court' })
 */
export const space = (given: RowFields<SpaceRow, 'path'>): SpaceRow => ({
  name: spaceName(given.path),
  type: 'room',
  owner: OPERATOR,
  qualities: {},
  createdAt: 0,
  ...given,
})

/**
 * A row of a thing; by default a `thing` of the operator in the root space.
 * @example
 * matter({ id: 'gavel', type: 'document' })
 */
export const matter = (given: RowFields<MatterRow, 'id'>): MatterRow => ({
  type: 'thing',
  owner: OPERATOR,
  place: '/',
  origin: 'owned',
  content: null,
  qualities: {},
  createdAt: 0,
  ...given,
})

/**
 * The world signals of one namespace, nested by the dots of their keys: `{ tick: { alive: true } }`.
 * @example
 * signals('court', { sitting: 3 })
 */
export const signals = (namespace: string, values: JsonObject): WorldRow => ({
  namespace,
  owner: OPERATOR,
  values,
})

/**
 * A reader over these rows only, for tests of see-resolvers, relations and patterns.
 * @example
 * worldOf([being({ name: 'ada' }), space({ path: '/court' })])
 */
export const worldOf = (rows: readonly AnyRow[]): WorldReader =>
  new WorldReader(memoryRows(new Map(rows.map((row) => [reelOf(row), row]))))

/** The input of {@link decide}. */
export interface Attempt {
  readonly actor: BeingRow
  readonly target: BeingRow | SpaceRow | MatterRow
  readonly args?: JsonObject
  /** rows that it may read in addition to actor and target */
  readonly world?: readonly AnyRow[]
  /** result of its effect, which is not performed here */
  readonly effect?: Json
  /** when the moment opened, ms since 1970 UTC; 0 when left out */
  readonly openedAt?: number
  /** parts of the wake; by default nobody woke the actor */
  readonly wake?: Partial<WakeView>
}

/**
 * Runs an operation without asking the gates. Checks its target, its arguments, and that the manifest lets it
 * write its facts, as a worker does.
 * @throws {TreeosError} the error with which the moment would fail; when code of the extension threw, `cause`
 *   is its error
 * @throws {Error} when the operation has an effect and the attempt holds no result of it
 * @example
 * const { facts } = await decide(court, 'court:rule', { actor: judge, target: writ, args: { verdict: 'granted' } })
 */
export async function decide(
  extension: Extension,
  action: string,
  { actor, target, args = {}, world = [], effect, wake, openedAt = 0 }: Attempt,
): Promise<Pick<DecidedOperation, 'facts' | 'result' | 'reply' | 'tell' | 'awakens' | 'rests'>> {
  const reader = worldOf([...world, actor, target])
  const fromOutside = wake?.outside === true
  const outside = async () => (effect === undefined ? null : { value: effect })
  const outcome = await decideUngated(
    action,
    { registry: registryOf(extension), reader, outside, fromOutside },
    {
      actor,
      driver: null,
      lender: null,
      cognition: actor.cognition.kind,
      target: asTarget(target),
      args,
      moment: momentId(actor.name, 1, 1),
      wake: wakeOf(wake),
      fromOutside,
      openedAt,
      world: reader,
      digest: canonicalJson,
      reach: onlyForSubstrate,
      fulfilled: null,
      sees: onlyForSubstrate,
    },
  )
  if (outcome.kind === 'decided') return outcome.decided
  throw new Error(`${action} has an effect: give the attempt its result as \`effect\``)
}

const registryOf = (extension: Extension): Registry => buildRegistry([seed, extension])
const onlyForSubstrate = () => Promise.reject(new Error('only operations of TreeOS itself get this'))

function asTarget(row: Attempt['target']): OperationTarget {
  if ('id' in row) return { kind: 'matter', matter: row }
  return 'path' in row ? { kind: 'space', space: row } : { kind: 'being', being: row }
}

/** The input of {@link runScript} and {@link renderPrompt}. */
export interface Moment {
  readonly me: BeingRow
  /**
   * names of its primary role and of the stacked ones; default its default role. Its flow is not evaluated
   */
  readonly wears?: readonly string[]
  /** its wake; without caller and content when left out */
  readonly wake?: Partial<WakeView>
  /** rows that it may read in addition to its own */
  readonly world?: readonly AnyRow[]
  readonly moment?: MomentId
}

/**
 * Runs a script in a moment, with the see-resolvers of the roles that the being wears.
 * @throws the error of the script or of a see-resolver; {TreeosError} INVALID_INPUT when it returns no
 *   decision
 * @example
 * await runScript(court, 'court:clerk', { me: clerk, wake: { kind: 'message', content: 'a plea' } })
 */
export async function runScript(extension: Extension, name: string, moment: Moment): Promise<Decision> {
  const registry = registryOf(extension)
  const script = registry.scripts.get(name)
  if (script === undefined) throw new Error(`extension ${extension.name} has no script ${name}`)
  return parseDecision(await script(await open(registry, moment)))
}

/**
 * Renders the prompt of a role in a moment. The being wears this role alone unless `wears` is given.
 * @throws the error of the prompt or of a see-resolver
 * @example
 * await renderPrompt(court, 'court:judge', { me: judge, world: [space({ path: '/court' })] })
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
  const specs = wears.map((name) => roleOf(registry, name).spec)
  const [primary = '', ...stacked] = wears
  // there is always one, and of a space that is not there nothing is seen
  const here = space({ path: me.space })
  const { face } = await buildFace(
    worldOf([here, ...world, me]),
    registry,
    { me, asker: from, specs },
    rethrow,
  )
  return {
    moment,
    face,
    wake: wakeOf(wake),
    primary,
    stacked,
  }
}

function wakeOf(given: Partial<WakeView> = {}): WakeView {
  const { from = null, correlation = 'wake' } = given
  return {
    correlation,
    kind: 'message',
    root: correlation,
    verb: 'summon',
    from,
    callerCognition: from === null ? null : 'human',
    content: null,
    inReplyTo: null,
    expectReply: true,
    outside: false,
    ...given,
  }
}

function roleOf(registry: Registry, name: string) {
  const role = registry.roles.get(name)
  if (role === undefined) throw new Error(`the extension has no role ${name}`)
  return role
}

/** Throws errors of see-resolvers. A worker logs them and goes on, but a test must fail. */
function rethrow(_what: string, error: unknown): void {
  if (!(error instanceof UnresolvedEntryError)) throw error
}
