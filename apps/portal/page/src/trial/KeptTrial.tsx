import { Group, Text } from '@mantine/core'
import { t } from '../language/index.ts'
import { SmallButton } from '../parts/index.ts'
import type { TrialNote } from '../roles/spec.ts'
import { noteText } from './trial-text.ts'

interface KeptTrialProps {
  readonly note: TrialNote
  readonly drop: () => void
}

/** The trial that is published with a role. */
export const KeptTrial = ({ note, drop }: KeptTrialProps) => (
  <Group gap="xs" role="status">
    <Text size="sm">{t('It is published with its trial. {{note}}', { note: noteText(note) })}</Text>
    <SmallButton onClick={drop}>{t('Leave it out')}</SmallButton>
  </Group>
)
