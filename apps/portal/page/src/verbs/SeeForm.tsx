import { TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { api } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { t } from '../language/index.ts'
import { Form } from '../parts/index.ts'
import { Result } from './Result.tsx'

/** Reads an address as the being, and shows all that it sees there. */
export function SeeForm() {
  const form = useForm({ initialValues: { address: '' }, validate: { address: isNotEmpty() } })
  const seeing = useDeed((address: string) => api.see.$get({ query: { address } }))
  return (
    <Form
      form={form}
      doing={seeing}
      submit={t('Look')}
      send={({ address }) => address.trim()}
      done={<Result of={seeing.data === undefined ? undefined : { result: seeing.data }} />}
    >
      <TextInput
        label={t('Address')}
        placeholder={t('@role-manager or /library')}
        required
        {...form.getInputProps('address')}
      />
    </Form>
  )
}
