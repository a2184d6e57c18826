import { type Db, type Reality, rowSource } from '@treeos/store'
import { WorldReader } from '@treeos/world'

/** A reality with a handle on its database: the pool, or a transaction. */
export interface OpenReality {
  readonly db: Db
  readonly reality: Reality
}

/** Reads the current world. Reads may see different states unless `db` is a snapshot. */
export const readerOf = ({ db, reality }: OpenReality): WorldReader =>
  new WorldReader(rowSource(db, reality.id))

/** A workflow was started for a name that no being has. Retries cannot help. */
export class UnknownBeingError extends Error {
  override readonly name = 'UnknownBeingError' // crosses the wire as the failure's type: do not rename
}
