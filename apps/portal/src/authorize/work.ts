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
}

const KIB = 1024

export const WORK: Readonly<Record<Work, WorkBounds>> = {
  open: { bodyBytesMax: 4 * KIB, atOnce: null },
  'sign-in': { bodyBytesMax: 72 * KIB, atOnce: null }, // four texts of 16 KiB of an authenticator
  link: { bodyBytesMax: 72 * KIB, atOnce: null },
  hook: { bodyBytesMax: 64 * KIB, atOnce: null },
  read: { bodyBytesMax: 16 * KIB, atOnce: 12 },
  change: { bodyBytesMax: 128 * KIB, atOnce: 12 }, // 500 ids of entries
  act: { bodyBytesMax: 384 * KIB, atOnce: 12 }, // an act takes 256 KiB, and JSON escapes some of it
  wait: { bodyBytesMax: 384 * KIB, atOnce: 16 },
  // the largest role has a prompt of 32 KiB, and JSON escapes some of it
  heavy: { bodyBytesMax: 72 * KIB, atOnce: 2 },
  trial: { bodyBytesMax: 384 * KIB, atOnce: 1 }, // some roles and a flow
  search: { bodyBytesMax: 4 * KIB, atOnce: 1 },
  stream: { bodyBytesMax: 4 * KIB, atOnce: null },
}
