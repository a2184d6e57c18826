import { parseMomentId } from '@treeos/core'
import type { JsonObject } from '../canonical.ts'

/** What the moments of a bundle say of each other: lives follow each other, and a wake has one moment. */
export class Lives {
  /** by being, the life of its last moment */
  readonly #last = new Map<string, number>()
  /** by wake */
  readonly #woken = new Map<string, string>()

  /** Takes the next moment of its being. @returns in words what is wrong; null where nothing is */
  take({ being, moment, wake }: JsonObject): string | null {
    const { generation } = parseMomentId(String(moment))
    const before = this.#last.get(String(being)) ?? 0
    this.#last.set(String(being), generation)
    if (generation < before) return `it is of life ${generation}, after a moment of life ${before}`
    if (typeof wake !== 'string') return null // a younger life closed it, and its wake has another moment
    const other = this.#woken.get(wake)
    this.#woken.set(wake, String(moment))
    return other === undefined ? null : `its wake ${wake} had the moment ${other}`
  }
}
