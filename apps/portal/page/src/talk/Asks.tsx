import { useQuery } from '@tanstack/react-query'
import { inboxQuery } from '../api/queries.ts'
import { AskedCall } from '../inbox/AskedCall.tsx'
import { askedIn } from '../inbox/entry.ts'
import { senderOf } from '../inbox/groups.ts'
import { Card } from '../parts/index.ts'

/** Calls of a being that wait for the yes of this person, where they talk. */
export function Asks({ of: stance }: { readonly of: string }) {
  const { data } = useQuery(inboxQuery)
  return (data?.items ?? []).map((entry) => {
    const asked = senderOf(entry) === stance ? askedIn(entry) : null
    return asked === null ? null : (
      <Card key={entry.correlation} title="It asks for your yes">
        <AskedCall asked={asked} from={stance} />
      </Card>
    )
  })
}
