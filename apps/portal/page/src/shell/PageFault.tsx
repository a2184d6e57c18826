import { Group, Stack, Text, Title } from '@mantine/core'
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { Inert, SmallButton } from '../parts/index.ts'

/** In the place of a page that could not be drawn. The navigation stays beside it. */
export const PageFault = ({ error, reset }: ErrorComponentProps) => (
  <section className="card" role="alert">
    <Stack gap="sm">
      <Title order={1}>This page cannot be shown</Title>
      <Text size="sm">
        Something in it failed: <Inert text={error instanceof Error ? error.message : String(error)} />. What
        you did before is kept. Try again, or go on elsewhere.
      </Text>
      <Group gap="sm">
        <SmallButton onClick={reset}>Try again</SmallButton>
        <SmallButton onClick={() => location.reload()}>Load it anew</SmallButton>
        <Link to="/">Go to the start</Link>
      </Group>
    </Stack>
  </section>
)
