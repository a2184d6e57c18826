import type { Orientation } from '@treeos/core'

/** A note that is recorded with an outcome. */
export interface Remark {
  /** a short name */
  readonly reason: string
  readonly detail: string
}

/**
 * Moments that show a being its own past are not built yet: such a wake goes forward, and the moment that sent it notes that.
 * @returns null for a wake that goes as it was asked
 */
export function orientationRemark(asked: Orientation): Remark | null {
  if (asked === 'forward') return null
  return { reason: 'orientation-forward', detail: `orientation ${asked} is not built yet: it goes forward` }
}
