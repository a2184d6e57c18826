import { Badge, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { RoleUser } from '@treeos/client'
import { t } from '../language/index.ts'
import { BeingLink, Card, Quiet } from '../parts/index.ts'
import { inNameOrder } from '../text/by-name.ts'

interface RoleUsersProps {
  readonly usedBy: readonly RoleUser[]
  /** how many more there are that may not be seen */
  readonly others: number
}

/** The beings that wear a role, or may come to. */
export const RoleUsers = ({ usedBy, others }: RoleUsersProps) => (
  <Card title={t('Who uses it')} gap={4}>
    {usedBy.length === 0 && others === 0 ? (
      <Quiet>{t('Nobody. Name it in the flow of a being: open the being, then its flow.')}</Quiet>
    ) : null}
    {inNameOrder(usedBy, ({ stance }) => stance).map(({ stance, isDefault, isInFlow, wearsIt }) => (
      <Group key={stance} gap="xs">
        <Text size="sm">
          <BeingLink stance={stance} />
        </Text>
        {wearsIt === true ? <Badge size="sm">{t('wore it last')}</Badge> : null}
        <Quiet size="xs">
          {[isDefault ? t('by default') : null, isInFlow ? t('by its flow') : null]
            .filter(Boolean)
            .join(', ')}
        </Quiet>
        {isInFlow ? (
          <Text size="xs">
            <Link to="/beings/$name/flow" params={{ name: stance.slice(1) }}>
              {t('its flow')}
            </Link>
          </Text>
        ) : null}
      </Group>
    ))}
    {others > 0 ? <Quiet size="xs">{t('{{count}} more are not shown.', { count: others })}</Quiet> : null}
  </Card>
)
