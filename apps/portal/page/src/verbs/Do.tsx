import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { PageHead } from '../parts/index.ts'
import { VerbPanel } from './VerbPanel.tsx'

/** Any of the four verbs. */
export function Do() {
  const { data } = useQuery(sessionQuery)
  return (
    <Stack maw={720}>
      <PageHead title={t('Do something')}>
        {data?.role == null
          ? t('You act as {{stance}}.', { stance: data?.stance ?? '…' })
          : t('You act as {{stance}}, with the role {{role}}.', {
              stance: data.stance,
              role: data.role,
            })}{' '}
        {t('Its lists and the rules of the target decide.')}
      </PageHead>
      <section className="card" aria-label={t('Verbs')}>
        <VerbPanel />
      </section>
    </Stack>
  )
}
