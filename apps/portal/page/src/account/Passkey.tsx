import { Group, Stack, Text, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { own } from '../api/client.ts'
import { Trans, t } from '../language/index.ts'
import { Form, Inert, Quiet, SmallButton, Time, Trouble } from '../parts/index.ts'
import { NAME_CHARS_MAX, type OwnAccount, useChange } from './queries.ts'

interface PasskeyProps {
  readonly one: OwnAccount['passkeys'][number]
  readonly isFresh: boolean
}

/** One passkey, which can be renamed and removed, and sign what its person does. */
export function Passkey({ one: { id, name, site, signs, createdAt, usedAt }, isFresh }: PasskeyProps) {
  const [isNaming, { toggle, close }] = useDisclosure()
  const signing = useChange(() => own.account.passkeys.signing.$post({ json: { id, signs: !signs } }))
  const removing = useChange(() => own.account.passkeys.remove.$post({ json: { id } }))
  return (
    <Stack gap="xs" className="block">
      <Group justify="space-between" gap="sm">
        <div className="grows">
          {isNaming ? (
            <NewName id={id} name={name} onDone={close} />
          ) : (
            <Text fw={600}>
              <Inert text={name} />
            </Text>
          )}
          <Quiet size="xs">
            <Trans
              text="for <site/> · since <time/>"
              parts={{ site: <Inert text={site} />, time: <Time iso={createdAt} /> }}
            />
            {' · '}
            {usedAt === null ? (
              t('not used yet')
            ) : (
              <Trans text="last used <time/>" parts={{ time: <Time iso={usedAt} /> }} />
            )}
            {signs ? ` · ${t('signs what you do')}` : null}
          </Quiet>
        </div>
        <Group gap="xs">
          <SmallButton disabled={!isFresh} loading={signing.isPending} onClick={() => signing.mutate()}>
            {signs ? t('Stop signing') : t('Sign with it')}
          </SmallButton>
          <SmallButton disabled={!isFresh} onClick={toggle}>
            {isNaming ? t('Cancel') : t('Rename')}
          </SmallButton>
          <SmallButton
            disabled={!isFresh || signs}
            loading={removing.isPending}
            onClick={() => removing.mutate()}
          >
            {t('Remove')}
          </SmallButton>
        </Group>
      </Group>
      <Trouble error={signing.error ?? removing.error} />
    </Stack>
  )
}

interface NewNameProps {
  readonly id: string
  readonly name: string
  readonly onDone: () => void
}

function NewName({ id, name, onDone }: NewNameProps) {
  const form = useForm({ initialValues: { name }, validate: { name: isNotEmpty() } })
  const renaming = useChange(
    (json: { name: string }) => own.account.passkeys.rename.$post({ json: { id, ...json } }),
    onDone,
  )
  return (
    <Form form={form} doing={renaming} submit={t('Rename it')} send={(values) => values} isInRow>
      <TextInput
        size="xs"
        aria-label={t('New name')}
        maxLength={NAME_CHARS_MAX}
        {...form.getInputProps('name')}
      />
    </Form>
  )
}
