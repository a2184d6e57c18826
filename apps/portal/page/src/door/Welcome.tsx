import { Anchor, Button, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState, useSyncExternalStore } from 'react'
import { api } from '../api/client.ts'
import { keepKey } from '../api/session.ts'
import { Answer, Trouble } from '../shell/states.tsx'
import { Door } from './Door.tsx'
import { makePasskey } from './passkey.ts'
import { OtherWays } from './ways.tsx'

const CHARS_MIN = 12

const tokenNow = (): string => location.hash.slice(1)

/** Another link that is opened in the same tab changes the part behind the `#` alone, and loads nothing. */
function onTokenChange(listener: () => void): () => void {
  window.addEventListener('hashchange', listener)
  return () => window.removeEventListener('hashchange', listener)
}

/**
 * Where a one-time link leads: a person chooses how it signs in. The secret stands behind the `#`, which is sent to no server.
 */
export function Welcome() {
  const token = useSyncExternalStore(onTokenChange, tokenNow)
  return <Open key={token} token={token} />
}

function Open({ token }: { readonly token: string }) {
  const [password, setPassword] = useState('')
  const navigate = useNavigate()
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: async () => (await api.open.link.look.$post({ json: { token } })).json(),
    gcTime: 0,
  })
  const enter = ({ key }: { readonly key: string }) => {
    keepKey(key)
    void navigate({ to: '/world', replace: true })
  }
  const using = useMutation({
    mutationFn: async () => (await api.open.link.use.$post({ json: { token, password } })).json(),
    onSuccess: enter,
  })
  const byPasskey = async () => {
    const { attempt, options } = await (await api.open.link.passkey.$post({ json: { token } })).json()
    const response = await makePasskey(options)
    enter(await (await api.open.link.passkey.made.$post({ json: { token, attempt, response } })).json())
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    using.mutate()
  }
  return (
    <Door title="Welcome">
      <Answer of={link}>
        {({ stance }) => (
          <>
            <form onSubmit={onSubmit}>
              <Stack gap="sm">
                <Text>
                  Choose how <b>{stance}</b> signs in. This link works once.
                </Text>
                <input type="text" autoComplete="username" value={stance} readOnly hidden />
                <PasswordInput
                  label="Password"
                  description={`At least ${CHARS_MIN} characters; a few words do well`}
                  autoComplete="new-password"
                  required
                  withAsterisk={false}
                  minLength={CHARS_MIN}
                  value={password}
                  onChange={(event) => setPassword(event.currentTarget.value)}
                />
                <Trouble error={using.error} />
                <Button type="submit" loading={using.isPending} disabled={password.length < CHARS_MIN}>
                  Sign in as {stance}
                </Button>
              </Stack>
            </form>
            <OtherWays token={token} passkeyLabel="Make a passkey" onPasskey={byPasskey} />
          </>
        )}
      </Answer>
      <Anchor href="/" size="sm">
        You can sign in already? Go there
      </Anchor>
    </Door>
  )
}
