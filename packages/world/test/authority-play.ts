import type { Cognition, FactDraft, Json, VerbCall, Wake } from '@treeos/core'
import { type ActDecider, Leases, MIND, type Voice } from './authority-deciders.ts'
import { faultOfLineage, isOfMole, type Oracle, WAKE } from './authority-oracle.ts'
import type { Move } from './authority-scene.ts'
import { CARRIER } from './carrier.ts'
import { type Act, type ActInputs, OPERATOR, type Surface } from './inside.ts'
import type { MemoryWorld } from './memory-world.ts'

export type World = typeof import('./inside.ts')

/** What may not be and was: it ends a run. */
export class Breach extends Error {
  override readonly name = 'Breach'
}

const TIME = { openedAt: 0, zone: 'UTC', hour: 12, dayOfWeek: 1, offset: 0 }
const MANAGER = 'role-manager'

/** A moment as it was opened. */
interface Opened {
  readonly surface: Surface | null
  readonly driver: string | null
  readonly cognition: Cognition
}

/**
 * One state of a world, in which anybody may try anything: moments as they are opened, gated and decided
 * anywhere else.
 */
export class State {
  readonly #reader: ActInputs['reader']
  readonly #surfaces = new Map<string, Promise<Surface | null>>()
  readonly world: MemoryWorld
  readonly #code: World
  readonly #registry: ActInputs['registry']

  constructor(code: World, registry: ActInputs['registry'], world: MemoryWorld) {
    this.#code = code
    this.#registry = registry
    this.world = world
    this.#reader = new code.WorldReader(world.source)
  }

  /** What a being reaches for in a moment that `asker` woke; null when it wears nothing. */
  surfaceOf(who: string, asker: string | null, driver: string | null = null): Promise<Surface | null> {
    const cognition = this.cognitionOf(who, driver)
    const key = `${who} ${asker} ${cognition}`
    const known = this.#surfaces.get(key)
    if (known !== undefined) return known
    const surface = this.#code
      .readWorld(this.#reader, this.#registry, {
        me: this.world.being(who),
        cognition,
        verb: 'summon',
        kind: 'message',
        caller: asker === null ? null : { name: asker, role: null, cognition: 'human' },
        time: TIME,
        lastSealed: null,
        asked: null,
        trigger: null,
        asker,
      })
      .then(({ face }) => face?.surface ?? null)
    this.#surfaces.set(key, surface)
    return surface
  }

  cognitionOf(who: string, driver: string | null): Cognition {
    return this.#code.momentCognition(this.world.being(who), driver).kind
  }

  /** Whom a moment is opened with. */
  driverOf(who: string, decider: ActDecider): string | null {
    return decider.kind === 'mind' || decider.lease === null
      ? null
      : this.#code.driverOf(this.world.being(who), decider.lease)
  }

  /** Whether an act is let in whose moment was opened with a driver, or with none. */
  lets(who: string, decider: ActDecider, driver: string | null): boolean {
    return (
      decider.kind === 'mind' ||
      this.#allows(() => this.#code.requireLease(this.world.being(who), decider.lease, driver))
    )
  }

  #allows(require: () => void): boolean {
    try {
      require()
      return true
    } catch (error) {
      if (error instanceof Error && error.name === 'TreeosError') return false
      throw error
    }
  }

  /** @returns null for what is refused */
  async decide(
    who: string,
    call: VerbCall,
    wake: {
      asker: string | null
      content: Json
      /** what the asker could reach for as it spoke, and who drove it */
      spoke?: { surface: Surface | null; driver: string | null; cognition: Cognition }
      opened?: Opened
    },
  ): Promise<Act | null> {
    const { surface, driver, cognition } = wake.opened ?? (await this.open(who, wake.asker, MIND))
    if (surface === null) return null
    const { spoke } = wake
    const caller = { name: who, role: null, cognition }
    const opened: Wake = {
      id: WAKE,
      being: who,
      kind: 'summon',
      priority: 3,
      caller:
        wake.asker === null ? null : { name: wake.asker, role: null, cognition: spoke?.cognition ?? 'human' },
      content: wake.content,
      root: WAKE,
      inReplyTo: null,
      askedRole: null,
      hops: 0,
      continues: 0,
      cause: null,
    }
    try {
      const act = await this.#code.decideCall(call, {
        reader: this.#reader,
        registry: this.#registry,
        moment: `${who}/1/1`,
        openedAt: 0,
        me: this.world.being(who),
        caller,
        driver,
        surface,
        wake: opened,
        fromOutside: false,
        owed: null,
        heard: [],
        hops: 0,
        role: { respondMode: 'async', selfContinue: false },
        correlation: `${who}/1/1`,
        digest: this.world.keep,
        asker: async () =>
          spoke == null || spoke.surface === null
            ? null
            : { surface: spoke.surface, driver: spoke.driver, lender: spoke.driver },
        outside: async () => null,
        asking: null,
        question: async () => null,
        thread: async () => null,
        catalogs: () => Promise.reject(new Error('nobody asks for catalogs here')),
      })
      return act.kind === 'act' ? act : null
    } catch (error) {
      if (error instanceof Error && error.name === 'TreeosError') return null
      throw error
    }
  }

  async open(who: string, asker: string | null, decider: ActDecider): Promise<Opened> {
    const driver = this.driverOf(who, decider)
    return {
      surface: await this.surfaceOf(who, asker, driver),
      driver,
      cognition: this.cognitionOf(who, driver),
    }
  }

  makersOf = async (who: string): Promise<string[]> =>
    (await this.#reader.lineage(who)).map(({ name }) => name)
}

/**
 * A run: who moves how, one after another; after that, everything that anybody of the mole's might do is
 * tried.
 */
export class Play {
  #state: State
  readonly #code: World
  readonly #registry: ActInputs['registry']
  readonly #oracle: Oracle
  /** what they could reach for when all began, and spoke of to the role-manager */
  readonly #spoke = new Map<string, Surface | null>()
  /** the state before each step, for moments that were opened then */
  readonly #states: State[] = []
  readonly leases = new Leases()
  accepted = 0
  /** of those, acts under a lease */
  driven = 0
  tried = 0

  constructor(code: World, world: MemoryWorld, oracle: Oracle) {
    this.#code = code
    this.#registry = code.buildRegistry([code.seed, CARRIER])
    this.#oracle = oracle
    this.#state = new State(code, this.#registry, world)
  }

  get world(): MemoryWorld {
    return this.#state.world
  }

  /** The mole and all whom it made, in the order of their births. */
  get cast(): string[] {
    const { world } = this.#state
    return [...world.rows.keys()]
      .filter((key) => key.startsWith('being:'))
      .map((key) => key.slice('being:'.length))
      .filter((name) => isOfMole(world, name))
  }

  async begin(): Promise<void> {
    for (const who of this.cast) this.#spoke.set(who, await this.#state.surfaceOf(who, null))
  }

  /** Makes a move and lives on in what comes of it. @throws {Breach} */
  async step(turn: string, move: Move, decider: ActDecider = MIND): Promise<void> {
    const who = this.#moverOf(turn, move)
    const facts = await this.try(turn, move, decider)
    if (facts === null || facts.length === 0) return
    const before = this.#state.world
    const world = before.fork()
    world.write(who, facts)
    if (decider.kind === 'act' && decider.lease?.driver === OPERATOR) this.#oracle.grant(before, world)
    this.#states.push(this.#state)
    this.#state = new State(this.#code, this.#registry, world)
    this.leases.heed(facts, this.#states.length)
  }

  #moverOf(turn: string, move: Move): string {
    const by = move.kind === 'call' ? move.by : undefined
    return by === 'maker' ? (this.#state.world.being(turn).parent ?? turn) : (by ?? turn)
  }

  /** Whoever is born is bound by all of its makers. */
  async #faultOfBirth(who: string, facts: readonly FactDraft[]): Promise<string | null> {
    const born = facts.find(({ kind }) => kind === 'being:born')?.payload.name
    if (typeof born !== 'string') return null
    const world = this.#state.world.fork()
    world.write(who, facts)
    return faultOfLineage(world, born, await new State(this.#code, this.#registry, world).makersOf(born))
  }

  /**
   * Makes a move, which changes nothing.
   * @returns what it would write; null when it is refused
   * @throws {Breach}
   */
  async try(turn: string, move: Move, decider: ActDecider = MIND): Promise<readonly FactDraft[] | null> {
    this.tried += 1
    const { world } = this.#state
    const who = this.#moverOf(turn, move)
    if (world.being(who).ended !== undefined) return null // it lives no moment any more
    const opened = (decider.kind === 'act' && this.#states[decider.openedAt ?? -1]) || this.#state
    const driver = opened.driverOf(who, decider)
    if (!this.#state.lets(who, decider, driver)) return null
    const isHuman = world.being(who).cognition.kind === 'human'
    if (!this.leases.hold(who, decider, isHuman))
      throw new Breach(`${who} acts under ${JSON.stringify(decider)}, which does not hold`)
    const lease = decider.kind === 'act' ? decider.lease : null
    const voice = { actor: who, driver: lease?.driver ?? null, isPerson: isHuman || lease !== null }
    const child = `kid-${[...world.rows.keys()].filter((key) => key.startsWith('being:kid-')).length}`
    const facts =
      move.kind === 'call'
        ? await this.#call(voice, move.call(child, turn), decider)
        : await this.#request(voice, move, decider)
    if (facts === null) return null
    this.accepted += 1
    if (lease !== null) this.driven += 1
    return facts
  }

  async #call(voice: Voice, call: VerbCall, decider: ActDecider): Promise<readonly FactDraft[] | null> {
    const who = voice.actor
    const asker = call.verb === 'summon' ? 'victim' : null
    const opened = await this.#state.open(who, asker, decider)
    const act = await this.#state.decide(who, call, { asker, content: 'hi', opened })
    if (act === null) return null
    const fault =
      this.#oracle.faultOfCall(this.#state.world, { voice, call, act, asker }) ??
      (await this.#faultOfBirth(who, act.facts))
    if (fault !== null) throw new Breach(`${fault} by ${JSON.stringify(call)}${as(voice)}`)
    return act.facts
  }

  async #request(
    voice: Voice,
    { call, asked }: Extract<Move, { kind: 'request' }>,
    decider: ActDecider,
  ): Promise<readonly FactDraft[] | null> {
    if (call.verb !== 'do') return null
    const asker = voice.actor
    const opened = await this.#state.open(asker, null, decider)
    const spoke = asked === 'now' ? opened : { ...opened, surface: this.#spoke.get(asker) ?? null }
    const mediate: VerbCall = { verb: 'do', operation: 'mediate', target: `@${MANAGER}`, args: {} }
    const content = {
      do: call.operation,
      ...(call.target === null ? {} : { target: call.target }),
      ...call.args,
    }
    const act = await this.#state.decide(MANAGER, mediate, { asker, content, spoke })
    const facts = act?.facts.filter(({ kind }) => kind !== 'being:summoned') ?? []
    if (facts.length === 0) return null
    if (asked === 'before' && !hasEntry(spoke.surface, call.operation))
      throw new Breach(`${asker} could not do ${call.operation} as it spoke`)
    const fault = this.#oracle.faultOfRequest(this.#state.world, { voice, call, facts })
    if (fault !== null)
      throw new Breach(`${fault} by the role-manager, asked for ${JSON.stringify(call)}${as(voice)}`)
    return facts
  }
}

const as = ({ driver }: Voice): string => (driver === null ? '' : ` as ${driver} drives`)

const hasEntry = (surface: Surface | null, action: string): boolean =>
  surface?.canDo.some((entry) => entry === action || (typeof entry === 'object' && entry.pattern === '*')) ??
  false
