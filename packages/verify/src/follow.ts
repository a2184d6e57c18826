import { at, isArray } from './canonical.ts'
import { isConsistent } from './hash.ts'
import { readCheckpoint, type VerifierKey } from './signature.ts'

/** What the comparison of two checkpoints found. */
export interface Followed {
  readonly ok: boolean
  /** null when it holds, else why not */
  readonly broken: string | null
  /** sizes of both; null for one that could not be read */
  readonly older: number | null
  readonly newer: number | null
}

/**
 * Checks that the log of a newer checkpoint begins with the log of an older one, which whoever checks kept. It never throws.
 * @param older a signed note
 * @param answer what a portal answers at `/api/open/log/consistency`: `{from, size, path, note}`
 * @param key null: signatures are not checked
 */
export function verifyFollows(older: string, answer: string, key: VerifierKey | null): Followed {
  let sizes: Pick<Followed, 'older' | 'newer'> = { older: null, newer: null }
  try {
    const from = readCheckpoint(older, key)
    sizes = { ...sizes, older: from.size }
    const said: unknown = JSON.parse(answer)
    const to = readCheckpoint(String(at(said, 'note')), key)
    sizes = { ...sizes, newer: to.size }
    const path = at(said, 'path')
    const fault =
      from.origin !== to.origin
        ? `they are of two logs, ${from.origin} and ${to.origin}`
        : from.size > to.size
          ? `the newer one is smaller: entries are gone`
          : isArray(path) && isConsistent(from, to, path as string[])
            ? null
            : 'nothing proves that the newer log begins with the older one'
    return { ok: fault === null, broken: fault, ...sizes }
  } catch (error) {
    return { ok: false, broken: (error as Error).message, ...sizes }
  }
}
