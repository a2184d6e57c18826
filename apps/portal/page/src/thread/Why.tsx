import { Collapse, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { momentQuery } from '../api/queries.ts'
import { Moment } from '../being/Moment.tsx'
import { Trans, t } from '../language/index.ts'
import { BeingLink, Quiet, SmallButton } from '../parts/index.ts'
import { Branch } from '../replay/Branch.tsx'
import type { ThreadLine } from '../words/SaidLine.tsx'
import { Comments } from './Comments.tsx'
import { TryMoment } from './TryMoment.tsx'

interface WhyProps {
  readonly thread: string
  /** its name */
  readonly being: string
  readonly n: number
  /** of the thread */
  readonly lines: readonly ThreadLine[]
}

/** Beside the story, one moment of it: what it wore, what the gates said, and what it was shown. */
export const Why = ({ thread, being, n, lines }: WhyProps) => (
  <section className="why" aria-label={t('Why')}>
    <Stack gap="xs">
      <Group justify="space-between" className="on-screen">
        <Quiet>
          <Trans text="of <being/>" parts={{ being: <BeingLink stance={`@${being}`} /> }} />
        </Quiet>
        <Group gap="sm">
          <Link to="/beings/$name" params={{ name: being }} search={{ n }}>
            {t('Among all its moments')}
          </Link>
          <Link to="/threads/$id" params={{ id: thread }} resetScroll={false}>
            {t('Close')}
          </Link>
        </Group>
      </Group>
      <Otherwise key={`${being} ${n}`} being={being} n={n} />
      <Moment name={being} n={n} />
      <Comments key={`comments ${being} ${n}`} thread={thread} being={being} n={n} lines={lines} />
    </Stack>
  </section>
)

/** How it would have gone otherwise: asked again, or lived on in a reality of its own. */
function Otherwise({ being, n }: Pick<WhyProps, 'being' | 'n'>) {
  const { data } = useQuery(momentQuery(being, n))
  const [isTrying, { toggle }] = useDisclosure()
  if (data === undefined) return null
  const { explained, moment, cost } = data
  const role = cost === null ? null : (explained?.primary ?? null)
  return (
    <>
      <Group gap="xs" className="on-screen">
        {role === null ? null : (
          <SmallButton aria-expanded={isTrying} onClick={toggle}>
            {t('Try it otherwise')}
          </SmallButton>
        )}
        <Branch at={`@${being}:${n}`} />
      </Group>
      <Collapse expanded={isTrying}>
        {isTrying && role !== null ? <TryMoment name={being} openedAt={moment.openedAt} role={role} /> : null}
      </Collapse>
    </>
  )
}
