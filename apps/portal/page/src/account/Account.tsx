import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { keepKey } from '../api/session.ts'
import { leaveForProvider } from '../door/provider.ts'
import { Answer, Trouble } from '../shell/states.tsx'
import { Time } from '../shell/Time.tsx'
import { Inert } from '../text/Inert.tsx'
import { Part } from './Part.tsx'
import { Passkeys } from './Passkeys.tsx'
import { Password } from './Password.tsx'
import { accountQuery, type OwnAccount, useChange } from './queries.ts'
import { Sessions } from './Sessions.tsx'

/** How the person signs in, and where it is signed in. */
export function Account() {
  const account = useQuery(accountQuery)
  return (
    <Stack gap="md" maw={720}>
      <div>
        <Title order={1}>How you sign in</Title>
        <Text size="sm" className="quiet">
          Your password, your passkeys, and the browsers in which you are signed in. One way to sign in always
          remains.
        </Text>
      </div>
      <Answer of={account}>
        {(own) => (
          <>
            {own.isFresh ? null : <Stale />}
            <Passkeys own={own} />
            <Password own={own} />
            {own.provider === null && own.identities.length === 0 ? null : <Identities own={own} />}
            <Sessions own={own} />
          </>
        )}
      </Answer>
    </Stack>
  )
}

/** Who finds a browser that was left open can change nothing here. */
function Stale() {
  const leaving = useChange(
    async () => api['sign-out'].$post(),
    () => keepKey(null),
  )
  return (
    <Alert color="blue" role="status" title="To change this, sign in again">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          You signed in more than 15 minutes ago. You can still sign out elsewhere, without signing in again.
        </Text>
        <Button
          size="xs"
          variant="default"
          loading={leaving.isPending}
          onClick={() => leaving.mutate(undefined)}
        >
          Sign in again
        </Button>
      </Stack>
    </Alert>
  )
}

/** The account of a provider by which the person signs in. */
function Identities({ own }: { readonly own: OwnAccount }) {
  const connecting = useChange(async () => {
    const { attempt, url } = await (await api.account.identity.$post({ json: { connect: true } })).json()
    leaveForProvider(url, { attempt, token: null, isConnecting: true })
  })
  const removing = useChange((issuer: string) => api.account.identity.remove.$post({ json: { issuer } }))
  return (
    <Part title="Another account" note="Signing in by an account that you have elsewhere.">
      {own.identities.map(({ issuer, label, createdAt }) => (
        <Group key={issuer} justify="space-between" gap="sm">
          <div>
            <Text fw={600}>
              <Inert text={label} />
            </Text>
            <Text size="xs" className="quiet">
              of <Inert text={issuer} />, since <Time iso={createdAt} />
            </Text>
          </div>
          <Button
            size="xs"
            variant="default"
            disabled={!own.isFresh}
            loading={removing.isPending}
            onClick={() => removing.mutate(issuer)}
          >
            Disconnect
          </Button>
        </Group>
      ))}
      <Trouble error={connecting.error ?? removing.error} />
      {own.provider === null || own.identities.length > 0 ? null : (
        <Group>
          <Button
            variant="default"
            disabled={!own.isFresh}
            loading={connecting.isPending}
            onClick={() => connecting.mutate(undefined)}
          >
            Connect&nbsp;
            <Inert text={own.provider} />
          </Button>
        </Group>
      )}
    </Part>
  )
}
