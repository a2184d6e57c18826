import type { OverlayView } from '@treeos/client'
import { oneLine, table } from '../text/output.ts'
import { cut } from './parts.ts'

const TEXT_SHOWN = 60

export function shownOverlays(overlays: readonly OverlayView[]): string {
  if (overlays.length === 0) return 'no overlay is stored'
  return table(
    overlays.map(({ tier, scope, name, content, inForce, setBy }) => [
      tier,
      scope ?? '-',
      name,
      inForce ? 'in force' : 'superseded',
      `by ${setBy}`,
      cut(oneLine(content), TEXT_SHOWN),
    ]),
  )
}

export const shownOverlay = ({ tier, name }: OverlayView): string =>
  `the overlay ${name} of the ${tier} is in force from the next call on`
