import { Stack, Tabs, Text, Title } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { sessionQuery } from '../api/queries.ts'
import { Answer } from '../shell/states.tsx'
import { BirthForm } from './BirthForm.tsx'
import { SpawnForm } from './SpawnForm.tsx'

const birthQuery = queryOptions({
  queryKey: ['session', 'birth'],
  queryFn: async () => (await api.birth.$get()).json(),
})

/** Brings a being into the world, as a child of the one that asks. */
export function Birther() {
  const choices = useQuery(birthQuery)
  const { data: session } = useQuery(sessionQuery)
  return (
    <Stack gap="md" maw={720}>
      <div>
        <Title order={1}>Birther</Title>
        <Text size="sm" className="quiet">
          The child is born to {session?.stance ?? '…'}, who may inhabit it, change it and end it. It holds no
          more than its maker can reach. A name is taken for ever.
        </Text>
      </div>
      <Answer of={choices}>
        {({ profiles, ...rest }) =>
          profiles === null ? (
            <section className="card" aria-label="Birth">
              <BirthForm choices={rest} />
            </section>
          ) : (
            <section className="card" aria-label="Birth">
              <Tabs defaultValue="birth" keepMounted={false}>
                <Tabs.List>
                  <Tabs.Tab value="birth">A being</Tabs.Tab>
                  <Tabs.Tab value="spawn">A child with a profile</Tabs.Tab>
                </Tabs.List>
                <Tabs.Panel value="birth" pt="md">
                  <BirthForm choices={rest} />
                </Tabs.Panel>
                <Tabs.Panel value="spawn" pt="md">
                  <SpawnForm profiles={profiles} scripts={rest.scripts} />
                </Tabs.Panel>
              </Tabs>
            </section>
          )
        }
      </Answer>
    </Stack>
  )
}
