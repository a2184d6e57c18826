import { Badge, Group, Stack, Text, Title } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { spaceQuery, worldQuery } from '../api/queries.ts'
import { BeingLink } from '../shell/links.tsx'
import { Rows } from '../shell/Rows.tsx'
import { Answer, Empty } from '../shell/states.tsx'
import { Content, Inert } from '../text/Inert.tsx'
import { SpaceMap } from './SpaceMap.tsx'

/** The tree of spaces, and who is in one of them. */
export function World() {
  const world = useQuery(worldQuery)
  const { at } = useSearch({ from: '/signed-in/world' })
  return (
    <Stack gap="md">
      <Title order={1}>World</Title>
      <Answer of={world}>
        {({ spaces, here, more }) =>
          spaces.length === 0 ? (
            <Empty title="You can see no space now">Your role and its lists decide what you may see.</Empty>
          ) : (
            <div className="two">
              <nav aria-label="Spaces">
                <Rows label="Spaces" items={spaces} keyOf={({ path }) => path} height={42}>
                  {({ path, beings, things }) => (
                    <Link
                      to="/world"
                      search={{ at: path }}
                      className="row"
                      data-chosen={path === (at ?? here)}
                    >
                      <Group justify="space-between" wrap="nowrap" gap="xs">
                        <Text size="sm" pl={12 * depthOf(path)} className="inert">
                          {nameOf(path)}
                        </Text>
                        <Text size="xs" className="quiet">
                          {countsOf(beings, things)}
                        </Text>
                      </Group>
                    </Link>
                  )}
                </Rows>
                {more ? (
                  <Text size="xs" p="xs" className="quiet">
                    More spaces are there than are shown.
                  </Text>
                ) : null}
              </nav>
              <Space path={at ?? here} />
            </div>
          )
        }
      </Answer>
    </Stack>
  )
}

const depthOf = (path: string): number => (path === '/' ? 0 : path.split('/').length - 1)
const nameOf = (path: string): string => (path === '/' ? '/' : `/${path.split('/').at(-1)}`)

function countsOf(beings: number, things: number): string {
  const parts = [
    ...(beings > 0 ? [`${beings} ${beings === 1 ? 'being' : 'beings'}`] : []),
    ...(things > 0 ? [`${things} ${things === 1 ? 'thing' : 'things'}`] : []),
  ]
  return parts.join(', ')
}

function Space({ path }: { readonly path: string }) {
  const space = useInfiniteQuery(spaceQuery(path))
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = space
  const more = hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined
  return (
    <Answer of={space}>
      {({ pages }) => {
        const [first] = pages
        if (first === undefined) return null
        const { type, owner, size, matters, qualities, population } = first
        const occupants = pages.flatMap((page) => page.occupants)
        return (
          <Stack gap="md">
            <Group gap="xs" align="baseline">
              <Title order={2}>
                <Inert text={path} />
              </Title>
              <Text size="sm" className="quiet">
                {[
                  type,
                  size === undefined ? null : `${size.x} × ${size.y}`,
                  owner == null ? null : `of ${owner}`,
                  population === 0 ? null : `${population} ${population === 1 ? 'being' : 'beings'}`,
                ]
                  .filter((part) => part !== null)
                  .join(' · ')}
              </Text>
            </Group>
            <SpaceMap path={path} />
            {occupants.length === 0 ? (
              <Empty title="Nobody is here">A being comes by `treeos do {path} move`, or is born here.</Empty>
            ) : (
              <Rows
                label="Beings here"
                items={occupants}
                keyOf={({ stance }) => stance}
                height={48}
                onEnd={more}
              >
                {(one) => <OccupantRow one={one} />}
              </Rows>
            )}
            {matters.length === 0 ? null : (
              <section className="card" aria-label="Things here">
                <Text size="sm" fw={600} mb={4}>
                  Things
                </Text>
                <Group gap="xs">
                  {matters.slice(0, THINGS_MAX).map((thing) => (
                    <Text key={thing} size="sm" className="code inert">
                      {thing.replace(/^matter:/, '')}
                    </Text>
                  ))}
                  {matters.length > THINGS_MAX ? (
                    <Text size="xs" className="quiet">
                      {matters.length - THINGS_MAX} more are here.
                    </Text>
                  ) : null}
                </Group>
              </section>
            )}
            {Object.keys(qualities).length === 0 ? null : (
              <section className="card" aria-label="Qualities">
                <Text size="sm" fw={600} mb={4}>
                  Qualities
                </Text>
                <div className="code">
                  <Content value={qualities} />
                </div>
              </section>
            )}
          </Stack>
        )
      }}
    </Answer>
  )
}

const THINGS_MAX = 200

interface One {
  readonly stance: string
  readonly cognition: string | null
  readonly inhabitedBy: string | null
  readonly isEnded: boolean
  readonly last: {
    readonly n: number
    readonly primary: string | null
    readonly stacked: readonly string[]
    readonly words: unknown
  } | null
}

function OccupantRow({ one: { stance, cognition, inhabitedBy, isEnded, last } }: { readonly one: One }) {
  return (
    <div className="row">
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="sm">
        <Text fw={600} size="sm">
          <BeingLink stance={stance} />
        </Text>
        <Group gap={6} justify="flex-end">
          {isEnded ? (
            <Badge variant="light" color="gray">
              ended
            </Badge>
          ) : null}
          {inhabitedBy === null ? null : (
            <Badge variant="light" color="orange" tt="none">
              driven by {inhabitedBy}
            </Badge>
          )}
          {[last?.primary ?? null, ...(last?.stacked ?? [])]
            .filter((role) => role !== null)
            .map((role, i) => (
              <Badge key={role} variant={i === 0 ? 'light' : 'outline'} tt="none">
                {role}
              </Badge>
            ))}
          {cognition === null ? null : (
            <Text size="xs" className="quiet">
              {cognition}
            </Text>
          )}
        </Group>
      </Group>
      {last?.words == null ? null : (
        <Text size="sm" className="quiet" lineClamp={2}>
          “<Content value={last.words} />”
        </Text>
      )}
    </div>
  )
}
