import { Alert, Autocomplete, Button, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type DeedBody, useAct } from '../api/deed.ts'
import { t } from '../language/index.ts'
import { Code, Form } from '../parts/index.ts'
import { typedValue } from '../text/typed-json.ts'
import { Refused } from './Deed.tsx'
import { signalsQuery } from './queries.ts'

export interface Namespace {
  readonly namespace: string
  readonly owner: string | null
  readonly publishers: readonly string[]
  readonly reserved: boolean
}

interface SignalInput {
  readonly namespace: string
  readonly key: string
  readonly value: string
}

interface PublishFormProps {
  readonly form: UseFormReturnType<SignalInput>
  readonly namespaces: readonly Namespace[]
}

const signalCall = ({ namespace, key }: SignalInput, value: unknown): DeedBody => ({
  verb: 'do',
  target: '/',
  operation: 'set-world-signal',
  args: { namespace, key, value },
})

/** Publishes a signal, or removes one. */
export function PublishForm({ form, namespaces }: PublishFormProps) {
  const publishing = useAct(undefined, signalsQuery.queryKey)
  const { namespace, key } = form.values
  const answer = publishing.data
  return (
    <section className="card" aria-label={t('Publish a signal')}>
      <Text fw={600} mb="sm">
        {t('Publish a signal')}
      </Text>
      <Form
        form={form}
        doing={publishing}
        submit={t('Publish')}
        send={(written) => signalCall(written, typedValue(written.value))}
        refused={Refused}
        done={
          answer === undefined || publishing.isPending ? null : (
            <Alert color="leaf" p="xs" role="status" title={t('Published')}>
              <Code value={answer.result} />
            </Alert>
          )
        }
        trailing={
          <Button
            variant="default"
            disabled={namespace === '' || key === '' || publishing.isPending}
            onClick={() => publishing.mutate(signalCall(form.values, null))}
          >
            {t('Remove it')}
          </Button>
        }
      >
        <Autocomplete
          label={t('Namespace')}
          description={describeOwner(
            namespace,
            namespaces.find((one) => one.namespace === namespace),
          )}
          placeholder="harmony"
          required
          data={namespaces.map((one) => one.namespace)}
          {...form.getInputProps('namespace')}
        />
        <TextInput label={t('Key')} placeholder="tick.alive" required {...form.getInputProps('key')} />
        <TextInput
          label={t('Value')}
          description={t('true, 7 and JSON are taken as such, other words as text')}
          placeholder="true"
          required
          {...form.getInputProps('value')}
        />
      </Form>
    </section>
  )
}

function describeOwner(namespace: string, owned: Namespace | undefined): string {
  if (namespace === '') return t('One word. The first to publish there owns it.')
  if (owned === undefined || owned.owner === null) return t('Nobody owns it: you will, once you publish.')
  const others =
    owned.publishers.length === 0
      ? ''
      : t(', and {{publishers}} may publish too', { publishers: owned.publishers.join(', ') })
  const whole = owned.reserved
    ? t('{{owner}} owns it, as the namespace of an extension', { owner: owned.owner })
    : t('{{owner}} owns it', { owner: owned.owner })
  return `${whole}${others}.`
}
