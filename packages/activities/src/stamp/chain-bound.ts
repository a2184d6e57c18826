import { countChain, type Db } from '@treeos/chain'
import { LIMITS } from '@treeos/core'

/**
 * Whether so many wakes came of one cause that no more may. Hops bound how deep a chain goes and self-continues how long a
 * being goes on, but together they branch. Those who stamp at the same time may each still add theirs.
 */
export const isChainFull = async (db: Db, root: string): Promise<boolean> =>
  (await countChain(db, root, LIMITS.chainWakesMax)) >= LIMITS.chainWakesMax
