import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useDeed } from '../api/deed.ts'
import { useUnsent } from '../api/useUnsent.ts'
import { AskedForm, type PersonAnswer } from '../asked/AskedForm.tsx'
import { sameIn } from '../asked/call-parts.ts'
import { openedIn, type WaitingCall } from '../asked/waiting-call.ts'
import { t } from '../language/index.ts'
import { Answer, Quiet } from '../parts/index.ts'
import { LikeThis } from './LikeThis.tsx'
import { approvalsQuery } from './queries.ts'
import { decide } from './useDecisions.ts'

/** What a being wants to do, with a yes and a no of whoever is signed in. */
export function AskedCall({
  asked,
  from,
  hasKeys = false,
  onAnswer,
  onDone,
}: {
  readonly asked: WaitingCall
  readonly from: string
  /** keys answer it, too */
  readonly hasKeys?: boolean
  /** takes the answer in the place of the server, so that it can be undone; left out where it cannot */
  readonly onAnswer?: ((said: PersonAnswer) => void) | undefined
  /** the server has the answer */
  readonly onDone?: (said: PersonAnswer) => void
}) {
  const approvals = useQuery(approvalsQuery)
  const unsent = useUnsent(`why ${asked.id}`)
  // The call waits no more then, and may be drawn no more: what is done after it belongs to the mutation.
  const said = useRef<PersonAnswer>({ answer: 'deny' })
  const answering = useDeed((answered: PersonAnswer) => decide(asked, answered), {
    called: t('Your answer to the call of {{from}} was not taken.', { from }),
    onDone() {
      unsent.write('')
      onDone?.(said.current)
    },
  })
  const answer = (answered: PersonAnswer) => {
    said.current = answered
    ;(onAnswer ?? answering.mutate)(answered)
  }
  return (
    <Stack>
      <Answer of={approvals}>
        {({ items }) => {
          const opened = openedIn(items, asked)
          if (opened === null)
            return (
              <Quiet>
                {approvals.isFetching ? t('Looking…') : t('This call is not found among what waits.')}
              </Quiet>
            )
          return (
            <AskedForm
              asked={opened}
              from={from}
              onAnswer={answer}
              isPending={answering.isPending}
              error={answering.error}
              unsent={unsent}
              hasKeys={hasKeys}
              same={{
                waits: sameIn(items, opened.call),
                done: items.find(({ id }) => id === asked.id)?.done ?? [],
              }}
            />
          )
        }}
      </Answer>
      <LikeThis id={asked.id} />
    </Stack>
  )
}
