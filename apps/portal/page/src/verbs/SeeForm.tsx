import { Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Send, useCall } from './Send.tsx'

/** Reads an address as the being, and shows all that it sees there. */
export function SeeForm() {
  const [address, setAddress] = useState('')
  const sending = useCall()
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    sending.mutate({ verb: 'see', address: address.trim() })
  }
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="sm">
        <TextInput
          label="Address"
          placeholder="@role-manager or /library"
          required
          withAsterisk={false}
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
        />
        <Send label="Look" sending={sending} error={null} isDisabled={address.trim() === ''} />
      </Stack>
    </form>
  )
}
