import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FoundBy } from '../api/deed.ts'
import { useAct } from '../api/deed.ts'
import { t } from '../language/index.ts'
import { Answer, Empty, Inert, Quiet, Time } from '../parts/index.ts'
import { Refused } from './Deed.tsx'
import { OriginBadge, originText } from './Origin.tsx'
import { roleQuery } from './queries.ts'
import { RoleDeeds } from './RoleDeeds.tsx'
import { RoleUsers } from './RoleUsers.tsx'
import { roleText } from './role-text.ts'
import { SpecCard } from './SpecCard.tsx'
import { type Spec, setRole } from './spec.ts'
import { Versions } from './Versions.tsx'

type RoleView = FoundBy<ReturnType<typeof roleQuery>>

/** One role: its spec, who uses it, its versions, and what can be done with it. */
export function RoleInside({ name }: { readonly name: string }) {
  const role = useQuery(roleQuery(name))
  const restoring = useAct(undefined, roleQuery(name).queryKey)
  return (
    <Answer of={role}>
      {(inside) => {
        const { origin, deleted } = inside
        const spec = inside.spec as Spec | null
        const specs = inside.versions.map((version) => version.spec as Spec | null)
        const restore = (seq: number) =>
          restoring.mutate(setRole(specs[inside.versions.findIndex((one) => one.seq === seq)] ?? null))
        return (
          <Stack>
            <RoleHead name={name} of={inside} />
            <RoleDeeds name={name} isLive={origin === 'live'} isDeleted={deleted} canCopy={spec !== null} />
            {spec === null ? <NoSpec {...inside} /> : <SpecCard spec={spec} />}
            <RoleUsers {...inside} />
            <Refused error={restoring.error} />
            <Versions
              versions={inside.versions.map(({ seq, at, by, trial }, i) => {
                const spec = specs[i] ?? null
                return { seq, at, by, text: spec === null ? null : roleText(spec), trial }
              })}
              draft={null}
              onRestore={origin === 'live' ? restore : undefined}
              isRestoring={restoring.isPending}
            />
          </Stack>
        )
      }}
    </Answer>
  )
}

const RoleHead = ({ name, of }: { readonly name: string; readonly of: RoleView }) => (
  <div>
    <Group gap="xs" align="baseline">
      <Title order={2}>
        <Inert text={name} />
      </Title>
      <OriginBadge {...of} />
    </Group>
    <Quiet>
      {originText(of)} · <Time iso={of.at} />
    </Quiet>
    {of.description === '' ? null : (
      <Text size="sm" mt={4}>
        <Inert text={of.description} />
      </Text>
    )}
  </div>
)

const NoSpec = ({ isOpen, permissions }: Pick<RoleView, 'isOpen' | 'permissions'>) =>
  isOpen ? (
    <Empty title={t('This role is deleted')}>
      {t('Older moments keep what they wore. Restore a version below to write it again.')}
    </Empty>
  ) : (
    <Empty title={t('Its text is not open to you')}>
      {t(
        'What a being wrote is open to those to whom its author’s past is open, and to the makers of beings that name the role. It permits: {{permissions}}.',
        { permissions: permissions.join(', ') || t('nothing') },
      )}
    </Empty>
  )
