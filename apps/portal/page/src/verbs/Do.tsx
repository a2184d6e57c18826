import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/queries.ts'
import { VerbPanel } from './VerbPanel.tsx'

/** Any of the four verbs. */
export function Do() {
  const { data } = useQuery(sessionQuery)
  return (
    <Stack gap="md" maw={720}>
      <div>
        <Title order={1}>Do something</Title>
        <Text size="sm" className="quiet">
          You act as {data?.stance ?? '…'}
          {data?.role == null ? '' : `, with the role ${data.role}`}. Its lists and the rules of the target
          decide.
        </Text>
      </div>
      <section className="card" aria-label="Verbs">
        <VerbPanel />
      </section>
    </Stack>
  )
}
