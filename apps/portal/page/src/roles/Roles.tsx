import type { ListedRole } from '@treeos/client'
import { t } from '../language/index.ts'
import { Answer, Empty, Inert, PageHead, Quiet } from '../parts/index.ts'
import { mindText } from '../words/mind-text.ts'
import './roles.css'
import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { sessionQuery } from '../api/queries.ts'
import { inNameOrder } from '../text/by-name.ts'
import { OriginBadge, originText } from './Origin.tsx'
import { rolesQuery } from './queries.ts'
import { RoleEditor } from './RoleEditor.tsx'
import { RoleInside } from './RoleInside.tsx'

const ROLES_MAX = 200

/** The roles of the reality: what each is, who uses it, and the way to write one. */
export function Roles() {
  const roles = useQuery(rolesQuery)
  const { role, edit } = useSearch({ from: '/signed-in/roles' })
  const navigate = useNavigate()
  const write = () => void navigate({ to: '/roles', search: { edit: true } })
  return (
    <Stack>
      <PageHead title={t('Roles')} action={<Button onClick={write}>{t('New role')}</Button>} />
      <Answer of={roles}>
        {(catalogs) => (
          <div className="wide" data-chosen={role !== undefined || edit === true}>
            <RoleList roles={catalogs.roles} chosen={role} />
            {edit === true ? (
              <RoleEditor key={role ?? ''} name={role ?? null} catalogs={catalogs} />
            ) : role === undefined ? (
              <Empty title={t('Choose a role')}>
                {t('It shows what its wearers may reach, what they are told, and who wears it.')}
              </Empty>
            ) : (
              <RoleInside key={role} name={role} />
            )}
          </div>
        )}
      </Answer>
    </Stack>
  )
}

interface ListProps {
  readonly roles: readonly ListedRole[]
  readonly chosen: string | undefined
}

/** Which roles are listed. */
const WHICH = {
  mine: { label: t('Mine'), fits: ({ author }: ListedRole, me: string | undefined) => author === me },
  used: { label: t('In use'), fits: ({ users }: ListedRole) => users > 0 },
  all: { label: t('All'), fits: () => true },
} as const
type WhichRoles = keyof typeof WHICH

function RoleList({ roles, chosen }: ListProps) {
  const [wanted, setWanted] = useState('')
  const [which, setWhich] = useState<WhichRoles>('all')
  const { data: session } = useQuery(sessionQuery)
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean)
  const found = inNameOrder(roles, ({ name }) => name).filter((role) => {
    const text = `${role.name} ${role.origin} ${role.description} ${role.author ?? ''}`.toLowerCase()
    return WHICH[which].fits(role, session?.stance) && words.every((word) => text.includes(word))
  })
  return (
    <Stack gap="xs">
      <SegmentedControl
        size="xs"
        aria-label={t('Which roles')}
        data={Object.entries(WHICH).map(([value, { label }]) => ({ value, label }))}
        value={which}
        onChange={(value) => setWhich(value as WhichRoles)}
      />
      <TextInput
        aria-label={t('Search roles')}
        placeholder={t('Search {{length}} roles by name, origin, author', { length: roles.length })}
        value={wanted}
        onChange={(event) => setWanted(event.currentTarget.value)}
      />
      {found.length === 0 ? (
        <Empty title={t('No role is found')}>
          {t('Look at all of them, search for fewer letters, or write a new role.')}
        </Empty>
      ) : (
        <nav className="list" aria-label={t('Roles')}>
          {found.slice(0, ROLES_MAX).map((role) => (
            <RoleRow key={role.name} role={role} isChosen={role.name === chosen} />
          ))}
        </nav>
      )}
      {found.length > ROLES_MAX ? (
        <Quiet size="xs">
          {t('{{length}} more: search to see them.', { length: found.length - ROLES_MAX })}
        </Quiet>
      ) : null}
    </Stack>
  )
}

function RoleRow({ role, isChosen }: { readonly role: ListedRole; readonly isChosen: boolean }) {
  const { name, description, requiredCognition, users } = role
  return (
    <Link to="/roles" search={{ role: name }} className="row" data-chosen={isChosen}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" fw={600}>
          <Inert text={name} />
        </Text>
        <OriginBadge {...role} />
      </Group>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Quiet size="xs" lineClamp={2}>
          {description === '' ? originText(role) : <Inert text={description} />}
        </Quiet>
        <Quiet size="xs" flex="none">
          {requiredCognition === null
            ? ''
            : `${t('{{mind}} only', { mind: mindText(requiredCognition) })} · `}
          {users === 0 ? t('unused') : t('{{count}} beings', { count: users })}
        </Quiet>
      </Group>
    </Link>
  )
}
