import { Trans, t } from '../language/index.ts'
import './said.css'
import { Badge, Group, Text } from '@mantine/core'
import { Fragment, memo } from 'react'
import type { FoundBy } from '../api/deed.ts'
import type { threadQuery } from '../api/queries.ts'

import { BeingLink, Inert, MomentLink, Quiet, Time } from '../parts/index.ts'
import { AsJson } from './AsJson.tsx'
import { endedAs } from './end-words.ts'
import { Failure } from './Failure.tsx'
import { adviceOnFailure } from './failures.ts'
import { GivenFiles } from './GivenFiles.tsx'

export type ThreadLine = FoundBy<ReturnType<typeof threadQuery>>['lines'][number]

interface SaidLineProps {
  readonly line: ThreadLine
  readonly me: string | undefined
  /** the beginning of the question that it answers; null for none */
  readonly answered: string | null
}

/** One thing that was said, or that happened, and what came of it. Only people and beings speak in bubbles. */
export const SaidLine = memo(({ line, ...rest }: SaidLineProps) =>
  line.kind === 'event' || line.notice ? <EventLine line={line} /> : <WordsLine line={line} {...rest} />,
)

/** What happened, in one quiet sentence; of a failure also what to do. */
const EventLine = ({ line }: Pick<SaidLineProps, 'line'>) => (
  <div className="happened">
    <Quiet size="sm" component="div">
      <Inert text={line.text} /> <Time iso={line.at} /> <OutsideMark line={line} />
    </Quiet>
    {line.notice ? <NoticeAdvice content={line.content} /> : null}
    <LineEnd line={line} />
  </div>
)

function NoticeAdvice({ content }: Pick<ThreadLine, 'content'>) {
  const { code, message } = (content ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  if (typeof code !== 'string') return null
  return <Text size="sm">{adviceOnFailure(code, typeof message === 'string' ? message : null).one}</Text>
}

const WordsLine = ({ line, me, answered }: SaidLineProps) => {
  const { id, at, from, to, content, text, followed = [] } = line
  return (
    <div className="said" data-mine={from !== null && from === me}>
      <Group gap={6}>
        <Text size="xs" fw={600}>
          {from === null ? t('nobody') : <BeingLink stance={from} />}{' '}
          {from === to ? (
            t('comments')
          ) : (
            <>
              → <BeingLink stance={to} />
            </>
          )}
        </Text>
        <OutsideMark line={line} />
        <Text size="xs">
          <Time iso={at} />
        </Text>
      </Group>
      {answered === null ? null : (
        <Quiet size="xs" component="div">
          <Trans text="answers “<text/>”" parts={{ text: <Inert text={answered} /> }} />
        </Quiet>
      )}
      <Followed stances={followed} />
      <Inert text={text} />
      <GivenFiles content={content} told={id} />
      <AsJson content={content} />
      <LineEnd line={line} />
    </div>
  )
}

/** After whose answers a being answered. */
const Followed = ({ stances }: { readonly stances: readonly string[] }) =>
  stances.length === 0 ? null : (
    <Quiet size="xs" component="div">
      <Trans
        text={stances.length === 1 ? 'after the answer of <beings/>' : 'after the answers of <beings/>'}
        parts={{
          beings: (
            <>
              {stances.map((stance, i) => (
                <Fragment key={stance}>
                  {i === 0 ? '' : ', '}
                  <BeingLink stance={stance} />
                </Fragment>
              ))}
            </>
          ),
        }}
      />
    </Quiet>
  )

const OutsideMark = ({ line: { outside } }: Pick<SaidLineProps, 'line'>) =>
  outside === true ? <Badge color="orange">{t('from outside')}</Badge> : null

/** What came of it. */
const LineEnd = ({ line: { to, isOpen, moment } }: Pick<SaidLineProps, 'line'>) => (
  <>
    {moment?.outcome === 'failure' ? (
      <Failure code={moment.reason ?? null} message={moment.message ?? null} />
    ) : null}
    <Quiet size="xs" component="div">
      {moment === null && isOpen ? t('waits') : ''}
      {moment === null ? null : (
        <>
          <MomentLink being={to} n={moment.n}>
            {t('moment {{n}}: {{words}}', { n: moment.n, words: endedAs(moment.outcome).words })}
          </MomentLink>
          {moment.outcome === 'waiting' ? (
            <Badge ml={6} size="sm" color="blue">
              {t('waits for a yes')}
            </Badge>
          ) : null}
        </>
      )}
    </Quiet>
  </>
)
