import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { knowsPasskeys, makePasskey } from '../door/passkey.ts'
import { Trouble } from '../shell/states.tsx'
import { Time } from '../shell/Time.tsx'
import { Inert } from '../text/Inert.tsx'
import { Part } from './Part.tsx'
import { type OwnAccount, useChange } from './queries.ts'

const NAME_CHARS_MAX = 80

/** Lists passkeys; adds, names and removes one. */
export function Passkeys({ own }: { readonly own: OwnAccount }) {
  const [name, setName] = useState('')
  const adding = useChange(
    async () => {
      const asked = await api.account.passkeys.$post({ json: { name: name.trim() } })
      const { attempt, options } = await asked.json()
      const response = await makePasskey(options)
      await api.account.passkeys.made.$post({ json: { attempt, response } })
    },
    () => setName(''),
  )
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    adding.mutate(undefined)
  }
  return (
    <Part
      title="Passkeys"
      note="Kept by a device or a security key, and unlocked by a fingerprint, a face or a PIN. No other site can ask for it."
    >
      {own.passkeys.map((one) => (
        <Passkey key={one.id} one={one} isFresh={own.isFresh} />
      ))}
      {knowsPasskeys() ? (
        <form onSubmit={onSubmit}>
          <Group align="flex-end" gap="sm">
            <TextInput
              flex={1}
              miw={200}
              label="Name of a new one"
              placeholder="Laptop"
              maxLength={NAME_CHARS_MAX}
              disabled={!own.isFresh}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" loading={adding.isPending} disabled={!own.isFresh || name.trim() === ''}>
              Add a passkey
            </Button>
          </Group>
        </form>
      ) : (
        <Text size="sm">
          This browser has no passkeys at this address. They work at https and at localhost.
        </Text>
      )}
      <Trouble error={adding.error} />
    </Part>
  )
}

interface PasskeyProps {
  readonly one: OwnAccount['passkeys'][number]
  readonly isFresh: boolean
}

function Passkey({ one, isFresh }: PasskeyProps) {
  const { id, site, createdAt, usedAt } = one
  const [name, setName] = useState<string | null>(null)
  const renaming = useChange(
    (next: string) => api.account.passkeys.rename.$post({ json: { id, name: next } }),
    () => setName(null),
  )
  const removing = useChange(() => api.account.passkeys.remove.$post({ json: { id } }))
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (name !== null) renaming.mutate(name)
  }
  return (
    <Stack gap="xs" className="block">
      <Group justify="space-between" gap="sm">
        <div className="grows">
          {name === null ? (
            <Text fw={600}>
              <Inert text={one.name} />
            </Text>
          ) : (
            <form onSubmit={onSubmit}>
              <Group gap="xs" mb={4}>
                <TextInput
                  size="xs"
                  aria-label="New name"
                  maxLength={NAME_CHARS_MAX}
                  value={name}
                  onChange={(event) => setName(event.currentTarget.value)}
                />
                <Button size="xs" type="submit" loading={renaming.isPending} disabled={name.trim() === ''}>
                  Rename it
                </Button>
              </Group>
            </form>
          )}
          <Text size="xs" className="quiet">
            for <Inert text={site} /> · since <Time iso={createdAt} /> ·{' '}
            {usedAt === null ? (
              'not used yet'
            ) : (
              <>
                last used <Time iso={usedAt} />
              </>
            )}
          </Text>
        </div>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            disabled={!isFresh}
            onClick={() => setName(name === null ? one.name : null)}
          >
            {name === null ? 'Rename' : 'Cancel'}
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={!isFresh}
            loading={removing.isPending}
            onClick={() => removing.mutate(undefined)}
          >
            Remove
          </Button>
        </Group>
      </Group>
      <Trouble error={renaming.error ?? removing.error} />
    </Stack>
  )
}
