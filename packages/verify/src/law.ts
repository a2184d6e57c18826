import { LAW } from '@treeos/world'
import type { Json } from './canonical.ts'

export const isLaw = (law: Json | undefined): boolean => Number.isSafeInteger(law) && Number(law) > 0

/** Whether this verifier derives by it. */
export const isKnownLaw = (law: Json | undefined): boolean => law === LAW

/** In words: what a law says that this verifier does not know, is not proven. */
export const whyUnjudged = (law: Json | undefined): string =>
  `judged by law ${law}, which this verifier does not know: only hashes were checked`
