import { Text, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { own } from '../api/client.ts'
import { knowsPasskeys, makePasskey } from '../door/passkey.ts'
import { t } from '../language/index.ts'
import { Card, Form } from '../parts/index.ts'
import { Passkey } from './Passkey.tsx'
import { NAME_CHARS_MAX, type OwnAccount, useChange } from './queries.ts'

/** Lists passkeys; adds, names and removes one. */
export function Passkeys({ own: { passkeys, isFresh } }: { readonly own: OwnAccount }) {
  const form = useForm({ initialValues: { name: '' }, validate: { name: isNotEmpty() } })
  const adding = useChange(async (name: string) => {
    const { attempt, options } = await (await own.account.passkeys.$post({ json: { name } })).json()
    const response = await makePasskey(options)
    return own.account.passkeys.made.$post({ json: { attempt, response } })
  }, form.reset)
  return (
    <Card
      isPart
      title={t('Passkeys')}
      note={t(
        'Kept by a device or a security key, and unlocked by a fingerprint, a face or a PIN. No other site can ask for it.',
      )}
      gap="sm"
    >
      {passkeys.map((one) => (
        <Passkey key={one.id} one={one} isFresh={isFresh} />
      ))}
      {knowsPasskeys() ? (
        <Form
          form={form}
          doing={adding}
          submit={t('Add a passkey')}
          send={({ name }) => name.trim()}
          isInRow
          isOff={!isFresh}
        >
          <TextInput
            flex={1}
            miw={200}
            label={t('Name of a new one')}
            placeholder={t('Laptop')}
            maxLength={NAME_CHARS_MAX}
            disabled={!isFresh}
            {...form.getInputProps('name')}
          />
        </Form>
      ) : (
        <Text size="sm">
          {t('This browser has no passkeys at this address. They work at https and at localhost.')}
        </Text>
      )}
    </Card>
  )
}
