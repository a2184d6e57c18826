import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/queries.ts'
import { BeingLink, PageHead } from '../parts/index.ts'
import { VerbPanel } from './VerbPanel.tsx'

/** Any of the four verbs. */
export function Do() {
  const { data } = useQuery(sessionQuery)
  return (
    <Stack maw={720}>
      <PageHead title="Do something">
        You act as {data === undefined ? '…' : <BeingLink stance={data.stance} />}
        {data?.role == null ? '' : `, with the role ${data.role}`}. Its lists and the rules of the target
        decide.
      </PageHead>
      <section className="card" aria-label="Verbs">
        <VerbPanel />
      </section>
    </Stack>
  )
}
