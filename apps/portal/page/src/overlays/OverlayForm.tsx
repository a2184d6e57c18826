import { Select, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { OverlayView } from '@treeos/client'
import { api } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { t } from '../language/index.ts'
import { Form } from '../parts/index.ts'
import { channelOf } from './StoredOverlay.tsx'

const TIERS = [
  { value: 'account', label: t('account: what you begin') },
  { value: 'channel', label: t('channel: a conversation that you began') },
  { value: 'workspace', label: t('workspace: the whole reality') },
]

interface OverlayFormProps {
  /** what it holds now; empty for a new one */
  readonly of: Partial<OverlayView>
  readonly onSet: () => void
}

interface OverlayInput {
  readonly tier: string
  readonly name: string
  readonly channel: string
  readonly content: string
  readonly signatures: string
}

function storedIn({ channel, signatures, ...rest }: OverlayInput) {
  const appliesTo = signatures.split(/[\s,]+/).filter((one) => one !== '')
  return {
    ...rest,
    ...(rest.tier === 'channel' && channel !== '' ? { channel } : {}),
    ...(appliesTo.length === 0 ? {} : { appliesTo }),
  }
}

/** Stores an overlay. Its text is in no variable of the mutation, which the page would keep. */
export function OverlayForm({ of, onSet }: OverlayFormProps) {
  const form = useForm({
    initialValues: {
      tier: of.tier ?? 'account',
      name: of.name ?? '',
      channel: channelOf(of).channel ?? '',
      content: of.content ?? '',
      signatures: of.appliesTo?.join(' ') ?? '',
    },
  })
  const isNew = of.name === undefined
  const setting = useDeed(() => api.overlays.$post({ json: storedIn(form.values) }), {
    stale: ['overlays'],
    onDone: onSet,
  })
  return (
    <Form form={form} doing={setting} submit={t('Store it')} send={() => undefined} isWide>
      <Select
        label={t('For')}
        data={TIERS}
        allowDeselect={false}
        disabled={!isNew}
        {...form.getInputProps('tier')}
      />
      <TextInput label={t('Name')} required disabled={!isNew} {...form.getInputProps('name')} />
      {form.values.tier === 'channel' ? (
        <TextInput
          label={t('Channel')}
          description={t('Left out: the channel with that name')}
          disabled={!isNew}
          {...form.getInputProps('channel')}
        />
      ) : null}
      <Textarea
        label={t('Text')}
        description={t('At most 8 KiB')}
        required
        minRows={4}
        maxRows={16}
        {...form.getInputProps('content')}
      />
      <TextInput
        label={t('Signatures')}
        description={t(
          'That it attaches to, separated by spaces; left out: the entry Signature of what is dispatched',
        )}
        {...form.getInputProps('signatures')}
      />
    </Form>
  )
}
