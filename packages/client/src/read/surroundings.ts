import { listOutcomes, readDecision, type StoredOutcome } from '@treeos/chain'
import { type BeingName, isJsonObject, type Json, parseStance, TreeosError } from '@treeos/core'
import type { Descriptor } from '@treeos/world'
import { mayLookBack } from './leave.ts'
import { type Look, type SeeConnection, withLook } from './seeing.ts'

/** A space in the tree of what a being may see. */
export interface SpaceNode {
  readonly path: string
  readonly type: string
  readonly beings: number
  readonly things: number
  /** paths of the spaces inside that it may see */
  readonly children: readonly string[]
}

export interface Surroundings {
  /** the space where the being is */
  readonly here: string
  readonly spaces: readonly SpaceNode[]
  /** true: there are more spaces than are shown */
  readonly more: boolean
}

const SPACES_MAX = 2000

/**
 * The tree of the spaces that a being may see now, parents before children. It begins at the root, and where that may not be
 * seen at the places that the being's own list names.
 * @throws {TreeosError} as `describeSelf`
 */
export function surroundings(at: SeeConnection, as: BeingName): Promise<Surroundings> {
  return withLook(at, as, async (look) => {
    const literals = look.surface.canSee.filter((entry) => typeof entry === 'string' && entry.startsWith('/'))
    const queue = ['/', look.me.space, look.me.home, ...(literals as string[])]
    const spaces = new Map<string, SpaceNode>()
    const asked = new Set<string>()
    for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
      if (asked.has(path)) continue
      if (spaces.size === SPACES_MAX) return { here: look.me.space, spaces: ordered(spaces), more: true }
      asked.add(path)
      const seen = await unlessRefused(look.see(path))
      if (seen === null) continue
      const { type, beings, matters, children } = seen
      spaces.set(path, { path, type, beings: beings.length, things: matters.length, children })
      queue.push(...children)
    }
    return { here: look.me.space, spaces: ordered(spaces), more: false }
  })
}

const ordered = (spaces: ReadonlyMap<string, SpaceNode>): SpaceNode[] =>
  [...spaces.values()]
    .map((node) => ({ ...node, children: node.children.filter((child) => spaces.has(child)) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))

/** A being in a space, as far as the person may see it. */
export interface Occupant {
  readonly stance: string
  /** null when the being itself may not be seen */
  readonly cognition: string | null
  readonly inhabitedBy: string | null
  readonly isEnded: boolean
  readonly coord: Descriptor['coord'] | null
  /** null when its past may not be looked into, or it has none */
  readonly last: LastMoment | null
}

export interface LastMoment {
  readonly n: number
  /** what it wore */
  readonly primary: string | null
  readonly stacked: readonly string[]
  /** the last words that it spoke; null when it said nothing lately */
  readonly words: Json
}

export interface SpaceView extends Descriptor {
  readonly occupants: readonly Occupant[]
  /** how many more beings are there than are shown */
  readonly others: number
}

const OCCUPANTS_MAX = 200
/** In how many of the latest moments the last words are looked for. */
const RECENT = 5

/** One space with who is there. @throws {TreeosError} as `see` */
export function lookInto(at: SeeConnection, as: BeingName, path: string): Promise<SpaceView> {
  return withLook(at, as, async (look) => {
    const seen = await look.see(path)
    const shown = seen.beings.slice(0, OCCUPANTS_MAX)
    const occupants: Occupant[] = []
    for (const stance of shown) occupants.push(await occupantOf(at, as, look, stance))
    return { ...seen, occupants, others: seen.beings.length - shown.length }
  })
}

async function occupantOf(at: SeeConnection, as: BeingName, look: Look, stance: string): Promise<Occupant> {
  const seen = await unlessRefused(look.see(stance))
  const being = parseStance(stance)
  return {
    stance,
    cognition: seen?.identity.cognition ?? null,
    inhabitedBy: seen?.identity.inhabitedBy ?? null,
    isEnded: seen?.identity.ended !== undefined,
    coord: seen?.coord ?? null,
    last: (await mayLookBack(at, as, being)) ? await lastMomentOf(at, being) : null,
  }
}

async function lastMomentOf({ db }: SeeConnection, being: BeingName): Promise<LastMoment | null> {
  const recent = (await listOutcomes(db, being, RECENT)).reverse()
  const [latest] = recent
  if (latest === undefined) return null
  const { stack } = latest.record
  return {
    n: latest.n,
    primary: stack?.primary.name ?? null,
    stacked: stack?.stacked.map(({ name }) => name) ?? [],
    words: await lastWords(recent, (moment) => readDecision(db, moment)),
  }
}

async function lastWords(
  newestFirst: readonly StoredOutcome[],
  read: (moment: string) => ReturnType<typeof readDecision>,
): Promise<Json> {
  for (const { moment, kind } of newestFirst) {
    const decision = kind === 'act' ? (await read(moment))?.decision : undefined
    if (decision?.kind === 'call' && decision.call.verb === 'summon') return wordsIn(decision.call.content)
  }
  return null
}

/** A delegate answers with an object; its words are the text in it, if there is one. */
const wordsIn = (content: Json): Json =>
  isJsonObject(content) && typeof content.text === 'string' ? content.text : content

/** What a SEE shows; null for what may not be seen, or is not there. */
export async function unlessRefused(seeing: Promise<Descriptor>): Promise<Descriptor | null> {
  try {
    return await seeing
  } catch (error) {
    if (error instanceof TreeosError && HIDDEN.has(error.code)) return null
    throw error
  }
}
const HIDDEN: ReadonlySet<string> = new Set([
  'FORBIDDEN',
  'SPACE_NOT_FOUND',
  'BEING_NOT_FOUND',
  'EXTENSION_BLOCKED',
])
