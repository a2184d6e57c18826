import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Refusal } from '../api/client.ts'
import { t } from '../language/index.ts'
import { Answer, Empty } from '../parts/index.ts'
import { Budgets } from './Budgets.tsx'
import { Machine } from './Machine.tsx'
import { healthQuery, useOfOwnQuery } from './queries.ts'
import { Reality } from './Reality.tsx'
import { Spending } from './Spending.tsx'

/**
 * How the reality and its machine do: for the first operator. Everybody else sees what it has used itself.
 */
export function Health() {
  const health = useQuery(healthQuery)
  const isRefused = health.error instanceof Refusal && health.error.code === 'FORBIDDEN'
  return (
    <Stack>
      <Spending />
      {isRefused ? (
        <OwnUse />
      ) : (
        <>
          <Machine />
          <Answer of={health}>{(found) => <Reality {...found} />}</Answer>
        </>
      )}
    </Stack>
  )
}

function OwnUse() {
  const use = useQuery(useOfOwnQuery)
  return (
    <Answer of={use}>
      {(budget) => (
        <>
          <Empty title={t('How the reality does is for its operator')}>
            {t('This is what you have used yourself, with all that you made.')}
          </Empty>
          <Budgets budgets={[budget]} />
        </>
      )}
    </Answer>
  )
}
