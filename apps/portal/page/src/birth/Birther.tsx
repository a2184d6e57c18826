import { Stack, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { own } from '../api/client.ts'
import { asking } from '../api/deed.ts'
import { sessionQuery } from '../api/queries.ts'
import { Answer, PageHead } from '../parts/index.ts'
import { BirthForm } from './BirthForm.tsx'
import { type DeclaredForm, ExtensionForm } from './ExtensionForm.tsx'

const birthQuery = asking(['session', 'birth'], own.birth.$get, {})

/** Brings a being into the world, as a child of the one that asks. */
export function Birther() {
  const choices = useQuery(birthQuery)
  const { data: session } = useQuery(sessionQuery)
  const { home } = useSearch({ from: '/signed-in/birth' })
  return (
    <Stack maw={720}>
      <PageHead title="Birther">
        The child is born to {session?.stance ?? '…'}, who may inhabit it, change it and end it. It holds no
        more than its maker can reach. A name is taken for ever.
      </PageHead>
      <Answer of={choices}>
        {({ forms, ...rest }) => (
          <section className="card" aria-label="Birth">
            {forms.length === 0 ? (
              <BirthForm choices={rest} home={home} />
            ) : (
              <Tabs defaultValue="birth" keepMounted={false}>
                <Tabs.List>
                  <Tabs.Tab value="birth">A being</Tabs.Tab>
                  {forms.map(({ action, title }) => (
                    <Tabs.Tab key={action} value={action}>
                      {title}
                    </Tabs.Tab>
                  ))}
                </Tabs.List>
                <Tabs.Panel value="birth" pt="md">
                  <BirthForm choices={rest} home={home} />
                </Tabs.Panel>
                {(forms as readonly DeclaredForm[]).map((form) => (
                  <Tabs.Panel key={form.action} value={form.action} pt="md">
                    <ExtensionForm of={form} scripts={rest.scripts} />
                  </Tabs.Panel>
                ))}
              </Tabs>
            )}
          </section>
        )}
      </Answer>
    </Stack>
  )
}
