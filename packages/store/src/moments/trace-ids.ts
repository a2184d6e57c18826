import { createHash } from 'node:crypto'
import type { MomentId } from '@treeos/core'

/**
 * Ids of traces follow from the thread and the moment, so that no process has to remember one: a thread is one
 * trace, and a moment is the parent of the moments that it caused.
 * @param reality its id: moments of two realities never share a trace
 */
export const traceIdOf = (reality: string, thread: string): string =>
  traceDigits(32, 'trace', reality, thread)

export const spanIdOf = (reality: string, moment: MomentId): string =>
  traceDigits(16, 'moment', reality, moment)

/** The context of a moment's span, as W3C Trace Context writes it: what it causes outside names it as its parent. */
export const traceparentOf = (reality: string, thread: string, moment: MomentId): string =>
  `00-${traceIdOf(reality, thread)}-${spanIdOf(reality, moment)}-01`

/** The first digits of a hash. Zeros alone would not be an id, and come once in 2⁶⁴. */
export const traceDigits = (digits: number, ...of: string[]): string =>
  createHash('sha256')
    .update(`treeos.${of.join('\0')}`)
    .digest('hex')
    .slice(0, digits)
