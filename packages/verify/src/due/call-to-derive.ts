/** A call whose facts are derived from its decision alone, with what is known of the rows that it is about. */
import { canonicalTarget } from '@treeos/world'
import { at, isObject, type Json, type JsonObject } from '../canonical.ts'
import type { Moment } from '../moment.ts'
import type { WrittenFact } from './due-fact.ts'

/** What is known of a row before the moment. A field that is left out is not known. */
export interface KnownRow {
  readonly home?: string
  /** of a being its place; of a thing its place, or its holder */
  readonly space?: string
  readonly driver?: Json
  /** null where it has none */
  readonly budget?: Json
  /** what waits for a yes */
  readonly call?: Json
}

/** What a row tells of it. */
export function knownOf(row: unknown): KnownRow {
  if (!isObject(row)) return {}
  const { home, space, place, call, inhabited = null, budget = null } = row
  const [at, { revision: _count, ...bounds }] = [space ?? place, isObject(budget) ? budget : {}]
  return {
    ...(typeof home === 'string' ? { home } : {}),
    ...(typeof at === 'string' ? { space: at } : {}),
    ...(call === undefined ? {} : { call }),
    driver: isObject(inhabited) ? (inhabited.by ?? null) : null,
    budget: budget === null ? null : bounds,
  }
}

export interface DueInputs {
  readonly moment: Moment
  /** spec of the primary role; null where that is not known */
  readonly role: Json
  /** what the call is done to, where something else than the call says it */
  readonly target: string | null
  /** what is known of the row of a reel; nothing for a reel that is not there as a whole */
  readonly rowOf: (reel: string) => KnownRow
}

export class CallToDerive {
  readonly me: string
  readonly call: Json
  readonly args: JsonObject
  readonly record: JsonObject
  readonly open: Json
  readonly role: Json
  readonly home: string | null
  readonly place: string | null
  readonly target: string | null
  /** the facts that the moment wrote, without those of counts, marks and a yes */
  readonly written: readonly WrittenFact[]
  readonly rowOf: (reel: string) => KnownRow

  constructor(written: readonly WrittenFact[], { moment, role, target, rowOf }: DueInputs) {
    this.written = written
    this.record = moment.record
    this.open = moment.open
    this.role = role
    this.rowOf = rowOf
    this.me = String(moment.record.being)
    this.call = at(moment.decision, 'call') ?? null
    const args = at(this.call, 'args')
    this.args = isObject(args) ? args : {}
    const { home = null, space = null } = rowOf(`being:${this.me}`)
    this.home = home
    this.place = space
    this.target = target ?? this.#targetOfCall()
  }

  #targetOfCall(): string | null {
    const named = at(this.call, 'target')
    if (named === '~') return this.home
    if (typeof named !== 'string') return null
    return canonicalTarget(at(this.call, 'verb') === 'summon' ? 'canSummon' : 'canSee', named, '/')
  }

  /** An argument; null where it is left out. */
  given(name: string): Json {
    return at(this.args, name) ?? null
  }

  /** An argument, or a default where it is null or left out. */
  givenOr(name: string, fallback: Json): Json {
    return this.given(name) ?? fallback
  }

  has(name: string): boolean {
    return Object.hasOwn(this.args, name)
  }

  /** A field of the first fact that it wrote. */
  wrote(field: string): Json | undefined {
    return at(this.written[0]?.payload ?? null, field)
  }

  get targetOrMe(): string {
    return this.target ?? `@${this.me}`
  }

  get targetOrPlace(): string | null {
    return this.target ?? this.place
  }

  /** Where the row of a reel is: as that reel says, else as the first fact does. */
  placeOf(reel: string, field: string): string | null {
    const told = this.rowOf(reel).space ?? this.wrote(field)
    return typeof told === 'string' ? told : null
  }
}

/** The reel of a target; null for one that is not known. */
export function reelOfTarget(target: string | null): string | null {
  if (target === null) return null
  if (target.startsWith('@')) return `being:${target.slice(1)}`
  return target.startsWith('/') ? `space:${target}` : target
}

export const pathIn = (address: Json): string => canonicalTarget('canSee', String(address), '/')
export const nameIn = (stance: Json): string => canonicalTarget('canSummon', String(stance), '/').slice(1)
