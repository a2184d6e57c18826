import type { FlowInside } from '@treeos/client'
import { t } from '../language/index.ts'
import { Answer, BeingLink, Inert, PageHead } from '../parts/index.ts'
import '../roles/roles.css'
import './flow.css'
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { flowQuery } from '../roles/queries.ts'
import { FlowEditor } from './FlowEditor.tsx'

/** The flow of a being: when it takes which role. */
export function Flow() {
  const { name } = useParams({ from: '/signed-in/beings/$name/flow' })
  const flow = useQuery(flowQuery(name))
  return (
    <Stack>
      <PageHead title={<Inert text={t('Flow of @{{name}}', { name })} />}>
        {t('The first sentence that holds gives the role; every STACK sentence that holds adds one.')}{' '}
        <BeingLink stance={`@${name}`} />
      </PageHead>
      <Answer of={flow}>
        {(inside) => <FlowEditor key={name} name={name} inside={inside as FlowInside} />}
      </Answer>
    </Stack>
  )
}
