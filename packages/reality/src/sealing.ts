import { type BeingName, type Json, readPath, sealedId, type VerbCall } from '@treeos/core'
import { type Db, openSealed, sealedWithout, sealText } from '@treeos/store'
import type { Face, Registry } from '@treeos/world'
import type { LoadedMoment } from './loaded-moment.ts'

/**
 * A call as it may be recorded: the texts that its operation seals are sealed. Any other call comes back as it is, without a query.
 * @param request names the request: the same one is sealed alike
 */
export async function sealCall(
  { db, registry }: { readonly db: Db; readonly registry: Pick<Registry, 'operations'> },
  being: BeingName,
  call: VerbCall,
  request?: string,
): Promise<VerbCall> {
  if (call.verb !== 'do') return call
  const texts = (registry.operations.get(call.action)?.seals ?? []).flatMap((name) => {
    const text = readPath(call.args, [name])
    return typeof text === 'string' ? [{ name, text }] : []
  })
  if (texts.length === 0) return call
  const sealed = await Promise.all(
    texts.map(async ({ name, text }) => {
      const named = request === undefined ? undefined : `${request} ${name}`
      return [name, await sealText(db, being, text, named)] as const
    }),
  )
  return { ...call, args: { ...call.args, ...Object.fromEntries(sealed) } }
}

/** A call as it would be judged once it is sealed, without a key: for what is tried and never recorded. */
export function asIfSealed({ operations }: Pick<Registry, 'operations'>, call: VerbCall): VerbCall {
  if (call.verb !== 'do') return call
  const seals = operations.get(call.action)?.seals ?? []
  const texts = seals.flatMap((name) => {
    const text = readPath(call.args, [name])
    return typeof text === 'string' ? [[name, sealedWithout(text)] as const] : []
  })
  return texts.length === 0 ? call : { ...call, args: { ...call.args, ...Object.fromEntries(texts) } }
}

/** Stands where a text was whose key is gone. */
const GONE = '(erased)'

/**
 * A moment as its mind reads it: the notes that its search found are readable. Of any other sealed text, wherever it came from, it gets what
 * is recorded. The record, its digests and replay know sealed texts only.
 */
export async function readableBy<Moment extends Pick<LoadedMoment, 'noted' | 'face'>>(
  db: Db,
  loaded: Moment,
): Promise<Moment> {
  const found = loaded.noted?.aside?.recalled?.notes ?? []
  if (found.length === 0 || loaded.face === null) return loaded
  const ids = new Set(found.map(({ id }) => id))
  const sealed: string[] = []
  const collect = (text: string): string => {
    if (ids.has(sealedId(text) ?? '')) sealed.push(text)
    return text
  }
  const { views } = loaded.face
  withTexts(views as unknown as Json, collect)
  if (sealed.length === 0) return loaded
  const texts = await openSealed(db, sealed)
  const read = (text: string) => (ids.has(sealedId(text) ?? '') ? (texts.get(text) ?? GONE) : text)
  return {
    ...loaded,
    face: { ...loaded.face, views: withTexts(views as unknown as Json, read) as unknown as Face['views'] },
  }
}

/** A value with the texts readable that one being sealed: for a person who is asked about a call of it. */
export async function openedOf(db: Db, being: BeingName, value: Json): Promise<Json> {
  const sealed: string[] = []
  withTexts(value, (text) => {
    if (sealedId(text) !== null) sealed.push(text)
    return text
  })
  if (sealed.length === 0) return value
  const texts = await openSealed(db, sealed, being)
  return withTexts(value, (text) => texts.get(text) ?? text)
}

function withTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one) => withTexts(one, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withTexts(one ?? null, change)]))
}
