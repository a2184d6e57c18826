import type { ListedRole } from '@treeos/client'
import { Answer, Empty, Inert, PageHead, plural, Quiet } from '../parts/index.ts'
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
      <PageHead title="Roles" action={<Button onClick={write}>New role</Button>} />
      <Answer of={roles}>
        {(catalogs) => (
          <div className="wide" data-chosen={role !== undefined || edit === true}>
            <RoleList roles={catalogs.roles} chosen={role} />
            {edit === true ? (
              <RoleEditor key={role ?? ''} name={role ?? null} catalogs={catalogs} />
            ) : role === undefined ? (
              <Empty title="Choose a role">
                It shows what its wearers may reach, what they are told, and who wears it.
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
  mine: { label: 'Mine', fits: ({ author }: ListedRole, me: string | undefined) => author === me },
  used: { label: 'In use', fits: ({ users }: ListedRole) => users > 0 },
  all: { label: 'All', fits: () => true },
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
        aria-label="Which roles"
        data={Object.entries(WHICH).map(([value, { label }]) => ({ value, label }))}
        value={which}
        onChange={(value) => setWhich(value as WhichRoles)}
      />
      <TextInput
        aria-label="Search roles"
        placeholder={`Search ${roles.length} roles by name, origin, author`}
        value={wanted}
        onChange={(event) => setWanted(event.currentTarget.value)}
      />
      {found.length === 0 ? (
        <Empty title="No role is found">
          Look at all of them, search for fewer letters, or write a new role.
        </Empty>
      ) : (
        <nav className="list" aria-label="Roles">
          {found.slice(0, ROLES_MAX).map((role) => (
            <RoleRow key={role.name} role={role} isChosen={role.name === chosen} />
          ))}
        </nav>
      )}
      {found.length > ROLES_MAX ? (
        <Quiet size="xs">{found.length - ROLES_MAX} more: search to see them.</Quiet>
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
          {requiredCognition === null ? '' : `${requiredCognition} only · `}
          {users === 0 ? 'unused' : plural(users, 'being')}
        </Quiet>
      </Group>
    </Link>
  )
}
