import { FILE_BYTES_MAX } from '@treeos/core'

/**
 * How much work a route may ask for, and of whom. Every route of `who-may-call.ts` has one of these classes.
 */
export type Work =
  /** a look that needs no session */
  | 'open'
  /** a way to sign in: it costs a hash, a signature or a call of the provider */
  | 'sign-in'
  /** a sign-in by a link, which is a secret that nobody else has */
  | 'link'
  /** what a program outside signed, which becomes an act */
  | 'hook'
  /** a read of bounded size */
  | 'read'
  /** one small change */
  | 'change'
  /** an act, with its content */
  | 'act'
  /** an act, and waiting for what comes of it, up to minutes: see `toWait` of its turn */
  | 'wait'
  /** the same with a whole conversation, of which the last words alone are said */
  | 'chat'
  /** a file that is given, which becomes a thing */
  | 'file'
  /** evaluates or reads much: a lint, a flow, what-if, why-not, the record */
  | 'heavy'
  /** lives past moments again and asks models about them, up to minutes; it ends with its request */
  | 'trial'
  /** reads through what was said and done, at each pause of whoever types */
  | 'search'
  /** lasts as long as its page */
  | 'stream'

export interface WorkBounds {
  /** a larger body is refused before it is read */
  readonly bodyBytesMax: number
  /**
   * of a person at once, over all its sessions; more wait for their turn. Null: the route bounds it itself
   */
  readonly atOnce: number | null
  /** it is counted as an act of its person */
  readonly isAct?: true
  /** it ends when nobody waits for its answer any more, or may not */
  readonly isWaited?: true
}

const KIB = 1024
const MIB = 1024 * KIB

export const WORK: Readonly<Record<Work, WorkBounds>> = {
  open: { bodyBytesMax: 4 * KIB, atOnce: null },
  'sign-in': { bodyBytesMax: 72 * KIB, atOnce: null }, // four texts of 16 KiB of an authenticator
  link: { bodyBytesMax: 72 * KIB, atOnce: null },
  hook: { bodyBytesMax: 64 * KIB, atOnce: null },
  read: { bodyBytesMax: 16 * KIB, atOnce: 12 },
  change: { bodyBytesMax: 128 * KIB, atOnce: 12 }, // 500 ids of entries
  act: { bodyBytesMax: 384 * KIB, atOnce: 12, isAct: true }, // an act takes 256 KiB, and JSON escapes some of it
  wait: { bodyBytesMax: 384 * KIB, atOnce: 16, isAct: true, isWaited: true },
  // chat clients send pictures of earlier turns again, and base64 takes a third more than the bytes
  chat: { bodyBytesMax: 16 * MIB, atOnce: 16, isAct: true, isWaited: true },
  // the operator sets less
  file: { bodyBytesMax: FILE_BYTES_MAX, atOnce: 4, isAct: true },
  // the largest role has a prompt of 32 KiB, and JSON escapes some of it
  heavy: { bodyBytesMax: 72 * KIB, atOnce: 2 },
  trial: { bodyBytesMax: 384 * KIB, atOnce: 1, isWaited: true }, // some roles and a flow
  search: { bodyBytesMax: 4 * KIB, atOnce: 1 },
  stream: { bodyBytesMax: 4 * KIB, atOnce: null },
}
