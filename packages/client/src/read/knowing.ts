import { type BeingName, stanceOf } from '@treeos/core'
import { type Db, factsByHash, listFactsSaying, listMomentsShown } from '@treeos/store'

/** Where a text came from that a being knows, and who was shown it. */
export interface KnownFrom {
  /** `<reel>#<seq>`: what `treeos erase` takes */
  readonly fact: string
  readonly kind: string
  /** address of the note; left out for what is no note */
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

/**
 * Where a text came from: the facts that say it, of which the being wrote one or was shown one. Of each it names the moment, what caused that, and
 * every moment that was shown it, of whichever being.
 */
export async function whyKnown(db: Db, being: BeingName, text: string): Promise<KnownFrom[]> {
  const facts = await listFactsSaying(db, text)
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
      ...(sealed === null ? {} : { note: reel }),
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
