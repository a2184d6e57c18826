import { type BeingName, quote, stanceOf, TreeosError } from '@treeos/core'
import {
  type Db,
  type FactName,
  factsByHash,
  listFactsSaying,
  listMomentsShown,
  type SaidFact,
} from '@treeos/store'

/** Where a text came from that a being knows, and who was shown it. */
export interface KnownFrom {
  /** `<reel>#<seq>`: what `treeos erase` takes */
  readonly fact: string
  readonly kind: string
  /** address of the note; left out for anything but a note */
  readonly note?: string
  /** stance of who wrote or said it; for whom another being did, its own */
  readonly by: string
  /** stance of who drove it; left out where it decided for itself */
  readonly driver?: string
  /** ISO 8601, UTC */
  readonly at: string
  /** the moment that wrote it; null for what a reality begins with */
  readonly moment: string | null
  /** the fact that woke that moment, and who made that; null where none did */
  readonly cause: { readonly fact: string; readonly by: string } | null
  /** `outside` where the moment that wrote it held words from outside */
  readonly origin: 'world' | 'outside'
  /** ids of the moments that were shown it, oldest first */
  readonly seenBy: readonly string[]
}

/** Where a text came from, the newest first. */
export interface TextSources {
  readonly known: readonly KnownFrom[]
  /** `<reel>#<seq>`, before which older facts have to be looked at; null where there are none */
  readonly next: string | null
}

/** Pages of facts that are looked through for one answer, while none is of the being. */
const PAGES_MAX = 20

/**
 * Where a text came from: the facts that say it, of which the being wrote one or was shown one. Of each it
 * names the moment, what caused that, and every moment that was shown it, of whichever being.
 * @param before `<reel>#<seq>`: only older facts
 */
export async function whyKnown(
  db: Db,
  being: BeingName,
  text: string,
  before?: string,
): Promise<TextSources> {
  let from = before === undefined ? null : factNamed(before)
  for (let page = 1; ; page++) {
    const { facts, next } = await listFactsSaying(db, text, from)
    const known = await knownAmong(db, being, facts)
    if (known.length > 0 || next === null || page === PAGES_MAX)
      return { known, next: next === null ? null : `${next.reel}#${next.seq}` }
    from = next
  }
}

/** @throws {TreeosError} INVALID_INPUT */
function factNamed(text: string): FactName {
  const [, reel, seq] = /^(.+)#([1-9]\d{0,14})$/.exec(text) ?? []
  if (reel === undefined)
    throw new TreeosError('INVALID_INPUT', `${quote(text)} names no fact: it is <reel>#<number>`)
  return { reel, seq: Number(seq) }
}

async function knownAmong(db: Db, being: BeingName, facts: readonly SaidFact[]): Promise<KnownFrom[]> {
  const causes = await factsByHash(
    db,
    facts.flatMap(({ header }) => header.cause ?? []),
  )
  const known: KnownFrom[] = []
  for (const fact of facts) {
    const { reel, seq, header, sealed, outside } = fact
    const seen = await listMomentsShown(db, fact)
    if (header.actor !== being && !seen.some((one) => one.being === being)) continue
    const cause = header.cause === null ? undefined : causes.get(header.cause)?.header
    known.push({
      fact: `${reel}#${seq}`,
      kind: header.kind,
      ...(sealed === null || !reel.startsWith('matter:') ? {} : { note: reel }),
      by: stanceOf(header.actor),
      ...(header.driver === null ? {} : { driver: stanceOf(header.driver) }),
      at: new Date(header.at).toISOString(),
      moment: header.moment,
      cause: cause === undefined ? null : { fact: `${cause.reel}#${cause.seq}`, by: stanceOf(cause.actor) },
      origin: outside ? 'outside' : 'world',
      seenBy: seen.map(({ moment }) => moment),
    })
  }
  return known
}
