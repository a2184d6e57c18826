import { Badge, Button, Group, Text } from '@mantine/core'
import { own } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { keepKey } from '../api/session.ts'
import { Trans, t } from '../language/index.ts'
import { Card, Inert, Quiet, SmallButton, Time, Trouble } from '../parts/index.ts'
import { browserIn } from './agent.ts'
import { type OwnAccount, useChange } from './queries.ts'

const SIGN_IN_WAYS: Readonly<Record<string, string>> = {
  password: t('by password'),
  passkey: t('by passkey'),
  link: t('by a link'),
  provider: t('by another account'),
}

const end = (which: string) => own.account.sessions.end.$post({ json: { which } })

/** Where the person is signed in, and ways to end it. */
export function Sessions({ own: { sessions } }: { readonly own: OwnAccount }) {
  const ending = useChange(end)
  const leaving = useDeed(() => end('all'), { stale: null, onDone: () => keepKey(null) })
  return (
    <Card
      isPart
      title={t('Signed in')}
      note={t(
        'A session ends after 72 hours without use, and after 30 days. To sign out elsewhere ends terminals, too.',
      )}
      gap="sm"
    >
      {sessions.map(({ id, agent, way, createdAt, seenAt, isThis }) => (
        <Group key={id} justify="space-between" gap="sm" className="block">
          <div>
            <Group gap={6}>
              <Text fw={600} title={agent}>
                <Inert text={browserIn(agent)} />
              </Text>
              {isThis ? <Badge>{t('this browser')}</Badge> : null}
            </Group>
            <Quiet size="xs">
              <Trans
                text="{{way}}, <time/> · last used <used/>"
                values={{ way: SIGN_IN_WAYS[way] ?? way }}
                parts={{ time: <Time iso={createdAt} />, used: <Time iso={seenAt} /> }}
              />
            </Quiet>
          </div>
          {isThis ? null : (
            <SmallButton loading={ending.isPending} onClick={() => ending.mutate(id)}>
              {t('End it')}
            </SmallButton>
          )}
        </Group>
      ))}
      <Trouble error={ending.error ?? leaving.error} />
      <Group gap="sm">
        <Button variant="default" loading={ending.isPending} onClick={() => ending.mutate('others')}>
          {t('Sign out elsewhere')}
        </Button>
        <Button variant="default" loading={leaving.isPending} onClick={() => leaving.mutate()}>
          {t('Sign out everywhere')}
        </Button>
      </Group>
    </Card>
  )
}
