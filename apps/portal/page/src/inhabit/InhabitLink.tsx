import { t } from '../language/index.ts'
import { SmallButton } from '../parts/index.ts'

/**
 * Opens the tab that drives a being. The opener stays known to it: it gives the being back when this tab is
 * closed.
 */
export const InhabitLink = ({ name }: { readonly name: string }) => (
  <SmallButton component="a" href={`/inhabit/${name}`} target="_blank" rel="opener">
    {t('Inhabit (new tab)')}
  </SmallButton>
)
