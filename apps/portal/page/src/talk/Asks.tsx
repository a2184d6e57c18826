import { askedIn } from '../asked/waiting-call.ts'
import { AskedCall } from '../inbox/AskedCall.tsx'
import { useInbox } from '../inbox/queries.ts'
import { senderOf } from '../inbox/sender.ts'
import { t } from '../language/index.ts'
import { Card, Quiet } from '../parts/index.ts'

/**
 * The calls of a being that wait for the yes of this person, where they talk: one after the other, the oldest
 * first.
 */
export function Asks({ of: stance }: { readonly of: string }) {
  const { data } = useInbox('needs')
  const all = (data?.items ?? []).flatMap((entry) =>
    senderOf(entry) === stance ? (askedIn(entry) ?? []) : [],
  )
  const asked = all.at(-1)
  if (asked === undefined) return null
  return (
    <Card title={t('It asks for your yes')}>
      {all.length === 1 ? null : (
        <Quiet>{t('{{length}} calls wait, the oldest is shown.', { length: all.length })}</Quiet>
      )}
      <AskedCall key={asked.id} asked={asked} from={stance} />
    </Card>
  )
}
