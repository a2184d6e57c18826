import { Anchor, Text } from '@mantine/core'
import { useHash } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { own } from '../api/client.ts'
import { asking, useDeed } from '../api/deed.ts'
import { AskedForm, type PersonAnswer } from '../asked/AskedForm.tsx'
import { shownAsked } from '../asked/waiting-call.ts'
import { Trans, t } from '../language/index.ts'
import { Answer as QueryAnswer } from '../parts/index.ts'
import { Door } from './Door.tsx'

/**
 * Where the link leads by which a person answers one call. The secret stands behind the `#`, which is sent to
 * no server. Whatever opens the page only looks: an answer takes a press of a button, and a passkey where the
 * person signs by one.
 */
export function AnswerPage() {
  const [hash] = useHash({ getInitialValueInEffect: false })
  return <OpenAnswer key={hash} token={hash.slice(1)} />
}

const answerQuery = (token: string) =>
  asking(
    ['answer', token],
    own.open.answer.look.$post,
    { json: { token } },
    {
      gcTime: 0,
      retry: false,
    },
  )

function OpenAnswer({ token }: { readonly token: string }) {
  const link = useQuery(answerQuery(token))
  const answering = useDeed((json: PersonAnswer) => own.open.answer.$post({ json: { token, ...json } }), {
    stale: null,
  })
  const done = answering.data
  return (
    <Door title={t('Your answer')}>
      {done === undefined ? (
        <QueryAnswer of={link}>
          {({ stance, asked }) => (
            <>
              <Text>
                <Trans text="You answer as <b/>. This link answers once." parts={{ b: <b>{stance}</b> }} />
              </Text>
              <AskedForm
                asked={shownAsked(asked)}
                from={asked.from}
                onAnswer={(answered) => answering.mutate(answered)}
                isPending={answering.isPending}
                error={answering.error}
              />
            </>
          )}
        </QueryAnswer>
      ) : (
        <Text>{done.answer === 'approve' ? t('You said yes.') : t('You said no.')}</Text>
      )}
      <Anchor href="/" size="sm">
        {t('Go to the portal')}
      </Anchor>
    </Door>
  )
}
