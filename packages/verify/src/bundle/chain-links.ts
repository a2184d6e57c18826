import { factHash, isHash, momentHash } from '../hash.ts'
import { momentsOf } from './cover.ts'
import { readLines } from './lines.ts'

/** The hashes of facts and moments, by reel and number, of one reality. */
export class ChainLinks {
  reality = ''
  readonly #hashes = new Map<string, Map<number, string>>()

  add(reel: string, seq: number, hash: string): void {
    const links = this.#hashes.get(reel) ?? new Map<number, string>()
    this.#hashes.set(reel, links.set(seq, hash))
  }

  at(reel: string, seq: number): string | undefined {
    return this.#hashes.get(reel)?.get(seq)
  }
}

/**
 * Reads the links of another bundle, to compare a bundle with them. Nothing but their hashes is checked: the
 * other bundle is verified by itself.
 */
export async function readChainLinks(source: AsyncIterable<Uint8Array>): Promise<ChainLinks> {
  const links = new ChainLinks()
  for await (const { value } of readLines(source, () => undefined)) {
    const { kind, reality, reel, seq, being, n, prev, hash, header = null, record = null } = value
    if (kind === 'manifest') links.reality = String(reality)
    if (!isHash(prev) || !isHash(hash)) continue
    if (kind === 'fact' && factHash(prev, header) === hash) links.add(String(reel), Number(seq), hash)
    if (kind === 'moment' && momentHash(prev, record) === hash)
      links.add(momentsOf(String(being)), Number(n), hash)
  }
  return links
}

/** Compares the links of a bundle with those of another one, and notes the first difference on each reel. */
export class OtherHistory {
  readonly #links: ChainLinks
  readonly #first = new Map<string, number>()
  #shared = 0

  constructor(links: ChainLinks) {
    this.#links = links
  }

  take(reality: string, reel: string, seq: number, hash: string): void {
    const other = reality === this.#links.reality ? this.#links.at(reel, seq) : undefined
    if (other === hash) this.#shared += 1
    else if (other !== undefined && seq < (this.#first.get(reel) ?? Number.POSITIVE_INFINITY))
      this.#first.set(reel, seq)
  }

  /** In words, what it does not prove that one of both is the history of the reality. */
  *told(reality: string): Generator<string> {
    const [[reel, seq] = []] = this.#first
    if (reality !== this.#links.reality) yield 'the other bundle is of another reality: nothing was compared'
    else if (reel !== undefined)
      yield `it and the other bundle have different histories of one reality: from link ${seq} of ${reel} on, and on ${this.#first.size} reels in all; one of both is a fork, or was written anew`
    else if (this.#shared === 0) yield 'it and the other bundle have no link in common: nothing was compared'
  }
}
