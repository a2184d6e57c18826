import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { keepKey } from '../api/session.ts'
import { Trouble } from '../shell/states.tsx'
import { Door } from './Door.tsx'
import { findPasskey } from './passkey.ts'
import { OtherWays } from './ways.tsx'

/** Shown in place of every page while nobody is signed in. */
export function SignIn() {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const signingIn = useMutation({
    mutationFn: async () => (await api.open['sign-in'].$post({ json: { name, password } })).json(),
    onSuccess: ({ key }) => keepKey(key),
  })
  const byPasskey = async () => {
    const { attempt, options } = await (await api.open.passkey.$post({ json: { mediation: 'modal' } })).json()
    const response = await findPasskey(options)
    keepKey((await (await api.open.passkey.used.$post({ json: { attempt, response } })).json()).key)
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    signingIn.mutate()
  }
  return (
    <Door title="Sign in">
      <form onSubmit={onSubmit}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            placeholder="@operator"
            autoComplete="username"
            required
            withAsterisk={false}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Trouble error={signingIn.error} />
          <Button type="submit" loading={signingIn.isPending}>
            Sign in
          </Button>
        </Stack>
      </form>
      <OtherWays token={null} passkeyLabel="Use a passkey" onPasskey={byPasskey} />
      <Text size="sm" className="quiet">
        New here, or no way in is left? Ask who invited you for a new link, or run{' '}
        <span className="code">treeos link</span> on the machine that runs this portal.
      </Text>
    </Door>
  )
}
