import { at, isArray } from './canonical.ts'
import { readCheckpoint, type SignedCheckpoint } from './checkpoint.ts'
import { isConsistent } from './hash.ts'
import { quorumFaults, type TrustOptions, trustedPolicy } from './policy.ts'

/** What the comparison of two checkpoints found. */
export interface FollowReport {
  readonly ok: boolean
  /** null when it holds, else why not */
  readonly broken: string | null
  /** sizes of both; null for one that could not be read */
  readonly older: number | null
  readonly newer: number | null
  /** which witnesses of the policy cosigned the newer checkpoint, and when */
  readonly cosigned: SignedCheckpoint['cosigned']
}

/**
 * Checks that the log of a newer checkpoint begins with the log of an older one, which whoever checks kept.
 * It never throws.
 * @param older a signed note
 * @param answer what a portal answers at `/api/open/log/consistency`: `{from, size, path, note}`
 * @param trust without a key or policy no signature is checked. A policy asks for a quorum on the newer one
 * @example
 * const { broken, older, newer } = verifyFollows(noteOfMay, answerOfToday, { policy })
 */
export function verifyFollows(older: string, answer: string, trust: TrustOptions = {}): FollowReport {
  const policy = trustedPolicy(trust)
  let found: Pick<FollowReport, 'older' | 'newer' | 'cosigned'> = { older: null, newer: null, cosigned: [] }
  try {
    const from = readCheckpoint(older, policy)
    found = { ...found, older: from.size }
    const said: unknown = JSON.parse(answer)
    const to = readCheckpoint(String(at(said, 'note')), policy)
    found = { ...found, newer: to.size, cosigned: to.cosigned }
    const path = at(said, 'path')
    const fault =
      from.origin !== to.origin
        ? `they are of two logs, ${from.origin} and ${to.origin}`
        : from.size > to.size
          ? `the newer one is smaller: entries are gone`
          : isArray(path) && isConsistent(from, to, path as string[])
            ? (quorumFaults(to, policy)[0] ?? null)
            : 'nothing proves that the newer log begins with the older one'
    return { ok: fault === null, broken: fault, ...found }
  } catch (error) {
    return { ok: false, broken: (error as Error).message, ...found }
  }
}
