import { t } from '../language/index.ts'
import { Answer, PageHead } from '../parts/index.ts'
import './roles.css'
import { Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { textOfValue } from '../flow/values.ts'
import { PublishedSignals, type SignalValues } from './PublishedSignals.tsx'
import { PublishForm } from './PublishForm.tsx'
import { signalsQuery } from './queries.ts'

/** World signals, which every flow can read: what is published, by whom, and a way to publish. */
export function Signals() {
  const signals = useQuery(signalsQuery)
  const form = useForm({ initialValues: { namespace: '', key: '', value: '' } })
  const choose = (namespace: string, key: string, now: unknown) => {
    const value = typeof now === 'object' && now !== null ? JSON.stringify(now) : textOfValue(now as string)
    form.setValues({ namespace, key, value })
  }
  return (
    <Stack>
      <PageHead title={t('Signals')} />
      <Answer of={signals}>
        {({ namespaces, values }) => (
          <div className="wide">
            <PublishForm form={form} namespaces={namespaces} />
            <PublishedSignals namespaces={namespaces} values={values as SignalValues} onChoose={choose} />
          </div>
        )}
      </Answer>
    </Stack>
  )
}
