import type { MomentId } from '@treeos/core'
import type { OverlayMode, Taken, Taker } from '@treeos/overlay'

/** The overlays of this reality, wherever their vaults are. */
export interface OverlayAccess {
  readonly mode: OverlayMode
  /** `lost` once the vault is gone; waits for one that does not answer */
  take(handle: string, taker: Taker): Promise<Taken>
  /** The moment is over. Returns at once; a vault that is not reached forgets later by itself. */
  drop(handle: string, moment: MomentId): void
  /** The salt of a call whose caller holds none; who holds the key of the instance can compute it again. */
  saltFor(moment: MomentId): string
}
