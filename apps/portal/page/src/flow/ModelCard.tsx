import { Button, Group, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { asking, useAct } from '../api/deed.ts'
import { beingQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { Card, Done, Quiet } from '../parts/index.ts'
import { Refused } from '../roles/Deed.tsx'
import { TrialCard } from '../trial/TrialCard.tsx'

/** What a being without a connection of its own asks. */
const DEFAULT = 'default'
const modelsQuery = asking(['trial-models'], api.trials.models.$get, {})

/**
 * The model of a being: which one it asks, and what another one would have said. Nothing is shown of a being
 * that asks none.
 */
export function ModelCard({ name }: { readonly name: string }) {
  const { data: being } = useQuery(beingQuery(name))
  const { data: known } = useQuery(modelsQuery)
  const [chosen, choose] = useState<string | null>(null)
  const setting = useAct(() => choose(null), beingQuery(name).queryKey)
  if (being === undefined || known === undefined || being.identity.cognition !== 'llm') return null
  const current = connectionIn(being.qualities)
  const model = chosen ?? current
  const set = () =>
    setting.mutate({
      ...{ verb: 'do', target: `@${name}`, operation: 'set-being' },
      args: { field: 'llm.connection', value: model === DEFAULT ? null : model },
    })
  return (
    <>
      <Card title={t('Its model')} note={t('One of the models that the operator named.')}>
        {known.models.length === 0 ? (
          <Quiet>{t('The portal knows no model, so nothing can be asked again here.')}</Quiet>
        ) : null}
        <Group gap="xs" align="flex-end">
          <NativeSelect
            size="xs"
            label={t('Model')}
            data={[...new Set([current, ...known.models])]}
            value={model}
            onChange={(event) => choose(event.currentTarget.value)}
          />
          <Button size="xs" disabled={model === current} loading={setting.isPending} onClick={set}>
            {t('Let it ask this one')}
          </Button>
        </Group>
        <Refused error={setting.error} />
        <Done is={setting.isSuccess && chosen === null} />
      </Card>
      {model === current ? null : (
        <TrialCard being={name} candidate={{ model }} title={t('Try this model')} />
      )}
    </>
  )
}

function connectionIn({ llm }: Readonly<Record<string, unknown>>): string {
  const own = typeof llm === 'object' && llm !== null && 'connection' in llm ? llm.connection : null
  return typeof own === 'string' ? own : DEFAULT
}
