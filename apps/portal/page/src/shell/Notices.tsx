import { Alert, Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { dropNotice, type FailureNotice, noticesQuery } from '../api/notices.ts'
import { t } from '../language/index.ts'
import { Inert, SmallButton } from '../parts/index.ts'
import { ServerAway } from './ServerAway.tsx'

/** What is told over every page: that the server is away, and what was not done after its page was left. */
export function Notices({ isLive }: { readonly isLive: boolean }) {
  const { data: notices = [] } = useQuery(noticesQuery)
  return (
    <div className="notices">
      <ServerAway isLive={isLive} />
      <div role="alert">
        {notices.map((notice) => (
          <FailureAlert key={notice.id} {...notice} />
        ))}
      </div>
    </div>
  )
}

function FailureAlert({ id, what, why, entry }: FailureNotice) {
  const queries = useQueryClient()
  const drop = () => dropNotice(queries, id)
  return (
    <Alert color="red" p="xs" title={<Inert text={what} />} role="group" className="notice" mb={4}>
      <Inert text={why} />
      <Group gap="sm" mt={4}>
        {entry === undefined ? null : (
          <Link to="/inbox" search={{ entry }} onClick={drop}>
            {t('Open it in the inbox')}
          </Link>
        )}
        <SmallButton variant="subtle" onClick={drop}>
          {t('Close')}
        </SmallButton>
      </Group>
    </Alert>
  )
}
