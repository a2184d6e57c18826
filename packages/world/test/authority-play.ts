import type { FactDraft, Json, VerbCall, Wake } from '@treeos/core'
import type { Act, Acting, Surface } from '../src/index.ts'
import { faultOfLine, isOfMole, type Oracle, WAKE } from './authority-oracle.ts'
import type { Move } from './authority-scene.ts'
import type { MemoryWorld } from './memory-world.ts'

export type World = typeof import('../src/index.ts')

/** What may not be and was: it ends a run. */
export class Breach extends Error {
  override readonly name = 'Breach'
}

const TIME = { openedAt: 0, zone: 'UTC', hour: 12, dayOfWeek: 1 }
const MANAGER = 'role-manager'

/** One state of a world, in which anybody may try anything: moments as they are opened, gated and decided anywhere else. */
export class State {
  readonly #reader: Acting['reader']
  readonly #surfaces = new Map<string, Promise<Surface | null>>()
  readonly world: MemoryWorld
  readonly #code: World
  readonly #parts: Acting['parts']

  constructor(code: World, parts: Acting['parts'], world: MemoryWorld) {
    this.#code = code
    this.#parts = parts
    this.world = world
    this.#reader = new code.WorldReader(world.source)
  }

  /** What a being reaches for in a moment that `asker` woke; null when it wears nothing. */
  surfaceOf(who: string, asker: string | null): Promise<Surface | null> {
    const key = `${who} ${asker}`
    const known = this.#surfaces.get(key)
    if (known !== undefined) return known
    const surface = this.#code
      .lookAround(this.#reader, this.#parts, {
        me: this.world.being(who),
        cognition: 'scripted',
        verb: 'summon',
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

  /** @returns null for what is refused */
  async decide(
    who: string,
    call: VerbCall,
    wake: { asker: string | null; content: Json; spoke?: Surface | null },
  ): Promise<Act | null> {
    const surface = await this.surfaceOf(who, wake.asker)
    if (surface === null) return null
    const caller = { name: who, role: null, cognition: 'scripted' } as const
    const opened: Wake = {
      id: WAKE,
      being: who,
      kind: 'summon',
      priority: 3,
      caller: wake.asker === null ? null : { name: wake.asker, role: null, cognition: 'human' },
      content: wake.content,
      root: WAKE,
      inReplyTo: null,
      askedRole: null,
      hops: 0,
      continues: 0,
      cause: null,
    }
    try {
      return await this.#code.decideCall(call, {
        reader: this.#reader,
        parts: this.#parts,
        moment: `${who}/1/1`,
        me: this.world.being(who),
        caller,
        driver: null,
        surface,
        wake: opened,
        hops: 0,
        role: { defaultOrientation: 'forward', replyTo: 'asker', respondMode: 'async' },
        correlation: `${who}/1/1`,
        digest: this.world.keep,
        asker: async () => (wake.spoke == null ? null : { surface: wake.spoke, driver: null }),
        outside: async () => null,
        opener: async () => wake.asker,
        thread: async () => null,
        catalogs: () => Promise.reject(new Error('nobody asks for catalogs here')),
      })
    } catch (error) {
      if (error instanceof Error && error.name === 'TreeosError') return null
      throw error
    }
  }

  makersOf = async (who: string): Promise<string[]> =>
    (await this.#reader.lineage(who)).map(({ name }) => name)
}

/** A run: who moves how, one after another; after that, everything that anybody of the mole's might do is tried. */
export class Play {
  #state: State
  readonly #code: World
  readonly #parts: Acting['parts']
  readonly #oracle: Oracle
  /** what they could reach for when all began, and spoke of to the role-manager */
  readonly #spoke = new Map<string, Surface | null>()
  accepted = 0
  tried = 0

  constructor(code: World, world: MemoryWorld, oracle: Oracle) {
    this.#code = code
    this.#parts = code.assemble([code.seed])
    this.#oracle = oracle
    this.#state = new State(code, this.#parts, world)
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
  async step(who: string, move: Move): Promise<void> {
    const facts = await this.try(who, move)
    if (facts === null || facts.length === 0) return
    const world = this.#state.world.fork()
    world.write(who, facts)
    this.#state = new State(this.#code, this.#parts, world)
  }

  /** Whoever is born is bound by all of its makers. */
  async #faultOfBirth(who: string, facts: readonly FactDraft[]): Promise<string | null> {
    const born = facts.find(({ kind }) => kind === 'being:born')?.payload.name
    if (typeof born !== 'string') return null
    const world = this.#state.world.fork()
    world.write(who, facts)
    return faultOfLine(world, born, await new State(this.#code, this.#parts, world).makersOf(born))
  }

  /** Makes a move, which changes nothing. @returns what it would write; null when it is refused @throws {Breach} */
  async try(who: string, move: Move): Promise<readonly FactDraft[] | null> {
    this.tried += 1
    const { world } = this.#state
    const child = `kid-${[...world.rows.keys()].filter((key) => key.startsWith('being:kid-')).length}`
    const facts =
      move.kind === 'call' ? await this.#call(who, move.call(child)) : await this.#request(who, move)
    if (facts !== null) this.accepted += 1
    return facts
  }

  async #call(who: string, call: VerbCall): Promise<readonly FactDraft[] | null> {
    const asker = call.verb === 'summon' ? 'victim' : null
    const act = await this.#state.decide(who, call, { asker, content: 'hi' })
    if (act === null) return null
    const fault =
      this.#oracle.faultOfCall(this.#state.world, { who, call, act, asker }) ??
      (await this.#faultOfBirth(who, act.facts))
    if (fault !== null) throw new Breach(`${fault} by ${JSON.stringify(call)}`)
    return act.facts
  }

  async #request(
    asker: string,
    { call, asked }: Extract<Move, { kind: 'request' }>,
  ): Promise<readonly FactDraft[] | null> {
    if (call.verb !== 'do') return null
    const now = await this.#state.surfaceOf(asker, null)
    const spoke = asked === 'now' ? now : (this.#spoke.get(asker) ?? null)
    const mediate: VerbCall = { verb: 'do', action: 'mediate', target: `@${MANAGER}`, args: {} }
    const content = {
      do: call.action,
      ...(call.target === null ? {} : { target: call.target }),
      ...call.args,
    }
    const act = await this.#state.decide(MANAGER, mediate, { asker, content, spoke })
    const facts = act?.facts.filter(({ kind }) => kind !== 'being:summoned') ?? []
    if (facts.length === 0) return null
    if (asked === 'before' && !hasEntry(spoke, call.action))
      throw new Breach(`${asker} could not do ${call.action} as it spoke`)
    const fault = this.#oracle.faultOfRequest(this.#state.world, { asker, call, facts })
    if (fault !== null) throw new Breach(`${fault} by the role-manager, asked for ${JSON.stringify(call)}`)
    return facts
  }
}

const hasEntry = (surface: Surface | null, action: string): boolean =>
  surface?.canDo.some((entry) => entry === action || (typeof entry === 'object' && entry.pattern === '*')) ??
  false
