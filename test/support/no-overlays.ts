import type { OverlayAccess } from '@treeos/activities'

/** For beats that a test runs by hand, without a worker and its vault. */
export const noOverlays: OverlayAccess = {
  mode: 'block',
  take: async () => ({ status: 'lost' }),
  drop: () => undefined,
  saltFor: () => '0'.repeat(64),
}
