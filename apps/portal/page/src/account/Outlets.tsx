import { Badge, Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { type FoundBy, useDeed } from '../api/deed.ts'
import { t } from '../language/index.ts'
import { Answer, Card, Form, Inert, Quiet, SmallButton, Trouble } from '../parts/index.ts'
import { type OwnAccount, outletsQuery } from './queries.ts'
import { Secret } from './Secret.tsx'

type ListedOutlet = FoundBy<typeof outletsQuery>[number]
type OutletWant = ListedOutlet['wants'][number]

/** What one may be told of, in words. */
const WANTS: Readonly<Record<OutletWant, string>> = {
  question: t('questions'),
  approval: t('approvals'),
  answer: t('answers'),
  notice: t('notices'),
}
const ALL_WANTS = Object.keys(WANTS) as OutletWant[]

/** Where the person is told what waits in its inbox, beside the page. */
export function Outlets({ own: { isFresh } }: { readonly own: OwnAccount }) {
  const outlets = useQuery(outletsQuery)
  const [secret, show] = useState<string | null>(null)
  return (
    <Card
      isPart
      title={t('Be told elsewhere')}
      note={t('What waits in your inbox is also sent by e-mail or to a webhook of yours.')}
      gap="sm"
    >
      {secret === null ? null : (
        <Secret
          title={t('The secret of the new webhook')}
          note={t(
            'It is not shown again. What we send is signed with it, so your program can tell that it comes from here.',
          )}
          secrets={[secret]}
          onClose={() => show(null)}
        />
      )}
      <Answer of={outlets}>
        {(all) => all.map((one) => <Outlet key={one.id} one={one} isFresh={isFresh} />)}
      </Answer>
      <NewOutlet isOff={!isFresh} onMade={show} />
    </Card>
  )
}

function Outlet({ one, isFresh }: { readonly one: ListedOutlet; readonly isFresh: boolean }) {
  const { id, kind, address, wants, confirmed, deliveries } = one
  const removing = useDeed(() => api.outlets.remove.$post({ json: { id } }), { stale: ['outlets'] })
  const retrying = useDeed(() => api.outlets.retry.$post({ json: { id } }), { stale: ['outlets'] })
  return (
    <Stack gap="xs" className="block">
      <Group justify="space-between" gap="sm" align="flex-start">
        <div className="grows">
          <Group gap={6}>
            <Text fw={600} size="sm">
              <Inert text={address} />
            </Text>
            {confirmed ? null : <Badge color="orange">{t('waits for its code')}</Badge>}
          </Group>
          <Quiet size="xs">
            {kind === 'email' ? t('e-mail') : t('webhook')} · {wants.map((want) => WANTS[want]).join(', ')} ·{' '}
            {t('{{sent}} sent', { sent: deliveries.sent })}
            {deliveries.due > 0 ? `, ${t('{{due}} on their way', { due: deliveries.due })}` : ''}
          </Quiet>
          {deliveries.dead === 0 ? null : (
            <Text size="sm">
              {t('{{dead}} could not be sent', { dead: deliveries.dead })}
              {deliveries.fault === null ? '' : ': '}
              <Inert text={deliveries.fault ?? ''} />
            </Text>
          )}
        </div>
        <Group gap="xs">
          {deliveries.dead === 0 ? null : (
            <SmallButton loading={retrying.isPending} onClick={() => retrying.mutate()}>
              {t('Send again')}
            </SmallButton>
          )}
          <SmallButton
            loading={removing.isPending}
            onClick={() => removing.mutate()}
            aria-label={t('Remove {{address}}', { address })}
          >
            {t('Remove')}
          </SmallButton>
        </Group>
      </Group>
      <Trouble error={removing.error ?? retrying.error} />
      {confirmed ? null : <Confirm id={id} isOff={!isFresh} />}
    </Stack>
  )
}

function Confirm({ id, isOff }: { readonly id: string; readonly isOff: boolean }) {
  const form = useForm({ initialValues: { code: '' }, validate: { code: isNotEmpty() } })
  const confirming = useDeed((code: string) => api.outlets.confirm.$post({ json: { id, code } }), {
    stale: ['outlets'],
  })
  return (
    <Form
      form={form}
      doing={confirming}
      submit={t('Confirm')}
      send={({ code }) => code.trim()}
      isInRow
      isOff={isOff}
    >
      <TextInput label={t('The code that was sent there')} disabled={isOff} {...form.getInputProps('code')} />
    </Form>
  )
}

function NewOutlet({
  isOff,
  onMade,
}: {
  readonly isOff: boolean
  readonly onMade: (secret: string) => void
}) {
  const form = useForm({
    initialValues: { kind: 'email' as 'email' | 'webhook', address: '', wants: ALL_WANTS },
    validate: { address: isNotEmpty(), wants: isNotEmpty() },
  })
  const adding = useDeed(
    (json: { readonly kind: 'email' | 'webhook'; readonly address: string; readonly wants: OutletWant[] }) =>
      api.outlets.$post({ json }),
    {
      stale: ['outlets'],
      onDone: ({ secret }) => {
        form.setFieldValue('address', '')
        if (secret !== undefined) onMade(secret)
      },
    },
  )
  return (
    <Form
      form={form}
      doing={adding}
      submit={t('Add')}
      send={({ kind, address, wants }) => ({ kind, address: address.trim(), wants })}
      isOff={isOff}
    >
      <Group gap="sm" align="flex-end">
        <Select
          label={t('By')}
          w={130}
          allowDeselect={false}
          disabled={isOff}
          data={[
            { value: 'email', label: t('e-mail') },
            { value: 'webhook', label: t('webhook') },
          ]}
          {...form.getInputProps('kind')}
        />
        <TextInput
          flex="1 1 14rem"
          label={t('To')}
          placeholder={form.values.kind === 'email' ? 'ann@example.org' : 'https://example.org/hook'}
          disabled={isOff}
          {...form.getInputProps('address')}
        />
      </Group>
      <Checkbox.Group label={t('Told of')} {...form.getInputProps('wants')}>
        <Group gap="sm" mt={4}>
          {ALL_WANTS.map((want) => (
            <Checkbox key={want} value={want} label={WANTS[want]} disabled={isOff} />
          ))}
        </Group>
      </Checkbox.Group>
    </Form>
  )
}
