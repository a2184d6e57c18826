import { Button, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { Refusal } from '../api/client.ts'
import { useAct } from '../api/deed.ts'
import { t } from '../language/index.ts'
import { Quiet, SmallButton } from '../parts/index.ts'
import { Refused } from './Deed.tsx'
import { roleQuery } from './queries.ts'

interface RoleDeedsProps {
  readonly name: string
  readonly isLive: boolean
  readonly isDeleted: boolean
  readonly canCopy: boolean
}

/** Edit, copy and delete. A role that is named is deleted only after one more word. */
export function RoleDeeds({ name, isLive, isDeleted, canCopy }: RoleDeedsProps) {
  const navigate = useNavigate()
  const [isAsking, { open, close }] = useDisclosure()
  const deleting = useAct(close, roleQuery(name).queryKey)
  const remove = (args: { readonly force?: true }) =>
    deleting.mutate({ verb: 'do', target: '/', operation: 'delete-role', args: { name, ...args } })
  const isUsed = deleting.error instanceof Refusal && deleting.error.code === 'RESOURCE_CONFLICT'
  if (isDeleted) return null
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {canCopy ? (
          <Button
            size="xs"
            onClick={() => void navigate({ to: '/roles', search: { role: name, edit: true } })}
          >
            {isLive ? t('Edit') : t('Copy as a new role')}
          </Button>
        ) : null}
        {isLive && !isAsking ? <SmallButton onClick={open}>{t('Delete')}</SmallButton> : null}
        {isAsking ? (
          <>
            <SmallButton
              color="red"
              variant="outline"
              loading={deleting.isPending}
              onClick={() => remove({})}
            >
              {t('Delete {{name}}', { name })}
            </SmallButton>
            <SmallButton onClick={close}>{t('Keep it')}</SmallButton>
          </>
        ) : null}
      </Group>
      <Refused error={deleting.error} />
      {isUsed ? (
        <div>
          <Button size="xs" color="red" loading={deleting.isPending} onClick={() => remove({ force: true })}>
            {t('Delete it all the same')}
          </Button>
          <Quiet size="xs" mt={4}>
            {t(
              'Clauses that name it then never apply, and a being whose default role it is lives no moment without another one.',
            )}
          </Quiet>
        </div>
      ) : null}
    </Stack>
  )
}
