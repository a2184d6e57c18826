import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { beingQuery, sessionQuery, threadQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { Answer, Card, Quiet } from '../parts/index.ts'
import { Lines } from '../words/Lines.tsx'
import { NOTHING_USED } from '../words/UsedDeeds.tsx'
import type { InboxEntry } from './entry.ts'
import { isAnswered } from './groups.ts'
import { senderOf } from './sender.ts'

/** As much of a thread as stands beside an entry. */
const LINES_SHOWN = 6

/** What came before an entry in its thread: for an answer, the question of the person. */
export function Around({ entry }: { readonly entry: InboxEntry }) {
  if (entry.kind === 'approval') return <AroundCall entry={entry} />
  return isAnswered(entry) ? <Before {...entry} /> : null
}

/** Who is asked about a call reads its thread where the past of the being that asks is open. */
function AroundCall({ entry }: { readonly entry: InboxEntry }) {
  const { data } = useQuery(beingQuery(senderOf(entry).slice(1)))
  return data?.isPastOpen === true ? <Before {...entry} /> : null
}

function Before({ correlation, thread }: Pick<InboxEntry, 'correlation' | 'thread'>) {
  const found = useQuery(threadQuery(thread))
  const { data: session } = useQuery(sessionQuery)
  return (
    <Answer of={found}>
      {({ lines, hidden }) => {
        const before = lines.filter(({ id, notice }) => id !== correlation && !notice)
        return (
          <Card title={t('In its thread')}>
            {before.length === 0 ? (
              <Quiet>{t('It begins its thread: nothing was said before.')}</Quiet>
            ) : (
              <Lines
                lines={before.slice(-LINES_SHOWN)}
                done={NOTHING_USED}
                me={session?.stance}
                writing={[]}
                thread={null}
              />
            )}
            <Quiet>
              <Link to="/threads/$id" params={{ id: thread }}>
                {t('Open the thread')}
              </Link>
              {hidden === 0 ? '' : ` · ${t('{{hidden}} of its lines are not yours to read', { hidden })}`}
            </Quiet>
          </Card>
        )
      }}
    </Answer>
  )
}
