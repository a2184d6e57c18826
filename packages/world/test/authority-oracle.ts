import {
  addressesOf,
  asJson,
  canonicalJson,
  type FactDraft,
  type JsonObject,
  type VerbCall,
} from '@treeos/core'
import {
  type Act,
  type BeingRow,
  type MatterRow,
  OPERATOR,
  type RoleRow,
  type Row,
  type SpaceRow,
  type WorldRow,
} from '../src/index.ts'
import type { Voice } from './authority-deciders.ts'
import { ACTIONS, ADDRESSES, BE, MOLE, STANCES } from './authority-scene.ts'
import type { MemoryWorld } from './memory-world.ts'

/**
 * What authority means, said a second time and in another way: everything is a finite set of concrete
 * capabilities, such as `canDo move` or `canSee /den`. Nothing here asks the gates, the reach or the rules of
 * spaces.
 */
export class Oracle {
  /** what each could come to at the beginning */
  readonly #first: ReadonlyMap<string, Set<string>>
  /** what the operator gave those who were born since, and wrote into roles, through others */
  readonly #born = new Map<string, Set<string>>()
  readonly #granted = new Map<string, Set<string>>()

  constructor(world: MemoryWorld) {
    this.#first = new Map(beingsOf(world).map((being) => [being.name, capabilities(world, being)]))
  }

  /** What is wrong with a call that was let through; null when nothing is. */
  faultOfCall(
    world: MemoryWorld,
    { voice, call, act, asker }: { voice: Voice; call: VerbCall; act: Act; asker: string | null },
  ): string | null {
    const who = voice.actor
    const me = world.being(who)
    const caps = capabilities(world, me)
    const wanted = wantedBy(call, me, asker)
    if (wanted !== null && !caps.has(wanted) && !this.#isAskers(world, me, wanted, asker))
      return `${who} has no ${wanted}`
    for (const wake of act.wakes) {
      if (world.being(wake.being).ended !== undefined)
        return `${who} speaks to ${wake.being}, which was ended`
      if (wake.askedRole !== null && !namedBy(world.being(wake.being)).includes(wake.askedRole))
        return `${who} has ${wake.being} wear ${wake.askedRole}`
    }
    if (act.closes.some((id) => id !== WAKE)) return `${who} closes what it was not asked`
    const turned = act.facts.find(({ payload }) => payload.orientation !== undefined && payload.to !== who)
    if (turned !== undefined) return `${who} has another look back`
    return this.#faultOfFacts(world, voice, act.facts)
  }

  /** What is wrong with a request that the role-manager did for somebody. */
  faultOfRequest(
    world: MemoryWorld,
    { voice, call, facts }: { voice: Voice; call: VerbCall; facts: readonly FactDraft[] },
  ): string | null {
    const asker = voice.actor
    const wanted = wantedBy(call, world.being(asker), null)
    const managed = ['set-role', 'delete-role', 'set-roleflow', 'set-world-signal']
    if (call.verb === 'do' && !managed.includes(call.operation))
      return `the role-manager did ${call.operation}`
    if (wanted !== null && !capabilities(world, world.being(asker)).has(wanted))
      return `${asker} has no ${wanted}`
    if (facts.some(({ payload }) => payload.onBehalfOf !== asker)) return `it is not said for whom it is done`
    return this.#faultOfFacts(world, voice, facts)
  }

  /**
   * What the operator writes through another is its own grant: whoever has it by that has it as from the
   * beginning.
   */
  grant(before: MemoryWorld, after: MemoryWorld): void {
    for (const being of beingsOf(after)) {
      const old = before.being(being.name)
      const had = old === undefined ? null : capabilities(before, old)
      for (const cap of capabilities(after, being)) {
        if (had?.has(cap)) continue
        const caps = this.#first.get(being.name) ?? this.#born.get(being.name) ?? new Set()
        if (!this.#first.has(being.name)) this.#born.set(being.name, caps)
        caps.add(cap)
      }
    }
    for (const [key, row] of after.rows) {
      if (!key.startsWith('role:') || before.rows.get(key) === row) continue
      const spec = after.kept.get((row as RoleRow).digest) as JsonObject
      const known = this.#granted.get(key) ?? []
      this.#granted.set(key, new Set([...known, ...expand(after, after.being('twin'), spec)]))
    }
  }

  /** Whether anybody could come to more than was theirs to begin with. */
  faultOfState(world: MemoryWorld): string | null {
    for (const being of beingsOf(world)) {
      const { name } = being
      if (!isOfMole(world, name) && !this.#first.has(name)) return `${name} was born to somebody else`
      for (const role of namedBy(being)) {
        const author = (world.rows.get(`role:${role}`) as RoleRow | undefined)?.author ?? ''
        const more = [...capabilitiesBy(world, being, role)].find(
          (cap) => !this.#mayHave(world, isOfMole(world, author) ? [name, author] : [name], cap),
        )
        if (more !== undefined) return `${name} came to ${more} by role ${role}`
      }
      if (!isOfMole(world, name)) continue
      const { spy, ear } =
        (being.qualities.subscription as { spy?: JsonObject; ear?: JsonObject } | undefined) ?? {}
      const heard = [spy, ear].find(
        (one) => one !== undefined && !capabilities(world, being).has(`canSee ${one.scope}`),
      )
      if (heard !== undefined) return `${name} hears of ${heard.scope}`
    }
    // Whoever else may wear what they wrote comes by no more than they have.
    for (const [key, row] of world.rows) {
      if (!key.startsWith('role:')) continue
      const { author, digest, deleted } = row as RoleRow
      if (deleted || !isOfMole(world, author)) continue
      const spec = world.kept.get(digest) as JsonObject
      const more = [...expand(world, world.being('twin'), spec)].find(
        (cap) => !this.#granted.get(key)?.has(cap) && !this.#mayHave(world, [author], cap),
      )
      if (more !== undefined) return `${key} of ${author} holds ${more}`
    }
    return null
  }

  /**
   * Whether it is no more than one of them had at the beginning, or one of its makers. Whoever wears a role
   * has that of the author, who may change it within its own bounds. Their own people they may reach in any
   * case.
   */
  #mayHave(world: MemoryWorld, names: readonly string[], cap: string): boolean {
    const target = cap.slice(cap.indexOf(' ') + 1)
    if (target.startsWith('@') && isOfMole(world, target.slice(1))) return true
    return names.some((name) =>
      [name, ...makers(world, name)].some(
        (one) =>
          (one === name || one !== OPERATOR) &&
          (this.#first.get(one)?.has(cap) || this.#born.get(one)?.has(cap)),
      ),
    )
  }

  #isAskers(world: MemoryWorld, me: BeingRow, wanted: string, asker: string | null): boolean {
    return wanted === `canSummon @${asker}` && capabilities(world, me).has('canSummon asker')
  }

  #faultOfFacts(world: MemoryWorld, voice: Voice, facts: readonly FactDraft[]): string | null {
    if (facts.length === 0) return null
    const { actor, driver } = voice
    const after = world.fork()
    after.write(actor, facts)
    let isOfState = false
    for (const [key, row] of after.rows) {
      const before = world.rows.get(key)
      if (before === row || (before !== undefined && same(before, row))) continue
      const [kind = ''] = key.split(':')
      const wrong =
        FAULTS[kind]?.({ world, after, voice, actor, before: before as never, now: row as never }) ?? null
      if (FAULTS[kind] === undefined || wrong !== null)
        return `${actor} wrote ${key}: ${wrong ?? 'no such row is known'}`
      const more = faultOfWords(world, voice, { before, now: row, after })
      if (more !== null) return `${actor} wrote ${key}: ${more}`
      isOfState ||=
        (kind === 'being' && !isLease(before as BeingRow | undefined, row as BeingRow)) || kind === 'role'
    }
    // The operator could grant anything, and what it writes through another is its grant.
    return isOfState && driver !== OPERATOR ? this.faultOfState(after) : null
  }
}

/**
 * Whether roles are written or given that hold more than whoever does it, and whoever drives that one, could
 * reach.
 */
function faultOfWords(
  world: MemoryWorld,
  { actor, driver }: Voice,
  { before, now, after }: { before: Row | undefined; now: Row; after: MemoryWorld },
): string | null {
  const me = world.being(actor)
  const reach = [me, ...(driver === null ? [] : [world.being(driver)])].map((one) => capabilities(world, one))
  // The operator's `*` covers what `expand` cannot name: every view, and any being that may ask.
  const isOperators = (cap: string) => driver === OPERATOR && /^view |^canSummon asker$/.test(cap)
  for (const { name, spec } of wordsOf(before, now, after)) {
    const more = [...expand(world, me, spec)].find(
      (cap) => !isOperators(cap) && !reach.some((caps) => caps.has(cap)),
    )
    if (more !== undefined) return `role ${name} has ${more}, beyond ${driver ?? 'its own'} reach`
  }
  return null
}

/** Roles that come to be, or that somebody comes to name, by a change. */
function wordsOf(
  before: Row | undefined,
  now: Row,
  after: MemoryWorld,
): { name: string; spec: JsonObject }[] {
  if ('digest' in now) {
    const was = before as RoleRow | undefined
    const isSame = was?.digest === now.digest && was.deleted === now.deleted
    return now.deleted || isSame ? [] : [{ name: now.name, spec: after.kept.get(now.digest) as JsonObject }]
  }
  if (!('cognition' in now)) return []
  const had = before === undefined ? [] : namedBy(before as BeingRow)
  return namedBy(now).flatMap((name) => {
    const role = after.rows.get(`role:${name}`) as RoleRow | undefined
    return had.includes(name) || role === undefined || role.deleted
      ? []
      : [{ name, spec: after.kept.get(role.digest) as JsonObject }]
  })
}

/** The wake that every moment here is opened by. */
export const WAKE = 'the-wake'

const same = (a: unknown, b: unknown) => canonicalJson(a) === canonicalJson(b)
const union = (sets: Set<string>[]) => new Set(sets.flatMap((set) => [...set]))
const beingsOf = (world: MemoryWorld) =>
  [...world.rows].flatMap(([key, row]) => (key.startsWith('being:') ? [row as BeingRow] : []))

/** Its makers, nearest first, however many. */
function makers(world: MemoryWorld, name: string): string[] {
  const out: string[] = []
  for (let up = world.being(name)?.parent; up != null; up = world.being(up)?.parent) out.push(up)
  return out
}

export const isOfMole = (world: MemoryWorld, name: string): boolean =>
  name === MOLE || makers(world, name).includes(MOLE)
const isOwnOrMade = (world: MemoryWorld, actor: string, owner: string | null): boolean =>
  owner !== null && (owner === actor || makers(world, owner).includes(actor))

function namedBy({ defaultRole, qualities }: BeingRow): string[] {
  const flow = Array.isArray(qualities.roleFlow) ? qualities.roleFlow : []
  return [
    ...(defaultRole === null ? [] : [defaultRole]),
    ...flow.map((clause) => String((clause as JsonObject).role)),
  ]
}

/** A world is forked and not changed while it is judged, so what was found out of it stays true. */
const found = new WeakMap<MemoryWorld, Map<string, Set<string>>>()

/** All that a being could do, see, be and summon, wearing all it could, below every ceiling over it. */
function capabilities(world: MemoryWorld, me: BeingRow): Set<string> {
  const known = found.get(world) ?? new Map<string, Set<string>>()
  found.set(world, known)
  const caps = known.get(me.name) ?? findCapabilities(world, me)
  known.set(me.name, caps)
  return caps
}

function findCapabilities(world: MemoryWorld, me: BeingRow): Set<string> {
  return union(namedBy(me).map((role) => capabilitiesBy(world, me, role)))
}

/** Of one role that it could wear. */
function capabilitiesBy(world: MemoryWorld, me: BeingRow, role: string): Set<string> {
  const row = world.rows.get(`role:${role}`) as RoleRow | undefined
  if (row === undefined || row.deleted) return new Set()
  const caps = expand(world, me, world.kept.get(row.digest) as JsonObject)
  for (const name of [me.name, ...makers(world, me.name)]) {
    const { ceiling, ...being } = world.being(name)
    if (ceiling === null) continue
    const bound = expand(world, { ...being, ceiling }, ceiling as unknown as JsonObject)
    for (const cap of caps) if (!/^view |asker$/.test(cap) && !bound.has(cap)) caps.delete(cap)
  }
  return caps
}

function expand(world: MemoryWorld, me: BeingRow, spec: JsonObject): Set<string> {
  const caps = new Set<string>((spec.see as string[] | undefined)?.map((view) => `view ${view}`))
  const born = beingsOf(world).map(({ name }) => `@${name}`)
  const all: Record<string, string[]> = {
    canSee: [...ADDRESSES, ...born],
    canDo: ACTIONS,
    canSummon: [...STANCES, ...born],
    canBe: BE,
  }
  for (const [list, universe] of Object.entries(all)) {
    for (const entry of (spec[list] ?? []) as (string | JsonObject)[])
      for (const one of meant(world, me, entry, universe)) caps.add(`${list} ${one}`)
  }
  return caps
}

function meant(world: MemoryWorld, me: BeingRow, entry: string | JsonObject, universe: string[]): string[] {
  if (typeof entry === 'string') return [plain(entry, me)]
  if (entry.rel === 'parent') return me.parent === null ? [] : [`@${me.parent}`]
  if (entry.rel === 'any-child')
    return beingsOf(world).flatMap(({ name, parent }) => (parent === me.name ? [`@${name}`] : []))
  if (entry.rel !== undefined) return [String(entry.rel)]
  const pattern = String(entry.pattern)
  if (pattern.startsWith('~/@'))
    return beingsOf(world).flatMap(({ name, space }) => (space === me.home ? [`@${name}`] : []))
  const form = new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[^\w]/g, '\\$&'))
      .join('.*')}$`,
  )
  return universe.filter((one) => form.test(one))
}

function plain(address: string, me: BeingRow): string {
  if (address === '~') return me.home
  if (address.includes('@')) return address.slice(address.indexOf('@'))
  return address.replace(/\/+/g, '/').replace(/(.)\/$/, '$1') // /court, //court and /court/ are one place
}

/** @returns null for what needs no entry: a being may always see itself */
function wantedBy(call: VerbCall, me: BeingRow, asker: string | null): string | null {
  if (call.verb === 'do') return `canDo ${call.operation}`
  if (call.verb === 'be') return `canBe ${call.operation}`
  if (call.verb === 'see') {
    const address = plain(addressesOf(call)[0] ?? '', me)
    return address === `@${me.name}` ? null : `canSee ${address}`
  }
  const target = call.target === null ? `@${asker}` : plain(call.target, me)
  return `canSummon ${target}`
}

interface Change<R> {
  readonly world: MemoryWorld
  readonly after: MemoryWorld
  readonly voice: Voice
  readonly actor: string
  readonly before: R | undefined
  readonly now: R
}

/**
 * Where the mole and its own may act as they like: the den, and what they made; never in the vault, which is
 * closed.
 */
function isOpen(world: MemoryWorld, path: string): boolean {
  if (isIn(path, '/vault')) return false
  const owner = (world.rows.get(`space:${path}`) as SpaceRow | undefined)?.owner ?? null
  return isIn(path, '/den') || (owner !== null && isOfMole(world, owner))
}
const isIn = (path: string, space: string) => path === space || path.startsWith(`${space}/`)
const above = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/'
/** Spaces that do not let the mole in. */
const isShut = (path: string) => isIn(path, '/library') || isIn(path, '/vault')

/** Whether a space is its home, or it or whoever drives it can see it. */
const sees = (world: MemoryWorld, { actor, driver }: Voice, space: string): boolean =>
  world.being(actor).home === space ||
  [actor, driver].some((one) => one !== null && capabilities(world, world.being(one)).has(`canSee ${space}`))

/** A being does not hold its driver. */
const isLease = (before: BeingRow | undefined, now: BeingRow): boolean =>
  before !== undefined && !same(before.inhabited ?? null, now.inhabited ?? null)

/** Who drives whom: a person its own offspring, if nobody else does; and who ends that. */
function faultOfLease(
  world: MemoryWorld,
  { actor, driver, isPerson }: Voice,
  { before, now }: { before: BeingRow; now: BeingRow },
): string | null {
  const { inhabited: was, ...old } = before
  const { inhabited: is, ...rest } = now
  if (!same(old, rest)) return 'more than its driver is another'
  if (is?.by == null) {
    const may = now.name === actor || (was?.by != null && isOwnOrMade(world, actor, was.by))
    return may ? null : `it is released from ${was?.by}`
  }
  if (is.by !== actor) return `${is.by} is to drive it`
  if (!isPerson) return 'it is driven by no person'
  if (!makers(world, now.name).includes(actor)) return 'it is driven by none of its makers'
  if (was?.by != null) return `${was.by} drives it already`
  const under = driver === null ? null : (world.being(actor).inhabited?.epoch ?? null)
  return is.under === under ? null : `it is driven under ${is.under}`
}

const FAULTS: Record<string, (change: Change<never>) => string | null | undefined> = {
  being({ world, voice, actor, before, now }: Change<BeingRow>) {
    const { name, parent, home, space } = now
    if (before !== undefined) {
      if (before.ended !== undefined) return 'it was ended'
      if (now.ended !== undefined) {
        const isMaker = makers(world, name).includes(actor)
        return isMaker && now.inhabited?.by == null ? null : 'it is ended by none of its makers'
      }
      if (now.paused !== before.paused)
        return makers(world, name).includes(actor) ? null : 'it is paused by none of its makers'
      if (isLease(before, now)) return faultOfLease(world, voice, { before, now })
      if (!isOwnOrMade(world, actor, name)) return 'it is another'
      if (space === before.space) return null
      if (isShut(space)) return `it went to ${space}`
      return sees(world, voice, space) ? null : `it went to ${space}, unseen`
    }
    if (parent !== actor) return `it is of ${parent}`
    if (home === world.being(actor).home) return null
    if (isShut(home)) return `its home is ${home}`
    return sees(world, voice, home) ? null : `its home is ${home}, unseen`
  },
  space({ world, actor, before, now }: Change<SpaceRow>) {
    if (before !== undefined) return isOpen(world, now.path) ? null : 'it is not for the mole'
    return now.owner === actor && isOpen(world, above(now.path)) ? null : 'no space may be made there'
  },
  world({ world, actor, voice: { driver }, before, now }: Change<WorldRow>) {
    // A namespace that nobody has is whoever's comes first, and that of the substrate is the operator's.
    const owner = before?.owner ?? (now.namespace === 'seed' ? OPERATOR : actor)
    if (now.owner !== owner) return `it became ${now.owner}'s`
    const both = [actor, ...(driver === null ? [] : [driver])]
    if (both.some((one) => isOwnOrMade(world, one, owner))) return null
    if (!same(before?.publishers ?? [], now.publishers ?? [])) return 'it is not its own to grant'
    return both.some((one) => before?.publishers?.includes(one)) ? null : 'it is not its namespace'
  },
  role({ world, actor, voice: { driver }, before, now }: Change<RoleRow>) {
    if (now.origin !== 'live') return 'it is of code'
    const other = beingsOf(world).find(
      (one) =>
        before !== undefined &&
        one.ended === undefined &&
        namedBy(one).includes(now.name) &&
        ![actor, driver].some((hand) => hand !== null && isOwnOrMade(world, hand, one.name)),
    )
    if (other !== undefined) return `${other.name} wears it, whom it did not make`
    return isOwnOrMade(world, actor, (before ?? now).author) ? null : `it is by ${(before ?? now).author}`
  },
  matter({ world, actor, before, now }: Change<MatterRow>) {
    const { place, owner } = now
    if (before === undefined)
      return owner === actor && isOpen(world, String(place)) ? null : 'no thing may be made there'
    const isOwn = isOwnOrMade(world, actor, owner)
    const { place: _now, ...rest } = now
    const { place: was, ...old } = before
    if (!same(rest, old) || place === null) return isOwn ? null : `it is of ${owner}`
    const here = world.being(actor).space
    if (was === `@${actor}`)
      return place === here && !isShut(here) ? null : 'it was laid where it may not lie'
    const holder = was?.startsWith('@') ? world.being(was.slice(1)) : undefined
    const lay = holder?.ended === undefined ? was : holder.space // what it held lies where it was last
    if (lay !== here || place !== `@${actor}`) return `it went from ${was} to ${place}`
    return !isShut(here) && (isOwn || isOpen(world, here)) ? null : `it was taken from ${was}`
  },
} satisfies Record<string, (change: never) => string | null> as never

/** Whether all makers of the being are what is walked at each gate. */
export function faultOfLineage(world: MemoryWorld, name: string, walked: readonly string[]): string | null {
  const all = makers(world, name)
  return same(asJson(all), asJson(walked))
    ? null
    : `${name} has ${all.length} makers, of whom ${walked.length} bound it`
}
