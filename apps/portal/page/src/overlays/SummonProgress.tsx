import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { threadQuery } from '../api/queries.ts'
import { Trans, t } from '../language/index.ts'
import { MomentLink, Quiet } from '../parts/index.ts'
import { endedBy } from '../words/end-words.ts'

interface SummonProgressProps {
  readonly correlation: string
  /** that it continues; empty for a new one */
  readonly thread: string
  readonly salt: string | null
}

/** What became of what was said, as it happens, and the proof of its overlay, which is shown this once. */
export function SummonProgress({ correlation, thread, salt }: SummonProgressProps) {
  const id = thread === '' ? correlation : thread
  const { data } = useQuery(threadQuery(id))
  const line = data?.lines.find((one) => one.id === correlation)
  return (
    <div role="status">
      <Text size="sm">
        {t('Said.')}{' '}
        {line?.moment === null && line.isOpen
          ? `${t('It waits in the inbox of {{to}}.', { to: line.to })} `
          : ''}
        {line?.moment == null ? null : (
          <>
            <MomentLink being={line.to} n={line.moment.n}>
              {t('Moment {{n}} of {{to}}', { n: line.moment.n, to: line.to })}
            </MomentLink>
            : {endedBy(line.moment.outcome, null)}.{' '}
          </>
        )}
        <Anchor component={Link} to={`/threads/${id}`} size="sm">
          {t('Follow it in its thread')}
        </Anchor>
      </Text>
      {salt === null ? null : (
        <Quiet size="xs">
          <Trans
            text="Its overlay was sent and is kept nowhere. With this salt you can prove later what it was: <span/>"
            parts={{ span: <span className="code inert">{salt}</span> }}
          />
        </Quiet>
      )}
    </div>
  )
}
