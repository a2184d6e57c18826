import { Group, Select, Text, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { type FoundBy, useDeed } from '../api/deed.ts'
import { Trans, t } from '../language/index.ts'
import { Answer, Card, Form, Inert, Quiet, SmallButton, Time, Trouble } from '../parts/index.ts'
import { hooksQuery, type OwnAccount } from './queries.ts'
import { Secret } from './Secret.tsx'

type ListedHook = FoundBy<typeof hooksQuery>[number]

/** Webhooks by which programs act as the person, each for one thing alone. */
export function Hooks({ own: { isFresh } }: { readonly own: OwnAccount }) {
  const hooks = useQuery(hooksQuery)
  const [made, show] = useState<{ readonly address: string; readonly secret: string } | null>(null)
  const removing = useDeed((id: string) => api.hooks.remove.$post({ json: { id } }), { stale: ['hooks'] })
  return (
    <Card
      isPart
      title={t('Let a program in')}
      note={t('A signed webhook does one thing as you: it speaks to a being, or publishes a signal.')}
      gap="sm"
    >
      {made === null ? null : (
        <Secret
          title={t('The address and the secret of the new webhook')}
          note={t(
            'The secret is not shown again. The program signs with it what it sends to the address, by Standard Webhooks.',
          )}
          secrets={[made.address, made.secret]}
          onClose={() => show(null)}
        />
      )}
      <Answer of={hooks}>
        {(all) =>
          all.map((hook) => (
            <Hook
              key={hook.id}
              hook={hook}
              isPending={removing.isPending}
              onRemove={() => removing.mutate(hook.id)}
            />
          ))
        }
      </Answer>
      <Trouble error={removing.error} />
      <NewHook isOff={!isFresh} onMade={show} />
    </Card>
  )
}

interface HookProps {
  readonly hook: ListedHook
  readonly isPending: boolean
  readonly onRemove: () => void
}

const Hook = ({ hook: { name, does, createdAt, usedAt }, isPending, onRemove }: HookProps) => (
  <Group justify="space-between" gap="sm" className="block">
    <div>
      <Text size="sm" fw={600}>
        <Inert text={name} />
      </Text>
      <Quiet size="xs">
        {'summon' in does ? (
          <Trans text="speaks to <being/>" parts={{ being: <Inert text={does.summon} /> }} />
        ) : (
          <Trans text="publishes <signal/>" parts={{ signal: <Inert text={does.signal} /> }} />
        )}
        {' · '}
        <Trans text="made <time/>" parts={{ time: <Time iso={createdAt} /> }} />
        {' · '}
        {usedAt === null ? (
          t('never used')
        ) : (
          <Trans text="last used <time/>" parts={{ time: <Time iso={usedAt} /> }} />
        )}
      </Quiet>
    </div>
    <SmallButton loading={isPending} onClick={onRemove} aria-label={t('Remove {{name}}', { name })}>
      {t('Remove')}
    </SmallButton>
  </Group>
)

type HookAction = 'summon' | 'signal'

function NewHook({
  isOff,
  onMade,
}: {
  readonly isOff: boolean
  readonly onMade: (made: { readonly address: string; readonly secret: string }) => void
}) {
  const form = useForm({
    initialValues: { name: '', does: 'summon' as HookAction, target: '' },
    validate: { name: isNotEmpty(), target: isNotEmpty() },
  })
  const adding = useDeed(
    (json: { readonly name: string; readonly does: { summon: string } | { signal: string } }) =>
      api.hooks.$post({ json }),
    {
      stale: ['hooks'],
      onDone: ({ path, secret }) => {
        form.reset()
        onMade({ address: `${location.origin}${path}`, secret })
      },
    },
  )
  return (
    <Form
      form={form}
      doing={adding}
      submit={t('Make a webhook')}
      send={({ name, does, target }) => ({
        name: name.trim(),
        does: does === 'summon' ? { summon: target.trim() } : { signal: target.trim() },
      })}
      isInRow
      isOff={isOff}
    >
      <TextInput label={t('Its name')} flex="1 1 9rem" disabled={isOff} {...form.getInputProps('name')} />
      <Select
        label={t('What it does')}
        w={170}
        allowDeselect={false}
        disabled={isOff}
        data={[
          { value: 'summon', label: t('speaks to a being') },
          { value: 'signal', label: t('publishes a signal') },
        ]}
        {...form.getInputProps('does')}
      />
      <TextInput
        label={form.values.does === 'summon' ? t('Which being') : t('Which signal')}
        placeholder={form.values.does === 'summon' ? '@support' : 'weather.sky'}
        flex="1 1 9rem"
        disabled={isOff}
        {...form.getInputProps('target')}
      />
    </Form>
  )
}
