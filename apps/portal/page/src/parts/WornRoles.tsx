import { Badge } from '@mantine/core'

/** The roles that a being wore in a moment, the primary one first. */
export const WornRoles = ({ roles }: { readonly roles: readonly (string | null | undefined)[] }) =>
  roles
    .filter((role) => role != null)
    .map((role, i) => (
      <Badge key={role} variant={i === 0 ? 'light' : 'outline'}>
        {role}
      </Badge>
    ))
