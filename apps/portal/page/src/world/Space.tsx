import { Group, Stack, Title } from '@mantine/core'
import { useInfiniteQuery, usePrefetchQuery } from '@tanstack/react-query'
import { mapQuery, spaceQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { Answer, Card, Code, Empty, Inert, Quiet, Rows } from '../parts/index.ts'
import { inNameOrder } from '../text/by-name.ts'
import { OccupantRow } from './OccupantRow.tsx'
import { SpaceMap } from './SpaceMap.tsx'
import { Thing } from './Thing.tsx'

const THINGS_MAX = 200

/** One space: its map, who is there, and what is there. */
export function Space({ path }: { readonly path: string }) {
  usePrefetchQuery(mapQuery(path)) // not only once the space is there
  const space = useInfiniteQuery(spaceQuery(path))
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = space
  const more = hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined
  return (
    <Answer of={space}>
      {({ pages }) => {
        const [first] = pages
        if (first === undefined) return null
        const { type, owner, size, matters, qualities, population } = first
        const here = pages.flatMap((page) => page.occupants)
        // With further pages they stay as they came, so that none moves while one scrolls.
        const isWhole = pages.length === 1 && !hasNextPage
        const occupants = isWhole ? inNameOrder(here, ({ stance }) => stance) : here
        const told = [
          type,
          size === undefined ? null : `${size.x} × ${size.y}`,
          owner == null ? null : t('of {{owner}}', { owner }),
          population === 0 ? null : t('{{count}} beings', { count: population }),
        ]
        return (
          <Stack>
            <Group gap="xs" align="baseline">
              <Title order={2}>
                <Inert text={path} />
              </Title>
              <Quiet>{told.filter((part) => part !== null).join(' · ')}</Quiet>
            </Group>
            <SpaceMap path={path} />
            {occupants.length === 0 ? (
              <Empty title={t('Nobody is here')}>{t('A being moves here, or is born here.')}</Empty>
            ) : (
              <Rows
                label={t('Beings here')}
                items={occupants}
                keyOf={({ stance }) => stance}
                height={48}
                onEnd={more}
              >
                {(one) => <OccupantRow one={one} />}
              </Rows>
            )}
            <Matters matters={matters} />
            {Object.keys(qualities).length === 0 ? null : (
              <Card title={t('Qualities')} gap={4}>
                <Code value={qualities} />
              </Card>
            )}
          </Stack>
        )
      }}
    </Answer>
  )
}

const Matters = ({ matters }: { readonly matters: readonly string[] }) =>
  matters.length === 0 ? null : (
    <Card title={t('Things')} label={t('Things here')} gap={4}>
      <Group gap="xs">
        {matters.slice(0, THINGS_MAX).map((thing) => (
          <Thing key={thing} id={thing.replace(/^matter:/, '')} />
        ))}
        {matters.length > THINGS_MAX ? (
          <Quiet size="xs">{t('{{length}} more are here.', { length: matters.length - THINGS_MAX })}</Quiet>
        ) : null}
      </Group>
    </Card>
  )
