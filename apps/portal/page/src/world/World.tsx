import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { worldQuery } from '../api/queries.ts'
import { Answer, Empty, PageHead, plural, Quiet, Rows } from '../parts/index.ts'
import { Space } from './Space.tsx'

/** The tree of spaces, and who is in one of them. */
export function World() {
  const world = useQuery(worldQuery)
  const { at } = useSearch({ from: '/signed-in/world' })
  return (
    <Stack>
      <PageHead title="World" />
      <Answer of={world}>
        {({ spaces, here, more }) =>
          spaces.length === 0 ? (
            <Empty title="You can see no space now">Your role and its lists decide what you may see.</Empty>
          ) : (
            <div className="two">
              <nav aria-label="Spaces">
                <Rows label="Spaces" items={spaces} keyOf={({ path }) => path} height={42}>
                  {({ path, beings, within }) => (
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
                        <Quiet size="xs">
                          {[
                            within.beings > 0 ? plural(within.beings, 'being') : '',
                            // The others are in the spaces inside.
                            beings !== within.beings && beings > 0 ? `${beings} right here` : '',
                            within.things > 0 ? plural(within.things, 'thing') : '',
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
                    More spaces are there than are shown, and no number holds who is in them.
                  </Quiet>
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
