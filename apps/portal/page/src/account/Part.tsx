import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** One part of the account. */
export const Part = ({
  title,
  note,
  children,
}: {
  readonly title: string
  readonly note: string
  readonly children: ReactNode
}) => (
  <section className="card" aria-label={title}>
    <Stack gap="sm">
      <div>
        <Title order={2}>{title}</Title>
        <Text size="sm" className="quiet">
          {note}
        </Text>
      </div>
      {children}
    </Stack>
  </section>
)
