import { Button, Group, Stack, Text } from '@mantine/core'
import { own } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { Trans, t } from '../language/index.ts'
import { BeingLink, DialogButton, Quiet, SmallButton, Time, Trouble } from '../parts/index.ts'
import type { PersonFound } from './queries.ts'
import type { NewLink } from './ShownLink.tsx'

const DAY_HOURS = 24
const STALE = { stale: ['people'] }

interface PersonProps {
  readonly person: PersonFound
  readonly isMe: boolean
  readonly onLink: (link: NewLink) => void
}

/** One person: whether it can sign in, and what may be done about that. */
export function Person({ person, isMe, onLink }: PersonProps) {
  const { stance, hasAccount, invitation } = person
  const linking = useDeed(() => own.people.link.$post({ json: { stance, hours: DAY_HOURS } }), {
    ...STALE,
    onDone: (made) => onLink({ ...made, hours: DAY_HOURS }),
  })
  const revoking = useDeed(() => own.people.revoke.$post({ json: { stance } }), STALE)
  return (
    <section className="card" aria-label={stance}>
      <Group justify="space-between" gap="sm">
        <div className="grows">
          <Text fw={600}>
            <BeingLink stance={stance} />
            {isMe ? <span className="quiet"> {t('(you)')}</span> : null}
          </Text>
          <Standing person={person} />
        </div>
        <Group gap="xs">
          <SmallButton loading={linking.isPending} onClick={() => linking.mutate()}>
            {t('New link')}
          </SmallButton>
          {invitation === null || invitation.isOver ? null : (
            <SmallButton loading={revoking.isPending} onClick={() => revoking.mutate()}>
              {t('Revoke its link')}
            </SmallButton>
          )}
          {hasAccount && !isMe ? <Removal stance={stance} /> : null}
        </Group>
      </Group>
      <Trouble error={linking.error ?? revoking.error} />
    </section>
  )
}

const Standing = ({ person: { hasAccount, seenAt, invitation } }: Pick<PersonProps, 'person'>) => (
  <Quiet>
    {hasAccount ? t('Can sign in') : t('Cannot sign in yet')}
    {seenAt === null ? null : (
      <>
        {' · '}
        <Trans text="last seen <time/>" parts={{ time: <Time iso={seenAt} /> }} />
      </>
    )}
    {invitation === null ? null : (
      <>
        {' · '}
        <Trans
          text={invitation.isOver ? 'its link was over <time/>' : 'its link is good until <time/>'}
          parts={{ time: <Time iso={invitation.expiresAt} /> }}
        />
        {invitation.madeBy === null ? null : t(', made by {{madeBy}}', { madeBy: invitation.madeBy })}
      </>
    )}
  </Quiet>
)

function Removal({ stance }: { readonly stance: string }) {
  const removing = useDeed(() => own.people.remove.$post({ json: { stance } }), STALE)
  return (
    <DialogButton
      label={t('Take its account away')}
      title={t('Take the account of {{stance}} away', { stance })}
      isSmall
    >
      <Stack gap="sm">
        <Text size="sm">
          {t(
            'Its password and passkeys are deleted, and it is signed out everywhere. The being lives on, and a new link lets the person in again.',
          )}
        </Text>
        <Trouble error={removing.error} />
        <Group>
          <Button color="red" loading={removing.isPending} onClick={() => removing.mutate()}>
            {t('Take it away')}
          </Button>
        </Group>
      </Stack>
    </DialogButton>
  )
}
