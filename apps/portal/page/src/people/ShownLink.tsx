import { Alert, Group, Stack, Text } from '@mantine/core'
import { t } from '../language/index.ts'
import { CopyText, SmallButton } from '../parts/index.ts'

export interface NewLink {
  readonly stance: string
  readonly token: string
  readonly hours: number
}

interface ShownLinkProps {
  readonly link: NewLink
  readonly onClose: () => void
}

/**
 * A link is shown once: the server keeps only a hash of it. The secret stands behind the `#`, which is sent
 * to no server.
 */
export function ShownLink({ link: { stance, token, hours }, onClose }: ShownLinkProps) {
  const address = `${location.origin}/welcome#${token}`
  const term = hours > 24 ? t('{{days}} days', { days: hours / 24 }) : t('a day', { context: 'long' })
  return (
    <Alert color="leaf" role="status" title={t('The link of {{stance}}', { stance })}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {t(
            'Hand it to the person alone: whoever opens it first becomes {{stance}}. It works once, within {{term}}, and is not shown again.',
            { stance, term },
          )}
        </Text>
        <span className="code inert">{address}</span>
        <Group gap="xs">
          <CopyText text={address} />
          <SmallButton onClick={onClose}>{t('Done')}</SmallButton>
        </Group>
      </Stack>
    </Alert>
  )
}
