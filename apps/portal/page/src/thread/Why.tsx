import { Group, Stack } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Moment } from '../being/Moment.tsx'
import { BeingLink, Quiet } from '../parts/index.ts'

interface WhyProps {
  readonly thread: string
  /** its name */
  readonly being: string
  readonly n: number
}

/** Beside the story, one moment of it: what it wore, what the gates said, and what it was shown. */
export const Why = ({ thread, being, n }: WhyProps) => (
  <section className="why" aria-label="Why">
    <Stack gap="xs">
      <Group justify="space-between" className="on-screen">
        <Quiet>
          of <BeingLink stance={`@${being}`} />
        </Quiet>
        <Group gap="sm">
          <Link to="/beings/$name" params={{ name: being }} search={{ n }}>
            Among all its moments
          </Link>
          <Link to="/threads/$id" params={{ id: thread }} resetScroll={false}>
            Close
          </Link>
        </Group>
      </Group>
      <Moment name={being} n={n} />
    </Stack>
  </section>
)
