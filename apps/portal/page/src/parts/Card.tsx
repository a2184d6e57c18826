import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Quiet } from './small.ts'

interface CardProps {
  readonly title: string
  readonly note?: string
  /** for who reads by ear; its title when left out */
  readonly label?: string
  /** true: its title is a heading of the page */
  readonly isPart?: boolean
  readonly gap?: 'xs' | 'sm' | 4
  /** where a button leads that is far from it */
  readonly id?: string | undefined
  readonly children: ReactNode
}

/** A part of a page with a title of its own. */
export const Card = ({ title, note, label = title, isPart = false, gap = 'xs', id, children }: CardProps) => (
  <section className="card" aria-label={label} id={id} tabIndex={id === undefined ? undefined : -1}>
    <Stack gap={gap}>
      <div>
        {isPart ? (
          <Title order={2}>{title}</Title>
        ) : (
          <Text size="sm" fw={600}>
            {title}
          </Text>
        )}
        {note === undefined ? null : <Quiet size={isPart ? 'sm' : 'xs'}>{note}</Quiet>}
      </div>
      {children}
    </Stack>
  </section>
)
