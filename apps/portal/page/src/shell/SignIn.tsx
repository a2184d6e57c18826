import { Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { keepKey } from '../api/session.ts'
import { Trouble } from './states.tsx'

export const Door = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <Center component="main" mih="100vh" p="md">
    <Paper withBorder p="xl" w="100%" maw={400} className="card">
      <Stack gap="md">
        <img src="/tree.svg" width={36} height={36} alt="" />
        <Title order={1}>{title}</Title>
        {children}
      </Stack>
    </Paper>
  </Center>
)

/** Shown in place of every page while nobody is signed in. */
export function SignIn() {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const signingIn = useMutation({
    mutationFn: async () => (await api.open['sign-in'].$post({ json: { name, password } })).json(),
    onSuccess: ({ key }) => keepKey(key),
  })
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
      <Text size="sm" className="quiet">
        New here, or the password is lost? Run <span className="code">treeos link</span> on the machine that
        runs this portal, and open the link that it prints.
      </Text>
    </Door>
  )
}
