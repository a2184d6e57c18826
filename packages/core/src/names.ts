import { TreeosError } from './error.ts'
import { REFUSED_KEYS } from './json.ts'

/** A being's name. It is unique in its reality, never changes and is never reused, so it is also the id. */
export type BeingName = string
/** `extension:name` for a role of an extension, else a name without a prefix. */
export type RoleName = string
/**
 * Absolute path of a space: `/` is the root, `/library/nook` a space in `/library`. It never changes, so it
 * is also the id.
 */
export type SpacePath = string
/**
 * `being:<name>`, `space:<path>`, `matter:<id>`, `world:<namespace>`, `thread:<id>` or `registry`: the
 * subject of facts.
 */
export type ReelId = string
/** `<being>/<generation>/<n>`. */
export type MomentId = string

/** Actor of facts that no being decided: genesis, and roles of extensions. No being can have this name. */
export const SUBSTRATE = '$reality'
export const REGISTRY_REEL: ReelId = 'registry'
export const ROOT_SPACE: SpacePath = '/'

const BEING_NAME = /^[a-z][a-z0-9-]{0,31}$/
const ROLE_NAME = /^[a-z][a-z0-9-]{0,63}(:[a-z][a-z0-9-]{0,63})?$/
const SEGMENT = /^[a-z0-9][a-z0-9-]{0,63}$/
/** A key or namespace of qualities and signals, in kebab-case. */
const KEY = /^[a-z0-9][a-z0-9-]{0,63}$/

export function isBeingName(name: unknown): name is BeingName {
  return typeof name === 'string' && BEING_NAME.test(name) && !REFUSED_KEYS.has(name)
}

export function isRoleName(name: unknown): name is RoleName {
  return typeof name === 'string' && ROLE_NAME.test(name) && !REFUSED_KEYS.has(name)
}

export function isKey(key: unknown): key is string {
  return typeof key === 'string' && KEY.test(key) && !REFUSED_KEYS.has(key)
}

/** @throws {TreeosError} INVALID_INPUT naming the name and the rule */
export function requireBeingName(name: unknown): BeingName {
  if (isBeingName(name)) return name
  throw new TreeosError(
    'INVALID_INPUT',
    `being name ${quote(name)} is not valid: a lower-case letter, then up to 31 of a-z, 0-9 and -`,
  )
}

/** @throws {TreeosError} INVALID_INPUT naming the name and the rule */
export function requireRoleName(name: unknown): RoleName {
  if (isRoleName(name)) return name
  throw new TreeosError(
    'INVALID_INPUT',
    `role name ${quote(name)} is not valid: kebab-case, with an optional prefix, as in night-guard or court:judge`,
  )
}

export const beingReel = (name: BeingName): ReelId => `being:${name}`
export const spaceReel = (path: SpacePath): ReelId => `space:${path}`
/** Reel of a thread that was cut; other threads have none. */
export const threadReel = (thread: string): ReelId => `${THREAD}${thread}`
/** Reel of a call that waits for a yes, and of what became of it. @param id of the moment that asked */
export const approvalReel = (id: MomentId): ReelId => `approval:${id}`
export const worldReel = (namespace: string): ReelId => `world:${namespace}`
/**
 * The hash-linked records of a being's moments. Kept like a reel, but apart from facts: a SEE writes no fact.
 */
export const momentsReel = (name: BeingName): ReelId => `moments:${name}`

/** The reel that a row is folded from. A row's key is its reel, except for roles, which share one reel. */
export const reelOfKey = (key: string): ReelId => (key.startsWith('role:') ? REGISTRY_REEL : key)

export const stanceOf = (name: BeingName): string => `@${name}`

export function momentId(being: BeingName, generation: number, n: number): MomentId {
  return `${being}/${generation}/${n}`
}

export function parseMomentId(id: MomentId): { being: BeingName; generation: number; n: number } {
  const [being, generation, n] = id.split('/')
  return { being: being ?? '', generation: Number(generation), n: Number(n) }
}

/** A thing that lies somewhere or is held: `matter:<id>`, unique in its reality and never used again. */
export type MatterId = string
/** Prefix of the address of matter. */
const MATTER = 'matter:'
export const matterReel = (id: MatterId): ReelId => `${MATTER}${id}`

/** Prefix of the address of a thread; its id is the correlation that it began with. */
const THREAD = 'thread:'
const THREAD_ID = /^[\x21-\x7e]{1,256}$/

/**
 * What an address names: a being (by stance), a space (by path), a thing, or a thread (a wake and all that
 * came of it). `~` is the home space of the being that uses the address.
 */
export type Address =
  | { readonly kind: 'being'; readonly being: BeingName }
  | { readonly kind: 'space'; readonly path: SpacePath }
  | { readonly kind: 'home' }
  | { readonly kind: 'matter'; readonly matter: MatterId }
  | { readonly kind: 'thread'; readonly thread: string }

/**
 * Reads `@name`, `path/@name`, `~`, `/a/b`, `a/b`, `/`, `matter:<id>` or `thread:<id>`. Names are unique in a
 * reality, so a path before a stance is only checked for its form.
 * @throws {TreeosError} ADDRESS_PARSE_ERROR naming the text
 */
export function parseAddress(text: unknown): Address {
  if (typeof text !== 'string' || text === '') throw addressError(text, 'it is empty')
  if (text === '~') return { kind: 'home' }
  if (text.startsWith(MATTER)) {
    const matter = text.slice(MATTER.length)
    if (!isKey(matter)) throw addressError(text, `${quote(matter)} is not the id of matter`)
    return { kind: 'matter', matter }
  }
  if (text.startsWith(THREAD)) {
    const thread = text.slice(THREAD.length)
    if (!THREAD_ID.test(thread)) throw addressError(text, `${quote(thread)} is not a thread's id`)
    return { kind: 'thread', thread }
  }
  const at = text.indexOf('@')
  if (at >= 0) {
    const being = text.slice(at + 1)
    if (!isBeingName(being)) throw addressError(text, `${quote(being)} is not a being's name`)
    const before = text.slice(0, at)
    if (before !== '' && before !== '~/') parsePath(before.replace(/\/$/, '') || '/', text)
    return { kind: 'being', being }
  }
  return { kind: 'space', path: parsePath(text, text) }
}

/** @throws {TreeosError} ADDRESS_PARSE_ERROR */
export function parseSpacePath(text: unknown): SpacePath {
  const address = parseAddress(text)
  if (address.kind !== 'space') throw addressError(text, 'a path of a space is needed, as in /library')
  return address.path
}

/** @throws {TreeosError} ADDRESS_PARSE_ERROR */
export function parseStance(text: unknown): BeingName {
  const address = parseAddress(text)
  if (address.kind !== 'being') throw addressError(text, 'a stance is needed, as in @librarian')
  return address.being
}

function parsePath(text: string, whole: string): SpacePath {
  const segments = text.replace(/^\/+/, '').split('/')
  if (segments.length === 1 && segments[0] === '') return ROOT_SPACE
  if (segments.length > PATH_DEPTH_MAX)
    throw addressError(whole, `it is deeper than ${PATH_DEPTH_MAX} spaces`)
  for (const segment of segments) {
    if (!SEGMENT.test(segment)) throw addressError(whole, `${quote(segment)} is not a space's name`)
  }
  const path = `/${segments.join('/')}`
  if (path.length > PATH_LENGTH_MAX)
    throw addressError(whole, `it is longer than ${PATH_LENGTH_MAX} characters`)
  return path
}

/** Bounded, since a path is a key in Postgres and part of Temporal's history. */
const PATH_DEPTH_MAX = 16
const PATH_LENGTH_MAX = 256

export function parentPath(path: SpacePath): SpacePath | null {
  if (path === ROOT_SPACE) return null
  const cut = path.lastIndexOf('/')
  return cut === 0 ? ROOT_SPACE : path.slice(0, cut)
}

export function spaceName(path: SpacePath): string {
  return path === ROOT_SPACE ? '/' : path.slice(path.lastIndexOf('/') + 1)
}

/** The space and every space around it, innermost first. */
export function spaceAncestry(path: SpacePath): SpacePath[] {
  const spaces = [path]
  for (let up = parentPath(path); up !== null; up = parentPath(up)) spaces.push(up)
  return spaces
}

function addressError(text: unknown, why: string): TreeosError {
  return new TreeosError(
    'ADDRESS_PARSE_ERROR',
    `address ${quote(text)}: ${why}; write @name, path/@name, ~ or /path/of/space`,
  )
}

/** A value for a message: quoted, on one line, at most 80 characters. */
export function quote(value: unknown): string {
  const text =
    typeof value === 'string' ? JSON.stringify(value) : String(JSON.stringify(value) ?? typeof value)
  return text.length > 80 ? `${text.slice(0, 77).toWellFormed()}...` : text
}

/**
 * Task queue of a reality that was made without one. Each such reality has its own, so that its workers take no
 * tasks of another one.
 */
export const taskQueueOf = (reality: string): string => `treeos-${reality}`
