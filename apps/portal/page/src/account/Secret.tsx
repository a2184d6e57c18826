import { Alert, Group, Stack, Text } from '@mantine/core'
import { t } from '../language/index.ts'
import { CopyText, SmallButton } from '../parts/index.ts'

interface SecretProps {
  readonly title: string
  /** what it opens, and to whom to give it */
  readonly note: string
  /** each is shown once: the server keeps only a hash of it, or never tells it again */
  readonly secrets: readonly string[]
  readonly onClose: () => void
}

/** A secret that has just been made. */
export const Secret = ({ title, note, secrets, onClose }: SecretProps) => (
  <Alert color="leaf" role="status" title={title}>
    <Stack gap="sm" align="flex-start">
      <Text size="sm">{note}</Text>
      {secrets.map((secret) => (
        <Group key={secret} gap="xs">
          <span className="code inert">{secret}</span>
          <CopyText text={secret} />
        </Group>
      ))}
      <SmallButton onClick={onClose}>{t('Done')}</SmallButton>
    </Stack>
  </Alert>
)
