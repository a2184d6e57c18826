import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { FoundBy } from '../api/deed.ts'
import { worldQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { Answer, Empty, PageHead, Quiet, Rows } from '../parts/index.ts'
import { inPathOrder } from '../text/by-name.ts'
import { Space } from './Space.tsx'

/**
 * The tree of spaces, and who is in one of them. A space that the address names is asked for beside the tree,
 * and not after it.
 */
export function World() {
  const world = useQuery(worldQuery)
  const { at } = useSearch({ from: '/signed-in/world' })
  const path = at ?? world.data?.here
  return (
    <Stack>
      <PageHead title={t('World')} />
      {world.data?.spaces.length === 0 ? (
        <Empty title={t('You can see no space now')}>
          {t('Your role and its lists decide what you may see.')}
        </Empty>
      ) : (
        <div className="two">
          <nav aria-label={t('Spaces')}>
            <Answer of={world}>{(found) => <Tree {...found} path={path} />}</Answer>
          </nav>
          {path === undefined ? null : <Space path={path} />}
        </div>
      )}
    </Stack>
  )
}

interface TreeProps extends Pick<FoundBy<typeof worldQuery>, 'spaces' | 'more'> {
  /** of the space that is shown */
  readonly path: string | undefined
}

const Tree = ({ spaces, more, path: shown }: TreeProps) => (
  <>
    <Rows
      label={t('Spaces')}
      items={inPathOrder(spaces, ({ path }) => path)}
      keyOf={({ path }) => path}
      height={42}
    >
      {({ path, beings, within }) => (
        <Link to="/world" search={{ at: path }} className="row" data-chosen={path === shown}>
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <Text size="sm" pl={12 * depthOf(path)} className="inert">
              {lastPartOf(path)}
            </Text>
            <Quiet size="xs">
              {[
                within.beings > 0 ? t('{{count}} beings', { count: within.beings }) : '',
                // The others are in the spaces inside.
                beings !== within.beings && beings > 0 ? t('{{beings}} right here', { beings }) : '',
                within.things > 0 ? t('{{count}} things', { count: within.things }) : '',
              ]
                .filter(Boolean)
                .join(', ')}
            </Quiet>
          </Group>
        </Link>
      )}
    </Rows>
    {more ? (
      <Quiet size="xs" p="xs">
        {t('More spaces are there than are shown, and no number holds who is in them.')}
      </Quiet>
    ) : null}
  </>
)

const depthOf = (path: string): number => (path === '/' ? 0 : path.split('/').length - 1)
const lastPartOf = (path: string): string => (path === '/' ? '/' : `/${path.split('/').at(-1)}`)
