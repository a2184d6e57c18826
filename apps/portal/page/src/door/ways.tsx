import { Button, Divider } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { own } from '../api/client.ts'
import { asking, useDeed } from '../api/deed.ts'
import { Trans, t } from '../language/index.ts'
import { Inert, Trouble } from '../parts/index.ts'
import { knowsPasskeys } from './passkey.ts'
import { leaveForProvider } from './provider.ts'

const waysQuery = asking(['ways'], own.open.ways.$get, {})

interface WaysProps {
  /** the link that is to be opened; null for a sign-in */
  readonly token: string | null
  readonly passkeyLabel: string
  readonly onPasskey: () => Promise<unknown>
}

/** The ways beside a password: a passkey, and the provider where there is one. */
export function OtherWays({ token, passkeyLabel, onPasskey }: WaysProps) {
  const { data: ways } = useQuery(waysQuery)
  const keying = useMutation({ mutationFn: onPasskey })
  const leaving = useDeed(() => own.open.provider.$post({ json: { token } }), {
    stale: null,
    onDone: ({ attempt, url }) => leaveForProvider(url, { attempt, token, isConnecting: false }),
  })
  const provider = ways?.provider ?? null
  if (!knowsPasskeys() && provider === null) return null
  return (
    <>
      <Divider label={t('or')} />
      {knowsPasskeys() ? (
        <Button variant="default" loading={keying.isPending} onClick={() => keying.mutate()}>
          {passkeyLabel}
        </Button>
      ) : null}
      {provider === null ? null : (
        <Button
          variant="default"
          loading={leaving.isPending || leaving.isSuccess}
          onClick={() => leaving.mutate()}
        >
          <span>
            <Trans text="Go on with <provider/>" parts={{ provider: <Inert text={provider} /> }} />
          </span>
        </Button>
      )}
      <Trouble error={keying.error ?? leaving.error} />
    </>
  )
}
