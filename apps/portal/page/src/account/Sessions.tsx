import { Badge, Button, Group, Text } from '@mantine/core'
import { api } from '../api/client.ts'
import { keepKey } from '../api/session.ts'
import { Trouble } from '../shell/states.tsx'
import { Time } from '../shell/Time.tsx'
import { Inert } from '../text/Inert.tsx'
import { browserIn } from './agent.ts'
import { Part } from './Part.tsx'
import { type OwnAccount, useChange } from './queries.ts'

const WAYS: Readonly<Record<string, string>> = {
  password: 'by password',
  passkey: 'by passkey',
  link: 'by a link',
  provider: 'by another account',
}

/** Where the person is signed in, and ways to end it. */
export function Sessions({ own }: { readonly own: OwnAccount }) {
  const ending = useChange((which: string) => api.account.sessions.end.$post({ json: { which } }))
  const leaving = useChange(
    () => api.account.sessions.end.$post({ json: { which: 'all' } }),
    () => keepKey(null),
  )
  return (
    <Part title="Signed in" note="A session ends after 72 hours without use, and after 30 days.">
      {own.sessions.map(({ id, agent, way, createdAt, seenAt, isThis }) => (
        <Group key={id} justify="space-between" gap="sm" className="block">
          <div>
            <Group gap={6}>
              <Text fw={600} title={agent}>
                <Inert text={browserIn(agent)} />
              </Text>
              {isThis ? (
                <Badge variant="light" tt="none">
                  this browser
                </Badge>
              ) : null}
            </Group>
            <Text size="xs" className="quiet">
              {WAYS[way] ?? way}, <Time iso={createdAt} /> · last used <Time iso={seenAt} />
            </Text>
          </div>
          {isThis ? null : (
            <Button size="xs" variant="default" loading={ending.isPending} onClick={() => ending.mutate(id)}>
              End it
            </Button>
          )}
        </Group>
      ))}
      <Trouble error={ending.error ?? leaving.error} />
      <Group gap="sm">
        <Button
          variant="default"
          disabled={own.sessions.length < 2}
          loading={ending.isPending}
          onClick={() => ending.mutate('others')}
        >
          Sign out elsewhere
        </Button>
        <Button variant="default" loading={leaving.isPending} onClick={() => leaving.mutate(undefined)}>
          Sign out everywhere
        </Button>
      </Group>
    </Part>
  )
}
