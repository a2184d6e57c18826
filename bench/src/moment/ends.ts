import { parseMomentId } from '@treeos/core'
import type { Observer } from '@treeos/host'

/** Reports each moment of some beings as soon as its act is stored, and any other outcome as a failure. */
export const reportingEnds = (
  isOurs: (being: string) => boolean,
  done: (being: string, n: number) => void,
  fail: (error: Error) => void,
): Pick<Observer, 'outcome'> => ({
  outcome(kind, reason, moment) {
    const { being, n } = parseMomentId(moment)
    if (!isOurs(being)) return
    if (kind === 'act') done(being, n)
    else fail(new Error(`moment ${n} of ${being} ended as ${kind}: ${reason}`))
  },
})
