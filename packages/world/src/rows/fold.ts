import { evolve, rowKeyOf } from './evolve.ts'
import { indexOf } from './row-index.ts'

/** How facts become rows, for whoever folds a reel. */
export const FOLD = { rowKeyOf, evolve, indexOf }
