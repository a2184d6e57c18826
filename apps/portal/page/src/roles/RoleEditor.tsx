import { Alert } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { t } from '../language/index.ts'
import { Answer } from '../parts/index.ts'
import { roleQuery } from './queries.ts'
import { type OfferedEntries, RoleForm } from './RoleForm.tsx'
import type { Spec } from './spec.ts'

const NEW_ROLE: Spec = { name: '', canSee: [], canDo: [], canSummon: [], canBe: [], see: [], prompt: '' }

interface RoleEditorProps {
  /** null writes a new role */
  readonly name: string | null
  readonly catalogs: OfferedEntries
}

/** Writes a role, or changes one. What an extension brought is copied under a name of its own. */
export const RoleEditor = ({ name, catalogs }: RoleEditorProps) =>
  name === null ? (
    <RoleForm published={null} source={NEW_ROLE} catalogs={catalogs} of="new" />
  ) : (
    <Existing name={name} catalogs={catalogs} />
  )

function Existing({ name, catalogs }: RoleEditorProps & { readonly name: string }) {
  const role = useQuery(roleQuery(name))
  return (
    <Answer of={role}>
      {({ origin, versions, usedBy }) => {
        const spec = versions.map((one) => one.spec as Spec | null).find((one) => one !== null)
        if (spec === undefined)
          return <Alert title={t('Its text is not open to you')}>{t('So it cannot be edited here.')}</Alert>
        if (origin === 'live')
          return (
            <RoleForm
              published={spec}
              source={spec}
              catalogs={catalogs}
              of={name}
              wearers={usedBy.map(({ stance }) => stance)}
            />
          )
        const prompt = typeof spec.prompt === 'string' ? spec.prompt : ''
        const copy = { ...spec, name: `${name.replace(/^.*:/, '')}-copy`, prompt }
        return (
          <RoleForm published={null} source={copy} catalogs={catalogs} of={t('copy of {{name}}', { name })} />
        )
      }}
    </Answer>
  )
}
