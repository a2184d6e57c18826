import { Alert, Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { own } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { keepKey } from '../api/session.ts'
import { t } from '../language/index.ts'
import { Answer, PageHead } from '../parts/index.ts'
import { Hooks } from './Hooks.tsx'
import { Identities } from './Identities.tsx'
import { Outlets } from './Outlets.tsx'
import { Passkeys } from './Passkeys.tsx'
import { Password } from './Password.tsx'
import { accountQuery } from './queries.ts'
import { Sessions } from './Sessions.tsx'
import { Tokens } from './Tokens.tsx'

/** How the person signs in, and where it is signed in. */
export function Account() {
  const account = useQuery(accountQuery)
  return (
    <Stack maw={720}>
      <PageHead title={t('Settings')}>
        {t(
          'How you sign in, the browsers in which you are signed in, the programs that act for you, and where you are told what waits. One way to sign in always remains.',
        )}
      </PageHead>
      <Answer of={account}>
        {(own) => (
          <>
            {own.isFresh ? null : <Stale />}
            <Passkeys own={own} />
            <Password own={own} />
            {own.provider === null && own.identities.length === 0 ? null : <Identities own={own} />}
            <Sessions own={own} />
            <Tokens own={own} />
            <Outlets own={own} />
            <Hooks own={own} />
          </>
        )}
      </Answer>
    </Stack>
  )
}

/** Who finds a browser that was left open can change nothing here. */
export function Stale() {
  const leaving = useDeed(() => own['sign-out'].$post(), { stale: null, onDone: () => keepKey(null) })
  return (
    <Alert color="blue" role="status" title={t('To change this, sign in again')}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {t(
            'You signed in more than 15 minutes ago. You can still sign out elsewhere, without signing in again.',
          )}
        </Text>
        <Button size="xs" variant="default" loading={leaving.isPending} onClick={() => leaving.mutate()}>
          {t('Sign in again')}
        </Button>
      </Stack>
    </Alert>
  )
}
