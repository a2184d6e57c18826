/** A fault with its place. `reel` and `seq` are those of the chain, or `bundle` and the line. */
export interface BrokenPlace {
  readonly line: number
  readonly reel: string
  readonly seq: number
  readonly reason: string
  /** what is wrong, in words */
  readonly what: string
}

/** A fault as it is found. */
export interface FoundFault extends BrokenPlace {
  /**
   * What else it rests on: chains, contents as `blob:<digest>`, the `moments` of all beings or `all` chains.
   * Where one of these is broken, it follows from that.
   */
  readonly on?: readonly string[]
  /** the number of its line is not the one that is due: lines are missing, doubled or moved */
  readonly isElsewhere?: true
}

const OF_LINES = new Set(['line-mismatch', 'not-canonical'])
/** A link that does not fit into its chain. Those of the first kind show on the line of the link alone. */
const OF_LINKS = new Set(['hash-mismatch', 'header-mismatch', 'seq-gap', 'prev-mismatch', 'head-mismatch'])
/** What shows by other lines: it may follow from what is wrong with these. */
const BY_OTHERS = new Set([
  ...['seq-gap', 'prev-mismatch', 'head-mismatch', 'end-mismatch', 'scope-mismatch', 'unnamed-fact'],
  ...['facts-mismatch', 'actor-mismatch', 'basis-mismatch', 'blob-mismatch', 'driver-mismatch'],
  ...['context-mismatch', 'program-mismatch', 'stack-mismatch', 'proof-mismatch', 'checkpoint-mismatch'],
  ...['payload-missing', 'decision-missing', 'effect-missing', 'signature-mismatch', 'origin-mismatch'],
])

/**
 * The faults by line, one for each cause.
 * 1. Where numbers or sums of lines do not fit, what shows by other lines follows from that, but for what
 *   tells how the line was changed.
 * 2. Of a chain, a content or a checkpoint the first fault counts, and what rests on these follows from it.
 */
export function causesIn(faults: readonly FoundFault[]): BrokenPlace[] {
  const changed = new Map(
    faults.flatMap((fault) => (OF_LINES.has(fault.reason) ? [[fault.line, fault] as const] : [])),
  )
  const [ofLines, others] = [[...changed.values()], faults.filter(({ reason }) => !OF_LINES.has(reason))]
  const told =
    changed.size === 0
      ? others
      : others.filter(({ line, reason }) => {
          const of = changed.get(line)
          return !BY_OTHERS.has(reason) || (of !== undefined && of.isElsewhere === undefined)
        })
  const first = new Map<string, FoundFault>()
  for (const fault of told) for (const one of brokenBy(fault)) if (!first.has(one)) first.set(one, fault)
  const kept = told.filter((fault) => {
    if (!BY_OTHERS.has(fault.reason)) return true
    return [fault.reel, ...(fault.on ?? [])].every((one) => (first.get(one) ?? fault) === fault)
  })
  const isTold = new Set(kept.map(({ line }) => line))
  const own = ofLines.filter(({ line, isElsewhere }) => isElsewhere === true || !isTold.has(line))
  return [...own, ...kept]
    .map(({ line, reel, seq, reason, what }) => ({ line, reel, seq, reason, what }))
    .toSorted((a, b) => a.line - b.line)
}

/** What a fault breaks, as `on` of others calls it. */
function brokenBy({ reel, reason, on = [] }: FoundFault): readonly string[] {
  if (reason === 'blob-mismatch') return on.slice(0, 1)
  if (reason === 'proof-mismatch') return ['all'] // of a chain that is not there
  if (!OF_LINKS.has(reason)) return []
  return [reel, 'all', ...(reel.startsWith('moments:') ? ['moments'] : [])]
}
