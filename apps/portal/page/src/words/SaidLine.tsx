import './said.css'
import { Badge, Group, Text } from '@mantine/core'
import { Fragment } from 'react'
import type { FoundBy } from '../api/deed.ts'
import type { threadQuery } from '../api/queries.ts'

import { BeingLink, Inert, MomentLink, Quiet, Time } from '../parts/index.ts'
import { endedAs } from './end-words.ts'
import { Failure } from './Failure.tsx'
import { GivenFiles } from './GivenFiles.tsx'
import { wordsOf } from './tell.ts'

export type ThreadLine = FoundBy<ReturnType<typeof threadQuery>>['lines'][number]

interface SaidLineProps {
  readonly line: ThreadLine
  readonly me: string | undefined
  /** the beginning of the question that it answers; null for none */
  readonly answered: string | null
}

/** One thing that was said, or that happened, and what came of it. */
export const SaidLine = ({ line, ...rest }: SaidLineProps) =>
  line.kind === 'event' && !line.notice ? <EventLine line={line} /> : <WordsLine line={line} {...rest} />

/** Only people and beings speak: what happened is one quiet sentence. */
const EventLine = ({ line }: Pick<SaidLineProps, 'line'>) => (
  <div className="happened">
    <Quiet size="sm" component="div">
      <Inert text={line.text} /> <Time iso={line.at} /> <OutsideMark line={line} />
    </Quiet>
    <LineEnd line={line} />
  </div>
)

const WordsLine = ({ line, me, answered }: SaidLineProps) => {
  const { at, from, to, content, text, notice, followed = [] } = line
  const { code } = (content ?? {}) as { readonly code?: unknown }
  return (
    <div className="said" data-mine={from !== null && from === me} data-notice={notice}>
      <Group gap={6}>
        <Text size="xs" fw={600}>
          {from === null ? 'notice' : <BeingLink stance={from} />} → <BeingLink stance={to} />
        </Text>
        <OutsideMark line={line} />
        <Text size="xs">
          <Time iso={at} />
        </Text>
      </Group>
      {answered === null ? null : (
        <Quiet size="xs" component="div">
          answers “<Inert text={answered} />”
        </Quiet>
      )}
      {followed.length === 0 ? null : (
        <Quiet size="xs" component="div">
          after the {followed.length === 1 ? 'answer' : 'answers'} of{' '}
          {followed.map((stance, i) => (
            <Fragment key={stance}>
              {i === 0 ? '' : ', '}
              <BeingLink stance={stance} />
            </Fragment>
          ))}
        </Quiet>
      )}
      {notice ? (
        <Failure code={typeof code === 'string' ? code : null} message={text} />
      ) : (
        <>
          <Inert text={wordsOf(content)} />
          <GivenFiles content={content} told={line.id} />
        </>
      )}
      <LineEnd line={line} />
    </div>
  )
}

const OutsideMark = ({ line: { outside } }: Pick<SaidLineProps, 'line'>) =>
  outside === true ? <Badge color="orange">from outside</Badge> : null

/** What came of it. */
const LineEnd = ({ line: { to, isOpen, moment } }: Pick<SaidLineProps, 'line'>) => (
  <>
    {moment?.outcome === 'failure' ? (
      <Failure code={moment.reason ?? null} message={moment.message ?? null} />
    ) : null}
    <Quiet size="xs" component="div">
      {moment === null && isOpen ? 'waits' : ''}
      {moment === null ? null : (
        <>
          <MomentLink being={to} n={moment.n}>
            moment {moment.n}: {endedAs(moment.outcome).words}
          </MomentLink>
          {moment.outcome === 'waiting' ? (
            <Badge ml={6} size="sm" color="blue">
              waits for a yes
            </Badge>
          ) : null}
        </>
      )}
    </Quiet>
  </>
)
