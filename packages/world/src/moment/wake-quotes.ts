import {
  FILES_MAX,
  fileIn,
  filesNamed,
  isJsonObject,
  type Json,
  type JsonObject,
  REFUSED_PREFIX,
  STEP_PREFIXES,
  type Wake,
} from '@treeos/core'
import type { WorldReader } from '../read/reader.ts'
import { beingKey, spaceKey } from '../rows/rows.ts'
import { firstWake } from './first-wake.ts'

/**
 * What a wake of a being's own quotes of the world: content of places and beings, which the being may not see
 * any more when it opens.
 */
export interface Quotes {
  /** addresses whose content it quotes, sorted */
  readonly of: readonly string[]
  /** the quality whose change it tells of; the moment reads its value itself */
  readonly change?: { readonly target: string; readonly path: readonly string[] }
  /** ids of the things whose files it brings, in their order; left out for none */
  readonly files?: readonly string[]
}

/** Start of the id of a wake by change. */
const CHANGE_PREFIX = 'change/'

/** Wakes of these kinds are made by the substrate alone, so what their content says of itself is so. */
const isOwn = ({ kind, id }: Pick<Wake, 'id' | 'kind'>) =>
  kind === 'event' && [CHANGE_PREFIX, ...STEP_PREFIXES].some((prefix) => id.startsWith(prefix))

/** @returns null for a wake that quotes nothing of a place or a being, and brings no file */
export function quotesOf(wake: Pick<Wake, 'id' | 'kind' | 'content'>): Quotes | null {
  const files = filesBrought(wake)
  const quoted = quotedBy(wake)
  if (files.length === 0) return quoted
  return { of: [], ...quoted, files }
}

/** The files of what a being is told: that were said, also to what it goes on with, that it looked at, and that calls gave. */
function filesBrought({ id, kind, content }: Pick<Wake, 'id' | 'kind' | 'content'>): string[] {
  if (kind === 'summon') return filesNamed(content)
  if (!isOwn({ id, kind }) || !isJsonObject(content)) return []
  if (id.startsWith(REFUSED_PREFIX)) {
    const { wake, content: first } = firstWake({ id, kind }, content)
    return wake.id === id ? [] : filesBrought({ ...wake, content: first })
  }
  const { begun = null } = content
  const said = isJsonObject(begun) && 'content' in begun ? begun.content : begun
  const parts = [content, ...quotedParts(content)]
  const found = [...filesNamed(said), ...parts.flatMap(fileSeen), ...parts.flatMap(filesGiven)]
  return [...new Set(found)].slice(0, FILES_MAX)
}

/** The id of a thing that a part shows, where it holds a file. */
function fileSeen(part: Json): string[] {
  if (!isJsonObject(part) || !isJsonObject(part.seen ?? null)) return []
  const { address, seen } = part
  const isFile = fileIn((seen as JsonObject).content) !== null
  return isFile ? filesNamed({ files: [address ?? null] }) : []
}

/** The ids of the things that the result of a call names as its files. */
const filesGiven = (part: Json): string[] => (isJsonObject(part) ? filesNamed(part.result) : [])

function quotedBy({ id, kind, content }: Pick<Wake, 'id' | 'kind' | 'content'>): Quotes | null {
  if (!isOwn({ id, kind }) || !isJsonObject(content)) return null
  if (id.startsWith(REFUSED_PREFIX)) {
    const { wake, content: first } = firstWake({ id, kind }, content)
    return wake.id === id ? null : quotedBy({ ...wake, content: first })
  }
  const change = id.startsWith(CHANGE_PREFIX) ? changeIn(content) : null
  const of = [content, ...quotedParts(content)].flatMap((part) => addressOf(part) ?? [])
  if (of.length === 0) return null
  return { of: [...new Set(of)].sort(), ...(change === null ? {} : { change }) }
}

/** What a wake by which the being goes on shows beside its own look: what began it, earlier looks, and each of several. */
const quotedParts = (content: JsonObject): Json[] => {
  const { begun = null, earlier = null } = content
  const before = Array.isArray(earlier) ? earlier : []
  return [begun, ...before, ...[content, ...before].flatMap(looksIn)]
}

/** The looks of a step that saw several addresses. */
const looksIn = (step: Json): readonly Json[] =>
  isJsonObject(step) && Array.isArray(step.looks) ? step.looks : []

/** The address of what a part shows: of a look, or of a change. */
function addressOf(part: Json): string | null {
  if (!isJsonObject(part)) return null
  if (part.event === 'changed') return changeIn(part)?.target ?? null
  return typeof part.address === 'string' && 'seen' in part ? part.address : null
}

function changeIn({ what, target }: JsonObject): NonNullable<Quotes['change']> | null {
  if (typeof what !== 'string' || typeof target !== 'string') return null
  return { target, path: what.split('.').slice(2) }
}

/** The key of the row that a change is of. */
export const rowOfChange = ({ target }: NonNullable<Quotes['change']>) =>
  target.startsWith('@') ? beingKey(target.slice(1)) : spaceKey(target)

/** A longer value is left out of what a wake tells: the being sees the world anyway. */
const VALUE_LENGTH_MAX = 1024

/**
 * The value of a quality that changed, as it is now; undefined when it is too long to be told, or what had it
 * is gone.
 */
export async function valueAt(
  world: WorldReader,
  change: NonNullable<Quotes['change']>,
): Promise<Json | undefined> {
  const { path } = change
  const row = await world.row(rowOfChange(change))
  if (row === null) return undefined
  let value: Json | undefined = row.qualities
  for (const key of path) value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return JSON.stringify(value ?? null).length > VALUE_LENGTH_MAX ? undefined : (value ?? null)
}

/**
 * The content of a wake as its being may hear it. What it quotes of a place or a being that the being may not
 * see is left out: a change says then that something changed, and not what.
 * @param unseen the addresses that it may not see
 * @param value of the quality whose change it tells of; left out where it is not known
 */
export function heardContent(content: Json, unseen: readonly string[], value?: Json): Json {
  if (!isJsonObject(content)) return content
  const { begun, earlier, first } = content
  if (content.event === 'refused' && isJsonObject(first))
    return { ...content, first: { ...first, content: heardContent(first.content ?? null, unseen, value) } }
  const heard = heardPart(content, unseen) as JsonObject
  const isTold = value !== undefined && content.event === 'changed' && heard === content
  return {
    ...heard,
    ...(isTold ? { value } : {}),
    ...(isJsonObject(begun ?? null) && 'begun' in heard ? { begun: heardPart(begun ?? null, unseen) } : {}),
    ...(Array.isArray(earlier) && 'earlier' in heard
      ? { earlier: earlier.map((look) => heardPart(look, unseen)) }
      : {}),
  }
}

function heardPart(part: Json, unseen: readonly string[]): Json {
  if (isJsonObject(part) && Array.isArray(part.looks)) return heardLooks(part, unseen)
  const address = addressOf(part)
  if (address === null || !unseen.includes(address) || !isJsonObject(part)) return part
  if (part.event !== 'changed') {
    const { same: _digest, ...look } = part // by a digest somebody could guess what was seen
    return { ...look, seen: { refused: 'it may not be seen any more' } }
  }
  const { changes, summary } = part
  return {
    event: 'changed',
    ...(changes === undefined ? {} : { changes }),
    ...(summary === undefined ? {} : { summary }),
  }
}

function heardLooks(step: JsonObject, unseen: readonly string[]): JsonObject {
  const looks = looksIn(step)
  const heard = looks.map((look) => heardPart(look, unseen))
  const { same: _digest, ...rest } = step
  return heard.every((look, i) => look === looks[i]) ? step : { ...rest, looks: heard }
}

/** The content of a wake as anyone may hear it who does not live its moment. */
export function toldContent(wake: Pick<Wake, 'id' | 'kind' | 'content'>): Json {
  const quotes = quotesOf(wake)
  return quotes === null ? wake.content : heardContent(wake.content, quotes.of)
}
