import type { Orientation } from '@treeos/core'

/** What a moment came to beside its outcome, as it is recorded. */
export interface Remark {
  /** a short name */
  readonly reason: string
  readonly detail: string
}

/**
 * Moments that show a being its own past are not built yet: such a wake goes forward, and the moment that sent it says so.
 * @returns null for what goes as it was asked
 */
export function orientationRemark(asked: Orientation): Remark | null {
  if (asked === 'forward') return null
  return { reason: 'orientation-forward', detail: `orientation ${asked} is not built yet: it goes forward` }
}
