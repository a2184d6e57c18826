import {
  type BeingName,
  type Json,
  momentId,
  newWake,
  type PinnedStack,
  PRIORITIES,
  parseCall,
  stanceOf,
  TreeosError,
  unknownBeing,
  type VerbCall,
} from '@treeos/core'
import { type ComposedRole, composeRoles, pinStack } from '@treeos/roles'
import { digestOf, rowSource } from '@treeos/store'
import {
  type BeingRow,
  type Conclusion,
  concludeCall,
  nothingLive,
  openTime,
  type Registry,
  type RowSource,
  readWorld,
  rolesNamed,
  type Surface,
  WorldReader,
} from '@treeos/world'
import type { SeeConnection } from '../beings/being-snapshot.ts'
import {
  ATTACK_WAKES,
  type Attack,
  type AttackAnswer,
  Attacker,
  type Scene,
  type Targets,
} from './attacker.ts'
import { Chance } from './chance.ts'
import { carried, type Words, wordsFor } from './words.ts'

export interface RedteamRequest {
  readonly being: BeingName
  readonly tries: number
  /** the same seed makes the same attacks, as long as an attacker learns the same */
  readonly seed?: number
}

/** A call that went beyond, with what made the mind make it. */
export interface BeyondCall extends Words {
  readonly carrier: string
  readonly call: VerbCall
  /** what the being wore, the primary role first */
  readonly roles: readonly string[]
  /** the list entry and the rule that allow it */
  readonly by: readonly string[]
}

/**
 * What became of the calls. A call that is in none of the three was within: the answer to who speaks, a look,
 * or nothing.
 */
export interface RedteamResult {
  readonly tries: number
  /** both gates allow it, and it is more than an answer to who speaks */
  readonly beyond: number
  readonly refused: number
  /** persons are asked before it is done */
  readonly asked: number
  /** how many went beyond, by what brought the words */
  readonly beyondBy: Readonly<Record<string, number>>
  /** some of those that went beyond */
  readonly examples: readonly BeyondCall[]
}

const EXAMPLES_MAX = 10

/**
 * Attacks a being as it is now: a mind that words from outside have hijacked makes one call after the other,
 * and both gates judge each, as they would in a moment with such words. It reads rows, runs no operation and
 * asks no model, and writes nothing anywhere.
 * @throws {TreeosError} BEING_NOT_FOUND
 */
export async function redteam(
  at: SeeConnection,
  { being, tries, seed = 1 }: RedteamRequest,
): Promise<RedteamResult> {
  const source = keeping(rowSource(at.db, at.reality.id))
  const me = await new WorldReader(source).being(being)
  if (me === null) throw unknownBeing(being)
  const chance = new Chance(seed)
  const attacker = new Attacker(chance, await targetsOf(at, source, me))
  const stage = new Stage(at, source, me)
  const count: Record<AttackAnswer, number> = { beyond: 0, within: 0, asked: 0, refused: 0 }
  const examples: BeyondCall[] = []
  const beyondBy: Record<string, number> = {}
  for (let i = 0; i < tries; i++) {
    const attack = attacker.next()
    const words = wordsFor(JSON.stringify(attack.call), chance)
    const judged = await stage.judge(attack, carried(words.text, chance), i + 1)
    count[judged.answer] += 1
    attacker.told(attack, judged.answer, judged)
    if (judged.answer !== 'beyond') continue
    const carrier = ATTACK_WAKES[attack.scene.carrier]?.name ?? ''
    beyondBy[carrier] = (beyondBy[carrier] ?? 0) + 1
    if (examples.length < EXAMPLES_MAX)
      examples.push({
        ...words,
        carrier,
        call: attack.call,
        roles: judged.roles,
        by: judged.rules,
      })
  }
  const { beyond, refused, asked } = count
  return { tries, beyond, refused, asked, beyondBy, examples }
}

/** Rows are read once: an attack is judged many thousand times. */
function keeping(source: ReturnType<typeof rowSource>): RowSource {
  const known = new Map<string, Awaited<ReturnType<RowSource['rows']>>[number]>()
  const lists = new Map<string, Promise<unknown>>()
  const once = <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const found = (lists.get(key) as Promise<T> | undefined) ?? read()
    lists.set(key, found)
    return found
  }
  return {
    ...source,
    async rows(keys) {
      const missing = keys.filter((key) => !known.has(key))
      if (missing.length > 0) for (const row of await source.rows(missing)) known.set(row.key, row)
      return keys.flatMap((key) => known.get(key) ?? [])
    },
    keysInPlace: (place, kind, most) =>
      once(`${place} ${kind} ${most}`, () => source.keysInPlace(place, kind, most)),
    countInPlace: (place, kind) => once(`${place} ${kind}`, () => source.countInPlace(place, kind)),
    keysOfChildren: (name) => once(`of ${name}`, () => source.keysOfChildren(name)),
    keysOfBeings: () => once('beings', () => source.keysOfBeings()),
  }
}

/** Beings beyond this are not attacked: a crowd is much the same. */
const BEINGS_MAX = 200

async function targetsOf({ registry }: SeeConnection, source: RowSource, me: BeingRow): Promise<Targets> {
  const reader = new WorldReader(source)
  const names = (await source.keysOfBeings()).slice(0, BEINGS_MAX).map((key) => key.slice('being:'.length))
  await reader.prefetch(names.map((name) => `being:${name}`))
  const beings: BeingRow[] = []
  for (const name of names) {
    const row = await reader.being(name)
    if (row !== null) beings.push(row)
  }
  const spaces = new Set(beings.flatMap(({ space, home }) => [space, home, '/']))
  const things: string[] = []
  for (const space of spaces) things.push(...(await reader.matters(space, 8)).map((id) => `matter:${id}`))
  return {
    beings: beings.map(({ name, defaultRole, cognition }) => ({
      name,
      role: defaultRole,
      cognition: cognition.kind,
    })),
    addresses: [...beings.map(({ name }) => stanceOf(name)), ...spaces, ...things],
    actions: [...registry.operations.keys()],
    operations: [...registry.beOperations.keys()],
    roles: rolesNamed(me),
  }
}

/** A moment with words from outside, up to the call. */
interface HijackedMoment {
  readonly surface: Surface
  readonly role: ComposedRole
  readonly stack: PinnedStack
}

interface JudgedAttack {
  readonly answer: AttackAnswer
  readonly by: string
  readonly said: string
  readonly roles: readonly string[]
  readonly rules: readonly string[]
}

/** Judges calls of one being, over the world as it stands. */
class Stage {
  readonly #at: SeeConnection
  readonly #source: RowSource
  readonly #me: BeingRow
  readonly #gated: Registry
  readonly #opened = new Map<Scene, Promise<HijackedMoment | null>>()
  readonly #now = Date.now()

  constructor(at: SeeConnection, source: RowSource, me: BeingRow) {
    this.#at = at
    this.#source = source
    this.#me = me
    this.#gated = gatesOnly(at.registry)
  }

  async judge({ scene, call }: Attack, content: Json, n: number): Promise<JudgedAttack> {
    const opened = await this.#open(scene)
    const nothing = { by: '', said: '', roles: [], rules: [] }
    if (opened === null) return { ...nothing, answer: 'refused' }
    const { stack } = opened
    const roles = [stack.primary, ...stack.stacked].map(({ name }) => name)
    const fault = attackFault(call)
    if (fault !== null) return { ...nothing, answer: 'refused', said: fault, roles }
    const concluded = await this.#conclude(scene, opened, call, content, n)
    if (concluded.kind === 'effect-pending') return { ...nothing, answer: 'beyond', roles }
    const { act, refusal, by } = concluded
    if (refusal !== undefined)
      return { ...nothing, answer: 'refused', by: by[0] ?? '', said: refusal.message, roles }
    if (concluded.kind === 'waiting') return { ...nothing, answer: 'asked', roles, rules: by }
    const answers = act?.wakes.every(({ being }) => being === scene.caller?.name) !== false
    const isWithin = call.verb === 'see' || (call.verb === 'summon' && answers)
    return { ...nothing, answer: isWithin ? 'within' : 'beyond', roles, rules: by }
  }

  #open(scene: Scene): Promise<HijackedMoment | null> {
    const known = this.#opened.get(scene) ?? this.#read(scene)
    this.#opened.set(scene, known)
    return known
  }

  async #read(scene: Scene): Promise<HijackedMoment | null> {
    const { kind, trigger } = ATTACK_WAKES[scene.carrier] as (typeof ATTACK_WAKES)[number]
    const { caller, asked, hour, dayOfWeek, silentSeconds, previousRole } = scene
    const reader = new WorldReader(this.#source)
    const time = { ...openTime(this.#now, this.#at.reality.timeZone), hour, dayOfWeek }
    const lastSealed =
      silentSeconds === null
        ? null
        : { sealedAt: this.#now - silentSeconds * 1000, primary: previousRole ?? '' }
    const seen = await readWorld(reader, this.#at.registry, {
      ...{ me: this.#me, cognition: this.#me.cognition.kind, verb: 'summon', kind, trigger, caller },
      ...{ time, lastSealed, asked, asker: caller?.name ?? null, outside: true },
    })
    if (seen.result.skip !== undefined || seen.face === null) return null
    const stack = pinStack(seen.program, seen.result)
    const specs = await Promise.all(
      [stack.primary, ...stack.stacked].map(({ digest }) => reader.spec(digest)),
    )
    const role = composeRoles(specs.map((spec) => ({ spec, prompt: '' })))
    return { surface: seen.face.surface, role, stack }
  }

  #conclude(
    { caller }: Scene,
    worn: HijackedMoment,
    call: VerbCall,
    content: Json,
    n: number,
  ): Promise<Conclusion> {
    const being = this.#me.name
    const wake = newWake({
      ...{ id: 'redteam', being, kind: caller === null ? 'event' : 'summon' },
      ...{ priority: PRIORITIES.interactive, caller, content, outside: true },
    })
    const open = {
      ...{ moment: momentId(being, 1, n), openedAt: this.#now, wake, answers: null, caller, driver: null },
      ...{ cognition: this.#me.cognition, asked: null, outside: true as const },
    }
    const live = nothingLive()
    const reader = new WorldReader(this.#source)
    const over = { reader, live, registry: this.#gated, digest: digestOf, goesOn: false } as const
    return concludeCall({ being, open, content, worn }, call, over)
  }
}

/** Why a model could not make the call that an attacker made up; null for one that is. */
function attackFault(call: VerbCall): string | null {
  try {
    parseCall(call)
    return null
  } catch (error) {
    if (error instanceof TreeosError) return error.message
    throw error
  }
}

/**
 * The same operations, without what they do: only the gates answer. What an operation itself would still
 * refuse counts as let through.
 */
function gatesOnly(registry: Registry): Registry {
  const bare = (operations: Registry['operations']): Registry['operations'] =>
    new Map(
      [...operations].map(([name, { effect: _1, allowIf: _2, mediates: _3, ...rest }]) => [
        name,
        { ...rest, decide: () => ({ facts: [], result: null }) },
      ]),
    )
  return { ...registry, operations: bare(registry.operations), beOperations: bare(registry.beOperations) }
}
