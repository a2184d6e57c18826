import { Stack, Text } from '@mantine/core'
import { t } from '../language/index.ts'
import { Inert, MomentLink, Time } from '../parts/index.ts'
import { adviceOnFailure } from '../words/failures.ts'
import { type InboxCase, momentIn } from './cases.ts'

/** What a case tells of, each with a link to the moment, and what to do about all of it. */
export function CaseMoments({ of: { head, entries } }: { readonly of: InboxCase }) {
  const { code, message } = (head.content ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  return (
    <Stack gap="xs">
      {typeof code === 'string' ? (
        <Text size="sm">
          {
            adviceOnFailure(code, typeof message === 'string' ? message : null)[
              entries.length === 1 ? 'one' : 'many'
            ]
          }
        </Text>
      ) : null}
      <ul className="list" aria-label={t('What happened')}>
        {entries.map((entry) => (
          <li key={entry.correlation} className="case-line">
            <CaseLine entry={entry} />
          </li>
        ))}
      </ul>
    </Stack>
  )
}

function CaseLine({ entry }: { readonly entry: InboxCase['head'] }) {
  const { text, times, at, latest } = entry
  const moment = momentIn(entry)
  return (
    <>
      <Text size="sm" className="grows" component="div">
        <Inert text={text} />
        {times === undefined ? '' : ` × ${times}`}
      </Text>
      <Text size="sm" className="nowrap">
        {moment === null ? null : (
          <>
            <MomentLink {...moment}>{t('moment {{n}}', { n: moment.n })}</MomentLink>{' '}
          </>
        )}
        <Time iso={latest ?? at} />
      </Text>
    </>
  )
}
