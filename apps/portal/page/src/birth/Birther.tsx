import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { sessionQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { PageHead } from '../parts/index.ts'
import { BirthCard } from './BirthCard.tsx'

/** Brings a being into the world, as a child of the one that asks. */
export function Birther() {
  const { data: session } = useQuery(sessionQuery)
  const { home } = useSearch({ from: '/signed-in/birth' })
  return (
    <Stack maw={720}>
      <PageHead title={t('Birther')}>
        {t(
          'The child is born to {{stance}}, who may inhabit it, change it and end it. It holds no more than its maker can reach. A name is taken for ever.',
          { stance: session?.stance ?? '…' },
        )}
      </PageHead>
      <BirthCard home={home} />
    </Stack>
  )
}
