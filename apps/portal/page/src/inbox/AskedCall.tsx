import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useAct } from '../api/deed.ts'
import { useUnsent } from '../api/useUnsent.ts'
import { AskedForm, type PersonAnswer } from '../asked/AskedForm.tsx'
import { openedIn, type WaitingCall } from '../asked/waiting-call.ts'
import { Answer, Quiet } from '../parts/index.ts'
import { LikeThis } from './LikeThis.tsx'
import { approvalsQuery } from './queries.ts'

/** What a being wants to do, with a yes and a no of whoever is signed in. */
export function AskedCall({
  asked,
  from,
  onDone,
}: {
  readonly asked: WaitingCall
  readonly from: string
  readonly onDone?: () => void
}) {
  const approvals = useQuery(approvalsQuery)
  const unsent = useUnsent(`why ${asked.id}`)
  const answering = useAct(() => {
    unsent.write('')
    onDone?.()
  })
  const answer = ({ answer: operation, why }: PersonAnswer) =>
    answering.mutate({ verb: 'do', operation, args: { id: asked.id, ...(why === undefined ? {} : { why }) } })
  return (
    <Stack>
      <Answer of={approvals}>
        {({ items }) => {
          const opened = openedIn(items, asked)
          if (opened === null)
            return (
              <Quiet>{approvals.isFetching ? 'Looking…' : 'This call is not found among what waits.'}</Quiet>
            )
          return (
            <AskedForm
              asked={opened}
              from={from}
              onAnswer={answer}
              isPending={answering.isPending}
              error={answering.error}
              unsent={unsent}
            />
          )
        }}
      </Answer>
      <LikeThis id={asked.id} />
    </Stack>
  )
}
