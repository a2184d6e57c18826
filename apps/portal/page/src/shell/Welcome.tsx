import { Anchor, Button, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { keepKey } from '../api/session.ts'
import { Door } from './SignIn.tsx'
import { Answer, Trouble } from './states.tsx'

const CHARS_MIN = 12

/** Where a one-time link leads: a person chooses a password. The secret stands behind the `#`, which is sent to no server. */
export function Welcome() {
  const [token] = useState(() => location.hash.slice(1))
  const [password, setPassword] = useState('')
  const navigate = useNavigate()
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: async () => (await api.open.link.look.$post({ json: { token } })).json(),
  })
  const using = useMutation({
    mutationFn: async () => (await api.open.link.use.$post({ json: { token, password } })).json(),
    onSuccess: ({ key }) => {
      keepKey(key)
      void navigate({ to: '/world', replace: true })
    },
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    using.mutate()
  }
  return (
    <Door title="Welcome">
      <Answer of={link}>
        {({ stance }) => (
          <form onSubmit={onSubmit}>
            <Stack gap="sm">
              <Text>
                Choose a password for <b>{stance}</b>. This link works once.
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
        )}
      </Answer>
      <Anchor href="/" size="sm">
        Sign in with a password instead
      </Anchor>
    </Door>
  )
}
