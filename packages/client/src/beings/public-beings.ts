import { type BeingName, fromJson, readPath, stanceOf } from '@treeos/core'
import type { Presence } from '@treeos/reality'
import { listBeingsHolding } from '@treeos/store'
import type { BeingRow } from '@treeos/world'

/** A being that agents of others may find, since its quality `a2a.public` is true, or `front`. */
export interface PublicBeing {
  readonly being: BeingName
  /** its quality `a2a.description`: what is told of it to everybody */
  readonly description: string
  /** it stands for the reality */
  readonly isFront: boolean
}

/** The quality whose rule makes a being public. */
const QUALITY = 'a2a'
const PUBLIC_MAX = 100
const DESCRIPTION_MAX = 1_000

/**
 * The beings that are public, by name; at most 100. They are told to everybody, so whoever asks needs no
 * leave.
 */
export async function publicBeings({ db }: Pick<Presence, 'db'>): Promise<PublicBeing[]> {
  const rows = await listBeingsHolding(db, `"${QUALITY}":{`, PUBLIC_MAX)
  return rows.flatMap((state) => {
    const { name, qualities, ended } = fromJson<BeingRow>(state)
    const [isPublic, described] = ['public', 'description'].map((key) => readPath(qualities, [QUALITY, key]))
    if (ended !== undefined || (isPublic !== true && isPublic !== 'front')) return []
    const description =
      typeof described === 'string'
        ? described.slice(0, DESCRIPTION_MAX)
        : `${stanceOf(name)}, a being of a TreeOS reality`
    return [{ being: name, description, isFront: isPublic === 'front' }]
  })
}
