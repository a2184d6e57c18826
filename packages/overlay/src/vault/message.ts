import { createHash } from 'node:crypto'
import type { MomentId } from '@treeos/core'
import type { HandedOn, KeptOverlay, Purpose, Taker } from './vault.ts'

/** What clients and other workers ask a vault. */
export type VaultQuestion =
  | ({ readonly ask: 'put'; readonly mark?: string } & Purpose & KeptOverlay)
  | ({ readonly ask: 'take'; readonly handle: string } & Taker)
  | { readonly ask: 'drop'; readonly handle: string; readonly moment: MomentId | null }
  | { readonly ask: 'take-over'; readonly handed: readonly HandedOn[] }

/** What the seal of a question is bound to. */
export const askAbout = (vault: string): string => `ask ${vault}`

/** What the seal of an answer is bound to: its question, so that an old answer cannot stand for a new one. */
export const answerAbout = (vault: string, question: Buffer): string =>
  `answer ${vault} ${createHash('sha256').update(question).digest('hex')}`
