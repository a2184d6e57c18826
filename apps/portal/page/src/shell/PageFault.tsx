import { Group, Stack, Text, Title } from '@mantine/core'
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { Trans, t } from '../language/index.ts'
import { Inert, SmallButton } from '../parts/index.ts'

/** In the place of a page that could not be drawn. The navigation stays beside it. */
export const PageFault = ({ error, reset }: ErrorComponentProps) => (
  <section className="card" role="alert">
    <Stack gap="sm">
      <Title order={1}>{t('This page cannot be shown')}</Title>
      <Text size="sm">
        <Trans
          text="Something in it failed: <text/>. What you did before is kept. Try again, or go on elsewhere."
          parts={{ text: <Inert text={error instanceof Error ? error.message : String(error)} /> }}
        />
      </Text>
      <Group gap="sm">
        <SmallButton onClick={reset}>{t('Try again')}</SmallButton>
        <SmallButton onClick={() => location.reload()}>{t('Load it anew')}</SmallButton>
        <Link to="/">{t('Go to the start')}</Link>
      </Group>
    </Stack>
  </section>
)
