import { Input, SegmentedControl, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { own } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { t } from '../language/index.ts'
import { Form, given } from '../parts/index.ts'
import type { NewLink } from './ShownLink.tsx'

const TERMS = [
  { value: '24', label: t('A day') },
  { value: '168', label: t('A week') },
]

/** A person is born, and gets a link. */
export function InviteForm({ onMade }: { readonly onMade: (link: NewLink) => void }) {
  const form = useForm({
    initialValues: { name: '', role: '', hours: '24' },
    validate: { name: isNotEmpty() },
  })
  const { hours } = form.values
  const inviting = useDeed(
    ({ name, role }: typeof form.values) =>
      own.people.invite.$post({
        json: { ...given({ role }), name: name.trim().replace(/^@/, ''), hours: Number(hours) },
      }),
    { stale: ['people'], onDone: (made) => onMade({ ...made, hours: Number(hours) }) },
  )
  return (
    <Form form={form} doing={inviting} submit={t('Invite')} send={(values) => values}>
      <TextInput
        label={t('Name')}
        description={t('Lower case letters, digits and hyphens. It is taken for ever.')}
        placeholder="ann"
        required
        {...form.getInputProps('name')}
      />
      <TextInput
        label={t('Default role')}
        description={t('What it may do. Left empty: citizen, if you may hand that on, else resident')}
        placeholder="citizen"
        {...form.getInputProps('role')}
      />
      <Input.Wrapper label={t('The link is good for')} labelElement="div" id="term">
        <SegmentedControl aria-labelledby="term-label" data={TERMS} {...form.getInputProps('hours')} />
      </Input.Wrapper>
    </Form>
  )
}
