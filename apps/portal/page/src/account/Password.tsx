import { Button, Group, PasswordInput, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { Trouble } from '../shell/states.tsx'
import { Part } from './Part.tsx'
import { type OwnAccount, useChange } from './queries.ts'

const CHARS_MIN = 12

/** Sets, changes or removes the password. */
export function Password({ own }: { readonly own: OwnAccount }) {
  const [password, setPassword] = useState('')
  const changing = useChange(
    (next: string | null) => api.account.password.$post({ json: { password: next } }),
    () => setPassword(''),
  )
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    changing.mutate(password)
  }
  return (
    <Part
      title="Password"
      note={
        own.hasPassword
          ? 'You have one. A new one signs you out everywhere else.'
          : 'You have none, and need none beside a passkey.'
      }
    >
      <form onSubmit={onSubmit}>
        <Group align="flex-end" gap="sm">
          <PasswordInput
            flex={1}
            miw={200}
            label={own.hasPassword ? 'New password' : 'Password'}
            description={`At least ${CHARS_MIN} characters`}
            autoComplete="new-password"
            disabled={!own.isFresh}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Button
            type="submit"
            loading={changing.isPending}
            disabled={!own.isFresh || password.length < CHARS_MIN}
          >
            {own.hasPassword ? 'Change it' : 'Set it'}
          </Button>
          {own.hasPassword ? (
            <Button
              variant="default"
              disabled={!own.isFresh}
              loading={changing.isPending}
              onClick={() => changing.mutate(null)}
            >
              Remove it
            </Button>
          ) : null}
        </Group>
      </form>
      <Trouble error={changing.error} />
      {changing.isSuccess ? (
        <Text size="sm" role="status">
          Done.
        </Text>
      ) : null}
    </Part>
  )
}
