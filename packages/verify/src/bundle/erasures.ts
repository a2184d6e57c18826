import { at, isObject, type Json } from '../canonical.ts'
import type { ErasedContent } from './bundle-report.ts'

const TOMBSTONES = ['fact:erased', 'moment:erased']

/** What is not in a bundle, and what its tombstones say of that. @typeParam Place where it is missed */
export class Erasures<Place extends Pick<ErasedContent, 'reel' | 'seq'>> {
  /** what is not here: `name` is what its tombstone calls it */
  readonly #gone: { place: Place; what: ErasedContent['what']; name: string; isTombstone: boolean }[] = []
  /** by the reel of the tombstone, and the hash of a fact or the id of a moment */
  readonly #tombs = new Map<string, Pick<ErasedContent, 'by' | 'why' | 'at'>>()
  /** reels with a tombstone that lost its payload: it may be of what else is gone there */
  readonly #lostTombs = new Set<string>()

  /** @returns whether a fact is a tombstone */
  take(header: Json, payload: Json): boolean {
    const { kind, actor, reel, at: time } = isObject(header) ? header : {}
    if (!TOMBSTONES.includes(String(kind))) return false
    const named = at(payload, kind === 'fact:erased' ? 'hash' : 'moment')
    const by = String(at(payload, 'onBehalfOf') ?? actor)
    if (!this.#tombs.has(`${reel} ${named}`))
      this.#tombs.set(`${reel} ${named}`, { by, why: String(at(payload, 'why')), at: Number(time) })
    return true
  }

  lacksPayload(place: Place, header: Json, hash: string): void {
    const isTombstone = TOMBSTONES.includes(String(at(header, 'kind')))
    if (isTombstone) this.#lostTombs.add(place.reel)
    this.#gone.push({ place, what: 'payload', name: `${place.reel} ${hash}`, isTombstone })
  }

  /** @param name what its tombstone calls it */
  lacks(place: Place, what: ErasedContent['what'], name: string): void {
    this.#gone.push({ place, what, name, isTombstone: false })
  }

  /** What is gone and no tombstone names, with the reel where that would stand. */
  *unnamed(): Generator<{
    readonly place: Place
    readonly what: ErasedContent['what']
    readonly reel: string
  }> {
    for (const { place, what, name, isTombstone } of this.#gone) {
      const reel = name.slice(0, name.lastIndexOf(' '))
      const isLost = !isTombstone && this.#lostTombs.has(reel)
      if (!this.#tombs.has(name) && !isLost) yield { place, what, reel }
    }
  }

  found(): ErasedContent[] {
    return this.#gone.map(({ place: { reel, seq }, what, name }) => ({
      ...{ reel, seq, what, by: null, why: null, at: null },
      ...this.#tombs.get(name),
    }))
  }
}
