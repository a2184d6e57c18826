import './roles.css'
import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Answer, Empty } from '../shell/states.tsx'
import { Inert } from '../text/Inert.tsx'
import { OriginBadge, originText } from './Origin.tsx'
import { rolesQuery } from './queries.ts'
import { RoleEditor } from './RoleEditor.tsx'
import { RoleInside } from './RoleInside.tsx'

const SHOWN_MAX = 200

interface Listed {
  readonly name: string
  readonly origin: string
  readonly description: string
  readonly requiredCognition: string | null
  readonly users: number
  readonly author: string | null
  readonly deleted: boolean
}

/** The roles of the reality: what each is, who uses it, and the way to write one. */
export function Roles() {
  const roles = useQuery(rolesQuery)
  const { role, edit } = useSearch({ from: '/signed-in/roles' })
  const navigate = useNavigate()
  const isChosen = role !== undefined || edit === true
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1}>Roles</Title>
        <Button onClick={() => void navigate({ to: '/roles', search: { edit: true } })}>New role</Button>
      </Group>
      <Answer of={roles}>
        {(catalogs) => (
          <div className="wide" data-chosen={isChosen}>
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

function RoleList({
  roles,
  chosen,
}: {
  readonly roles: readonly Listed[]
  readonly chosen: string | undefined
}) {
  const [wanted, setWanted] = useState('')
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean)
  const found = roles.filter((role) => {
    const text = `${role.name} ${role.origin} ${role.description} ${role.author ?? ''}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return (
    <Stack gap="xs">
      <TextInput
        aria-label="Search roles"
        placeholder={`Search ${roles.length} roles by name, origin, author`}
        value={wanted}
        onChange={(event) => setWanted(event.currentTarget.value)}
      />
      {found.length === 0 ? (
        <Empty title="No role is found">Search for fewer letters, or write a new role.</Empty>
      ) : (
        <nav className="list" aria-label="Roles">
          {found.slice(0, SHOWN_MAX).map((role) => (
            <RoleRow key={role.name} role={role} isChosen={role.name === chosen} />
          ))}
        </nav>
      )}
      {found.length > SHOWN_MAX ? (
        <Text size="xs" className="quiet">
          {found.length - SHOWN_MAX} more: search to see them.
        </Text>
      ) : null}
    </Stack>
  )
}

function RoleRow({ role, isChosen }: { readonly role: Listed; readonly isChosen: boolean }) {
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
        <Text size="xs" className="quiet" lineClamp={2}>
          {description === '' ? originText(role) : <Inert text={description} />}
        </Text>
        <Text size="xs" className="quiet" style={{ flexShrink: 0 }}>
          {requiredCognition === null ? '' : `${requiredCognition} only · `}
          {users === 0 ? 'unused' : `${users} ${users === 1 ? 'being' : 'beings'}`}
        </Text>
      </Group>
    </Link>
  )
}
