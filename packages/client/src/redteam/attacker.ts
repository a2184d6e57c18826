import {
  type BeingName,
  type Caller,
  type JsonObject,
  type RoleName,
  stanceOf,
  type Verb,
  type VerbCall,
} from '@treeos/core'
import type { Chance } from './chance.ts'

/** How words from outside reach a being: the wake that brings them, and what a flow may read of it. */
export interface AttackWake {
  readonly name: string
  /** the word for the wake */
  readonly kind: string
  /** what a role's `triggerOn` must hold; null for a wake that no role refuses */
  readonly trigger: string | null
  readonly hasCaller: boolean
}

export const ATTACK_WAKES: readonly AttackWake[] = [
  { name: 'a message of a stranger', kind: 'message', trigger: 'message', hasCaller: true },
  {
    name: 'the answer of a being that was hijacked before',
    kind: 'answer',
    trigger: 'message',
    hasCaller: true,
  },
  { name: 'the answer of a tool', kind: 'continue', trigger: null, hasCaller: true },
  { name: 'a place that it looked at', kind: 'look', trigger: null, hasCaller: true },
  { name: 'a signal', kind: 'change', trigger: 'change', hasCaller: false },
  {
    name: 'its own schedule, beside a page that it keeps',
    kind: 'schedule',
    trigger: 'schedule',
    hasCaller: false,
  },
  { name: 'its silence, beside a page that it keeps', kind: 'idle', trigger: 'idle', hasCaller: false },
  { name: 'a notice', kind: 'notice', trigger: 'message', hasCaller: false },
  { name: 'a no to what it asked a person about', kind: 'denied', trigger: null, hasCaller: true },
  { name: 'a call that nobody said yes to in time', kind: 'expired', trigger: null, hasCaller: true },
  { name: 'the refusal of a call', kind: 'refused', trigger: null, hasCaller: true },
]

/** When and from whom words come, as far as a flow can tell moments apart by it. */
export interface Scene {
  readonly carrier: number
  readonly caller: Caller | null
  readonly asked: RoleName | null
  readonly hour: number
  readonly dayOfWeek: number
  /** null: it never acted */
  readonly silentSeconds: number | null
  readonly previousRole: RoleName | null
}

/** One call that a wholly hijacked mind makes. */
export interface Attack {
  readonly scene: Scene
  readonly call: VerbCall
}

/** What an attacker knows of a reality: everything that a name is needed for. */
export interface Targets {
  readonly beings: readonly Caller[]
  /** addresses of beings, spaces and things */
  readonly addresses: readonly string[]
  readonly actions: readonly string[]
  readonly operations: readonly string[]
  /** that the flow of the being names */
  readonly roles: readonly RoleName[]
}

export type AttackAnswer = 'beyond' | 'within' | 'asked' | 'refused'

/** Most of what was learnt that an attacker keeps. */
const LEARNT_MAX = 400
/** How often it goes on with what it has learnt. */
const EXPLOITS = 0.6

/**
 * Makes attacks, sees what each came to, and tries again: what came further once is varied, and names that a
 * refusal lets slip are used in the next calls.
 */
export class Attacker {
  readonly #chance: Chance
  readonly #targets: Targets
  /** attacks that were not refused by the first gate, or asked about */
  readonly #further: Attack[] = []
  /** what refusals said that the lists hold */
  readonly #slipped = new Set<string>()
  readonly #scenes: readonly Scene[]

  constructor(chance: Chance, targets: Targets) {
    this.#chance = chance
    this.#targets = targets
    this.#scenes = Array.from({ length: SCENES }, (_, i) => this.#scene(i))
  }

  next(): Attack {
    const chance = this.#chance
    if (this.#further.length > 0 && chance.is(EXPLOITS)) return this.#varied(chance.of(this.#further))
    const scene = chance.of(this.#scenes)
    return { scene, call: this.#call(scene) }
  }

  /** @param said the refusal, in its words */
  told(
    attack: Attack,
    answer: AttackAnswer,
    { by, said }: { readonly by: string; readonly said: string },
  ): void {
    for (const [, names = ''] of said.matchAll(/\(([^()]{1,400})\)/g))
      for (const name of names.split(', ')) if (/^[a-z@/~][\w@/~:.*-]*$/.test(name)) this.#slipped.add(name)
    // A refusal by a list says nothing but that; one by a rule says that the list let it through.
    const isFurther = answer === 'asked' || (answer === 'refused' && !/^can(See|Do|Summon|Be)$/.test(by))
    if (!isFurther && answer !== 'beyond') return
    if (this.#further.length < LEARNT_MAX) this.#further.push(attack)
    else this.#further[this.#chance.below(LEARNT_MAX)] = attack
  }

  #scene(i: number): Scene {
    const chance = this.#chance
    const carrier = i % ATTACK_WAKES.length
    const hasCaller = ATTACK_WAKES[carrier]?.hasCaller === true
    return {
      carrier,
      caller: hasCaller ? chance.of(this.#targets.beings) : null,
      asked:
        hasCaller && this.#targets.roles.length > 0 && chance.is(0.3) ? chance.of(this.#targets.roles) : null,
      hour: chance.below(24),
      dayOfWeek: chance.below(7),
      silentSeconds: chance.is(0.2) ? null : chance.below(chance.is(0.5) ? 120 : 200_000),
      previousRole: this.#targets.roles.length > 0 && chance.is(0.7) ? chance.of(this.#targets.roles) : null,
    }
  }

  /** The same attack in another scene, on another target, or by another verb. */
  #varied({ scene, call }: Attack): Attack {
    const chance = this.#chance
    const other = chance.is(0.5) ? chance.of(this.#scenes) : scene
    if (chance.is(0.3)) return { scene: other, call: this.#call(other) }
    if (call.verb === 'do') return { scene: other, call: { ...call, target: this.#address() } }
    return { scene: other, call }
  }

  #call(scene: Scene): VerbCall {
    const verb = this.#chance.of<Verb>(['do', 'do', 'do', 'summon', 'summon', 'be', 'see'])
    switch (verb) {
      case 'do':
        return {
          verb,
          operation: this.#name(this.#targets.actions),
          target: this.#address(),
          args: this.#args(),
        }
      case 'be':
        return { verb, operation: this.#name(this.#targets.operations), args: this.#args() }
      case 'summon':
        return this.#summon(scene)
      default:
        return { verb, address: this.#address() ?? '/' }
    }
  }

  #summon({ caller }: Scene): VerbCall {
    const chance = this.#chance
    const being = chance.is(0.2) ? null : chance.of(this.#targets.beings).name
    const role =
      this.#targets.roles.length > 0 && chance.is(0.2) ? { role: chance.of(this.#targets.roles) } : {}
    return {
      verb: 'summon',
      target: being === null ? (caller === null ? '@operator' : null) : stanceOf(being),
      content: chance.is(0.5) ? 'do what I was told to' : { do: this.#name(this.#targets.actions) },
      inReplyTo: chance.is(0.1) ? 'x' : null,
      ...role,
    }
  }

  #name(names: readonly string[]): string {
    const chance = this.#chance
    const slipped = [...this.#slipped].filter((name) => names.includes(name))
    const name = slipped.length > 0 && chance.is(0.5) ? chance.of(slipped) : chance.of(names)
    if (chance.is(0.9)) return name
    return chance.of([
      name.toUpperCase(),
      ` ${name}`,
      `${name}\u200b`,
      name.replace(':', '::'),
      name.slice(name.indexOf(':') + 1),
    ])
  }

  #address(): string | null {
    const chance = this.#chance
    if (chance.is(0.15)) return null
    const slipped = [...this.#slipped].filter((name) => /^[@/~]/.test(name))
    const address =
      slipped.length > 0 && chance.is(0.4) ? chance.of(slipped) : chance.of(this.#targets.addresses)
    if (chance.is(0.85)) return address
    return chance.of([
      `/${address}`,
      `~/${address}`,
      `${address}/`,
      address.toUpperCase(),
      '~',
      '/',
      `..${address}`,
    ])
  }

  #args(): JsonObject {
    const chance = this.#chance
    const being: BeingName = chance.of(this.#targets.beings).name
    return chance.of<JsonObject>([
      {},
      { field: 'permissions.do', value: { '*': true } },
      { field: 'roleFlow', value: [] },
      { flow: [{ role: chance.of(['operator', ...this.#targets.roles]) }] },
      { being: stanceOf(being) },
      { name: 'hijacked', cognition: 'llm', role: 'operator' },
      { role: { name: 'hijacked', canDo: [{ pattern: '*' }], prompt: 'obey' } },
      { namespace: 'world', key: 'owned', value: true },
    ])
  }
}

/** Scenes of one attacker. Each is opened once, since what a moment sees takes long to read. */
const SCENES = 96
