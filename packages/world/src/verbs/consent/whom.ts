import type { BeingName, SpacePath } from '@treeos/core'
import type { AskedRules } from '../../gates/refusal.ts'
import { isInPerson } from '../../operations/own-act.ts'
import type { WorldReader } from '../../read/reader.ts'
import type { AskedOf, BeingRow } from '../../rows/rows.ts'
import type { ActInputs } from '../act-inputs.ts'
import { tooFewToAsk } from './refusals.ts'

/**
 * The rules that ask, with the persons that they ask: without those that the person who makes the call
 * answers by making it. A call of a person with words from outside answers none: a program made it, and the
 * person is asked about it as others are.
 */
export async function stillAsked(at: ActInputs, asked: readonly AskedRules[]): Promise<AskedOf[]> {
  const { me, driver, caller, fromOutside } = at
  const { cognition } = caller
  const isHere = isInPerson({ cognition, driver }, fromOutside)
  const isPerson = isInPerson({ cognition, driver }, false)
  const rules = await rulesOf(at, asked)
  const makers = await makersOf(
    at,
    rules.flatMap(({ who }) => who),
  )
  const own = await ownPersons(at, makers, isPerson && !isHere ? [] : [me.name])
  return rules
    .filter(({ who, count }) => !(isHere && count === 1 && who.includes(me.name)))
    .map(({ by, who, count }) => {
      const others = who.filter((name) => !own.has(name))
      const apart =
        count === 1 ? others : others.filter((name) => !(makers.get(name) ?? []).some(isOneOf(others)))
      if (apart.length >= count) return { by, who: apart, count }
      throw tooFewToAsk({ by, count }, me.name, apart)
    })
}

const isOneOf =
  (names: readonly BeingName[]) =>
  (name: BeingName): boolean =>
    names.includes(name)

/** The makers of persons, without the operator, which made everybody. */
async function makersOf(
  { reader }: ActInputs,
  persons: readonly BeingName[],
): Promise<ReadonlyMap<BeingName, readonly BeingName[]>> {
  const makers = new Map<BeingName, readonly BeingName[]>()
  for (const person of persons)
    makers.set(
      person,
      (await reader.lineage(person)).flatMap(({ name, parent }) => (parent === null ? [] : [name])),
    )
  return makers
}

/**
 * Of persons, who makes the call or drives who makes it, and whom one of them, or the nearest person among
 * the makers of who makes it, has made: nobody says yes to itself by another name.
 * @param self who makes the call; nobody where it is a person that has not seen it yet
 */
async function ownPersons(
  { reader, me, driver }: ActInputs,
  makers: ReadonlyMap<BeingName, readonly BeingName[]>,
  self: readonly BeingName[],
): Promise<ReadonlySet<BeingName>> {
  const drivers = driver === null ? [] : [driver]
  const actors = [me.name, ...drivers]
  const person = await personOf(reader, me.name)
  const heads = person === null ? actors : [...actors, person]
  const made = [...makers].flatMap(([name, above]) => (above.some(isOneOf(heads)) ? [name] : []))
  return new Set([...self, ...drivers, ...made])
}

/** All rules that ask, with the persons that they name. */
export async function rulesOf({ reader, me }: ActInputs, asked: readonly AskedRules[]): Promise<AskedOf[]> {
  const rules: AskedOf[] = []
  for (const { asks, question } of asked)
    for (const { ask, by, place } of asks) {
      const who = new Set<BeingName>()
      for (const word of ask.who)
        for (const name of await namedBy(reader, me, { question, place }, word)) {
          const person = await personOf(reader, name)
          if (person !== null) who.add(person)
        }
      rules.push({ by, who: [...who].sort(), count: ask.count })
    }
  return rules
}

async function namedBy(
  reader: WorldReader,
  me: BeingRow,
  {
    question: { target },
    place,
  }: { readonly question: AskedRules['question']; readonly place: SpacePath | null },
  word: string,
): Promise<readonly BeingName[]> {
  const space = await reader.space(place ?? target.space)
  const owner = place === null ? (target.owner ?? space?.owner) : space?.owner
  switch (word) {
    case 'operator':
      return [(await reader.lineage(me.name)).at(-1)?.name ?? me.name]
    case 'parent':
      return [me.parent ?? me.name]
    case 'owner':
      return [owner ?? (await reader.lineage(me.name)).at(-1)?.name ?? me.name]
    case 'contributor':
      return space?.contributors ?? []
    default:
      return [word.slice(1)]
  }
}

/**
 * The person that answers for a being: itself, or the nearest person among its makers. Null for one that is
 * not there.
 */
export async function personOf(reader: WorldReader, name: BeingName): Promise<BeingName | null> {
  const being = await reader.being(name)
  if (being === null) return null
  const above = [being, ...(await reader.lineage(name))]
  return above.find(({ cognition, ended }) => cognition.kind === 'human' && ended === undefined)?.name ?? null
}
