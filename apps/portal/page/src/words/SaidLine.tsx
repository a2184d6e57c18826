import './said.css'
import { Badge, Group, Text } from '@mantine/core'
import type { FoundBy } from '../api/deed.ts'
import type { threadQuery } from '../api/queries.ts'

import { BeingLink, Inert, MomentLink, Quiet, Time } from '../parts/index.ts'
import { endedAs } from './end-words.ts'
import { Failure } from './Failure.tsx'
import { summaryOf, wordsOf } from './tell.ts'

export type ThreadLine = FoundBy<ReturnType<typeof threadQuery>>['lines'][number]

interface SaidLineProps {
  readonly line: ThreadLine
  readonly me: string | undefined
}

/** One thing that was said, or that a being was told, and what came of it. */
export const SaidLine = ({
  line: { at, from, to, content, notice, outside, isOpen, moment },
  me,
}: SaidLineProps) => {
  const { code } = (content ?? {}) as { readonly code?: unknown }
  return (
    <div className="said" data-mine={from !== null && from === me} data-notice={notice}>
      <Group gap={6}>
        <Text size="xs" fw={600}>
          {from === null ? notice ? 'notice' : 'a change' : <BeingLink stance={from} />} →{' '}
          <BeingLink stance={to} />
        </Text>
        {outside === true ? <Badge color="orange">from outside</Badge> : null}
        <Text size="xs">
          <Time iso={at} />
        </Text>
      </Group>
      {notice ? (
        <Failure code={typeof code === 'string' ? code : null} message={summaryOf(content)} />
      ) : (
        <Inert text={from === null ? summaryOf(content) : wordsOf(content)} />
      )}
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
    </div>
  )
}
