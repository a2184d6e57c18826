import { Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { Answer, PageHead } from '../parts/index.ts'
import { FirstSteps } from './FirstSteps.tsx'
import { Lately } from './Lately.tsx'
import { NeedsYou } from './NeedsYou.tsx'
import { TourButton } from './Tour.tsx'

/** Where one begins: what needs the person, where it was, and for who is new what this is and what to try. */
export function Home() {
  const session = useQuery(sessionQuery)
  return (
    <Answer of={session}>
      {({ reality, stance, role, uses, driver }) => (
        <Stack maw={1080}>
          <PageHead
            title={reality}
            action={
              <Group gap="xs">
                <TourButton />
              </Group>
            }
          >
            {role === null
              ? t('You are {{stance}}, and wear no role now.', { stance })
              : t('You are {{stance}}, in the role {{role}}.', { stance, role })}
          </PageHead>
          <NeedsYou isOperator={uses.all && driver === null} />
          <Lately />
          <FirstSteps uses={uses} stance={stance} />
        </Stack>
      )}
    </Answer>
  )
}
