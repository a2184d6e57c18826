import { Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { own } from '../api/client.ts'
import { asking } from '../api/deed.ts'
import { t } from '../language/index.ts'
import { Answer } from '../parts/index.ts'
import { BirthForm } from './BirthForm.tsx'
import { type DeclaredForm, ExtensionForm } from './ExtensionForm.tsx'

const birthQuery = asking(['session', 'birth'], own.birth.$get, {})

/** The forms of a birth. @param home the space where the child is to start, as a map was pressed */
export function BirthCard({ home }: { readonly home?: string | undefined }) {
  const choices = useQuery(birthQuery)
  return (
    <Answer of={choices}>
      {({ forms, ...rest }) => (
        <section className="card" aria-label={t('Birth')}>
          {forms.length === 0 ? (
            <BirthForm choices={rest} home={home} />
          ) : (
            <Tabs defaultValue="birth" keepMounted={false}>
              <Tabs.List>
                <Tabs.Tab value="birth">{t('A being')}</Tabs.Tab>
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
  )
}
