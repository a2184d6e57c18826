import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/queries.ts'
import { Trans, t } from '../language/index.ts'
import { BeingLink, PageHead } from '../parts/index.ts'
import { VerbPanel } from './VerbPanel.tsx'

/** Any of the four verbs. */
export function Do() {
  const { data } = useQuery(sessionQuery)
  return (
    <Stack maw={720}>
      <PageHead title={t('Do something')}>
        {data === undefined ? null : (
          <Trans
            text={
              data.role === null ? 'You act as <being/>.' : 'You act as <being/>, with the role {{role}}.'
            }
            values={{ role: data.role ?? '' }}
            parts={{ being: <BeingLink stance={data.stance} /> }}
          />
        )}{' '}
        {t('Its lists and the rules of the target decide.')}
      </PageHead>
      <section className="card" aria-label={t('Verbs')}>
        <VerbPanel />
      </section>
    </Stack>
  )
}
