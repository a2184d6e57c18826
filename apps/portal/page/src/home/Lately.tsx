import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { threadsQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { Card, Inert, Quiet, Time } from '../parts/index.ts'
import { StateBadge } from '../thread/Threads.tsx'

const THREADS_SHOWN = 5

/** The conversations that moved last. */
export function Lately() {
  const { data } = useQuery(threadsQuery)
  const spoken = (data?.items ?? []).filter(({ participants, open }) => participants.length > 1 || open > 0)
  if (spoken.length === 0) return null
  return (
    <Card isPart title={t('Your last threads')}>
      <ul className="list" aria-label={t('Your last threads')}>
        {spoken.slice(0, THREADS_SHOWN).map(({ thread, participants, moved, state, subject }) => (
          <li key={thread} className="slot">
            <Link to="/threads/$id" params={{ id: thread }} className="row">
              <Group justify="space-between" wrap="nowrap" gap="xs">
                <Text size="sm" truncate>
                  <Inert text={subject ?? t('a change in the world')} />
                  <span className="quiet"> · {participants.join(', ')}</span>
                </Text>
                <Group gap="xs" wrap="nowrap">
                  <StateBadge state={state} />
                  <Text size="xs">
                    <Time iso={moved} />
                  </Text>
                </Group>
              </Group>
            </Link>
          </li>
        ))}
      </ul>
      <Quiet>
        <Link to="/threads">{t('All threads')}</Link>
      </Quiet>
    </Card>
  )
}
