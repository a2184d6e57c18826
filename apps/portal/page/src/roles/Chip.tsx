import { Pill } from '@mantine/core'
import { t } from '../language/index.ts'
import { Inert } from '../parts/index.ts'

interface ChipProps {
  readonly value?: string
  /** what it stands for; the value itself when left out */
  readonly words?: string
  readonly onRemove?: () => void
  readonly disabled?: boolean
}

/** One of the values of a field, with a button that removes it. */
export const Chip = ({ value = '', words = value, onRemove, disabled }: ChipProps) => (
  <Pill
    withRemoveButton={disabled !== true}
    onRemove={onRemove}
    // Mantine hides it from who reads by ear, and leaves it out of the order of keys.
    removeButtonProps={{ 'aria-label': t('Remove {{words}}', { words }), 'aria-hidden': false, tabIndex: 0 }}
  >
    <Inert text={words} />
  </Pill>
)
