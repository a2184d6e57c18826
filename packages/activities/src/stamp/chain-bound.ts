import { LIMITS } from '@treeos/core'
import { countChain, type Db } from '@treeos/store'

/**
 * Whether a cause chain has reached its limit of wakes. Hops limit the depth of a chain and self-continues its length, but
 * a chain can also branch. Concurrent stamps may each add their wakes beyond the limit.
 */
export const isChainFull = async (db: Db, root: string): Promise<boolean> =>
  (await countChain(db, root, LIMITS.chainWakesMax)) >= LIMITS.chainWakesMax
