import { Button, Group, Text } from '@mantine/core'
import { own } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { leaveForProvider } from '../door/provider.ts'
import { Trans, t } from '../language/index.ts'
import { Card, Inert, Quiet, SmallButton, Time, Trouble } from '../parts/index.ts'
import { type OwnAccount, useChange } from './queries.ts'

/** The account of a provider by which the person signs in. */
export function Identities({ own: { identities, provider, isFresh } }: { readonly own: OwnAccount }) {
  const connecting = useDeed(() => own.account.identity.$post({ json: { connect: true } }), {
    stale: null,
    onDone: ({ attempt, url }) => leaveForProvider(url, { attempt, token: null, isConnecting: true }),
  })
  const removing = useChange((issuer: string) => own.account.identity.remove.$post({ json: { issuer } }))
  return (
    <Card
      isPart
      title={t('Another account')}
      note={t('Signing in by an account that you have elsewhere.')}
      gap="sm"
    >
      {identities.map(({ issuer, label, createdAt }) => (
        <Group key={issuer} justify="space-between" gap="sm">
          <div>
            <Text fw={600}>
              <Inert text={label} />
            </Text>
            <Quiet size="xs">
              <Trans
                text="of <issuer/>, since <time/>"
                parts={{ issuer: <Inert text={issuer} />, time: <Time iso={createdAt} /> }}
              />
            </Quiet>
          </div>
          <SmallButton
            disabled={!isFresh}
            loading={removing.isPending}
            onClick={() => removing.mutate(issuer)}
          >
            {t('Disconnect')}
          </SmallButton>
        </Group>
      ))}
      <Trouble error={connecting.error ?? removing.error} />
      {provider === null || identities.length > 0 ? null : (
        <Group>
          <Button
            variant="default"
            disabled={!isFresh}
            loading={connecting.isPending}
            onClick={() => connecting.mutate()}
          >
            <span>
              <Trans text="Connect <provider/>" parts={{ provider: <Inert text={provider} /> }} />
            </span>
          </Button>
        </Group>
      )}
    </Card>
  )
}
