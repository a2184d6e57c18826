import { Stack, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { reachQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { Composer } from '../overlays/Composer.tsx'
import { Trouble } from '../parts/index.ts'
import { OperationForm } from './OperationForm.tsx'
import { SeeForm } from './SeeForm.tsx'

/** Any of the four verbs, as the person or as the being that this tab drives. */
export function VerbPanel() {
  const reach = useQuery(reachQuery)
  return (
    <Tabs defaultValue="do" keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="do">{t('Do')}</Tabs.Tab>
        <Tabs.Tab value="summon">{t('Say')}</Tabs.Tab>
        <Tabs.Tab value="see">{t('See')}</Tabs.Tab>
        <Tabs.Tab value="be">{t('Be')}</Tabs.Tab>
      </Tabs.List>
      <Stack gap="sm" pt="md">
        <Trouble error={reach.error} />
        <Tabs.Panel value="do">
          <OperationForm verb="do" choices={reach.data?.actions ?? []} />
        </Tabs.Panel>
        <Tabs.Panel value="summon">
          <Composer />
        </Tabs.Panel>
        <Tabs.Panel value="see">
          <SeeForm />
        </Tabs.Panel>
        <Tabs.Panel value="be">
          <OperationForm verb="be" choices={reach.data?.identity ?? []} />
        </Tabs.Panel>
      </Stack>
    </Tabs>
  )
}
