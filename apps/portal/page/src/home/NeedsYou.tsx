import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { healthQuery } from '../health/queries.ts'
import type { InboxEntry } from '../inbox/entry.ts'
import { countsOf, longestFirst } from '../inbox/groups.ts'
import { inboxCountsQuery, useInbox } from '../inbox/queries.ts'
import { senderOf } from '../inbox/sender.ts'
import { tellEntry } from '../inbox/tell-entry.ts'
import { t } from '../language/index.ts'
import { Answer, Card, Inert, Quiet, Time } from '../parts/index.ts'

const ENTRIES_SHOWN = 5

/** What waits for the decision of this person, and for the operator what is wrong. */
export function NeedsYou({ isOperator }: { readonly isOperator: boolean }) {
  const inbox = useInbox('needs')
  const { data: counts } = useQuery(inboxCountsQuery)
  const others = counts === undefined ? 0 : countsOf(counts).answers + countsOf(counts).notices
  return (
    <Card isPart title={t('What needs you')}>
      {isOperator ? <Troubles /> : null}
      <Answer of={inbox}>
        {({ items }) => <OpenEntries entries={longestFirst(items)} others={others} />}
      </Answer>
    </Card>
  )
}

interface OpenProps {
  readonly entries: readonly InboxEntry[]
  /** how many answers and notices wait to be read */
  readonly others: number
}

function OpenEntries({ entries: open, others }: OpenProps) {
  return (
    <>
      {open.length === 0 ? <Text size="sm">{t('No question and no approval waits for you.')}</Text> : null}
      {open.length === 0 ? null : (
        <ul className="list" aria-label={t('What needs you')}>
          {open.slice(0, ENTRIES_SHOWN).map((entry) => (
            <li key={entry.correlation} className="slot">
              <Link to="/inbox" search={{ entry: entry.correlation, in: 'needs' }} className="row">
                <Group justify="space-between" wrap="nowrap" gap="xs">
                  <Text size="sm" fw={600}>
                    {entryTitle(entry)}
                  </Text>
                  <Text size="xs">
                    <Time iso={entry.latest ?? entry.at} />
                  </Text>
                </Group>
                <Text size="sm" lineClamp={1} component="div">
                  <Inert text={tellEntry(entry)} />
                </Text>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <Quiet>
        <Link to="/inbox">
          {open.length > ENTRIES_SHOWN
            ? t('All {{length}} that need you', { length: open.length })
            : others > 0
              ? t('{{count}} answers and notices beside', { count: others })
              : t('Open the inbox')}
        </Link>
      </Quiet>
    </>
  )
}

function entryTitle(entry: InboxEntry): string {
  if (entry.kind === 'approval') return t('An approval')
  if (entry.kind === 'budget') return t('{{sender}} is parked by a budget', { sender: senderOf(entry) })
  return `${senderOf(entry)} ${entry.kind === 'asks-back' ? t('asks back') : t('says')}`
}

/** What an operator mends first, in words, with the way there. */
function Troubles() {
  const health = useQuery(healthQuery)
  const { data } = health
  if (data === undefined) return null
  const { late, parked, lastHour } = data
  const failures = lastHour.counts.filter(({ kind }) => kind === 'failure')
  const failed = failures.reduce((sum, { count }) => sum + count, 0)
  const lines: ReactNode[] = []
  if (late.length > 0)
    lines.push(
      t('{{count}} beings wait for a worker for more than five seconds: do workers run?', {
        count: late.length,
      }),
    )
  if (failed > 0)
    lines.push(
      t('{{count}} moments failed in the last hour, most by {{reason}}.', {
        count: failed,
        reason: failures[0]?.reason ?? t('no reason'),
      }),
    )
  if (parked > 0)
    lines.push(
      t('{{count}} beings are parked by a budget: approve more, or raise the limit.', { count: parked }),
    )
  if (lines.length === 0) return null
  return (
    <div role="status">
      {lines.map((line, i) => (
        <Text key={i} size="sm" className="trouble">
          {line} <Link to="/health">{t('Look')}</Link>
        </Text>
      ))}
    </div>
  )
}
