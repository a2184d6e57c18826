import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Refusal } from '../api/client.ts'
import { BeingLink } from '../shell/links.tsx'
import { Answer, Empty } from '../shell/states.tsx'
import { Time } from '../shell/Time.tsx'
import { Inert } from '../text/Inert.tsx'
import { Refused } from './Deed.tsx'
import { type Entry, textOfEntry } from './entries.ts'
import { OriginBadge, originText } from './Origin.tsx'
import { roleQuery, useAct } from './queries.ts'
import { roleText } from './role-text.ts'
import { type Spec, setRole } from './spec.ts'
import { Versions } from './Versions.tsx'

/** One role: its spec, who uses it, its versions, and what can be done with it. */
export function RoleInside({ name }: { readonly name: string }) {
  const role = useQuery(roleQuery(name))
  const restoring = useAct()
  return (
    <Answer of={role}>
      {(inside) => {
        const { isOpen, usedBy, others, origin, author, deleted, at } = inside
        const spec = inside.spec as Spec | null
        const versions = inside.versions as readonly (Omit<(typeof inside.versions)[number], 'spec'> & {
          spec: Spec | null
        })[]
        const restore = (seq: number) => {
          const version = versions.find((one) => one.seq === seq)
          restoring.mutate(setRole(version?.spec ?? null))
        }
        return (
          <Stack gap="md">
            <div>
              <Group gap="xs" align="baseline">
                <Title order={2}>
                  <Inert text={name} />
                </Title>
                <OriginBadge {...inside} />
              </Group>
              <Text size="sm" className="quiet">
                {originText({ origin, author, deleted })} · <Time iso={at} />
              </Text>
              {inside.description === '' ? null : (
                <Text size="sm" mt={4}>
                  <Inert text={inside.description} />
                </Text>
              )}
            </div>
            <Deeds name={name} isLive={origin === 'live'} isDeleted={deleted} canCopy={spec !== null} />
            {spec === null ? (
              isOpen ? (
                <Empty title="This role is deleted">
                  Older moments keep what they wore. Restore a version below to write it again.
                </Empty>
              ) : (
                <Empty title="Its text is not open to you">
                  What a being wrote is open to those to whom its author’s past is open, and to the makers of
                  beings that name the role. It permits: {inside.permissions.join(', ') || 'nothing'}.
                </Empty>
              )
            ) : (
              <SpecCard spec={spec} />
            )}
            <Users usedBy={usedBy} others={others} />
            <Refused error={restoring.error} />
            <Versions
              versions={versions.map(({ spec, ...rest }) => ({
                ...rest,
                text: spec === null ? null : roleText(spec),
              }))}
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

interface DeedsProps {
  readonly name: string
  readonly isLive: boolean
  readonly isDeleted: boolean
  readonly canCopy: boolean
}

/** Edit, copy and delete. A role that is named is deleted only after one more word. */
function Deeds({ name, isLive, isDeleted, canCopy }: DeedsProps) {
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const deleting = useAct(() => setAsking(false))
  const remove = (force: boolean) =>
    deleting.mutate({
      verb: 'do',
      target: '/',
      action: 'delete-role',
      args: force ? { name, force: true } : { name },
    })
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
            {isLive ? 'Edit' : 'Copy as a new role'}
          </Button>
        ) : null}
        {isLive && !isAsking ? (
          <Button size="xs" variant="default" onClick={() => setAsking(true)}>
            Delete
          </Button>
        ) : null}
        {isAsking ? (
          <>
            <Button
              size="xs"
              color="red"
              variant="outline"
              loading={deleting.isPending}
              onClick={() => remove(false)}
            >
              Delete {name}
            </Button>
            <Button size="xs" variant="default" onClick={() => setAsking(false)}>
              Keep it
            </Button>
          </>
        ) : null}
      </Group>
      <Refused error={deleting.error} />
      {isUsed ? (
        <div>
          <Button size="xs" color="red" loading={deleting.isPending} onClick={() => remove(true)}>
            Delete it all the same
          </Button>
          <Text size="xs" className="quiet" mt={4}>
            Clauses that name it then never apply, and a being whose default role it is lives no moment
            without another one.
          </Text>
        </div>
      ) : null}
    </Stack>
  )
}

const LISTS = [
  ['canSee', 'may see'],
  ['canDo', 'may do'],
  ['canSummon', 'may speak to'],
  ['canBe', 'may be'],
  ['see', 'is shown'],
] as const
const FLAGS = [
  ['requiredCognition', 'only for'],
  ['triggerOn', 'woken by'],
  ['selfContinue', 'goes on by itself'],
  ['forceToolCall', 'has to act when asked'],
  ['defaultOrientation', 'orientation'],
  ['replyTo', 'replies to'],
  ['respondMode', 'responds'],
] as const

function SpecCard({ spec }: { readonly spec: Spec }) {
  const { prompt } = spec
  return (
    <section className="card" aria-label="The role">
      <Stack gap="sm">
        <dl className="fields">
          {LISTS.map(([field, words]) => (
            <Field key={field} label={words}>
              {(spec[field] as readonly Entry[]).length === 0 ? (
                <span className="quiet">nothing</span>
              ) : (
                <Group gap={4}>
                  {(spec[field] as readonly Entry[]).map((entry) => (
                    <span key={textOfEntry(entry)} className="chip code">
                      <Inert text={textOfEntry(entry)} />
                    </span>
                  ))}
                </Group>
              )}
            </Field>
          ))}
          {FLAGS.map(([field, words]) =>
            spec[field] === undefined ? null : (
              <Field key={field} label={words}>
                <Inert text={wordsOf(spec[field])} />
              </Field>
            ),
          )}
        </dl>
        <div>
          <Text size="sm" fw={600} mb={4}>
            Its prompt
          </Text>
          <Text component="div" size="sm" className="block">
            {typeof prompt === 'string' ? (
              prompt === '' ? (
                <span className="quiet">It says nothing.</span>
              ) : (
                <Inert text={prompt} />
              )
            ) : (
              <span className="quiet">It is code: {JSON.stringify(prompt)}</span>
            )}
          </Text>
        </div>
      </Stack>
    </section>
  )
}

const Field = ({ label, children }: { readonly label: string; readonly children: React.ReactNode }) => (
  <>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </>
)

function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'nothing' : value.join(', ')
  return value === true ? 'yes' : value === false ? 'no' : String(value)
}

interface User {
  readonly stance: string
  readonly isDefault: boolean
  readonly isInFlow: boolean
  readonly wearsIt: boolean | null
}

function Users({ usedBy, others }: { readonly usedBy: readonly User[]; readonly others: number }) {
  return (
    <section className="card" aria-label="Who uses it">
      <Text size="sm" fw={600} mb={4}>
        Who uses it
      </Text>
      {usedBy.length === 0 && others === 0 ? (
        <Text size="sm" className="quiet">
          Nobody. Name it in the flow of a being: open the being, then its flow.
        </Text>
      ) : (
        <Stack gap={4}>
          {usedBy.map(({ stance, isDefault, isInFlow, wearsIt }) => (
            <Group key={stance} gap="xs">
              <Text size="sm">
                <BeingLink stance={stance} />
              </Text>
              {wearsIt === true ? (
                <Badge size="sm" variant="light" tt="none">
                  wore it last
                </Badge>
              ) : null}
              <Text size="xs" className="quiet">
                {[isDefault ? 'by default' : null, isInFlow ? 'by its flow' : null]
                  .filter(Boolean)
                  .join(', ')}
              </Text>
              {isInFlow ? (
                <Text size="xs">
                  <Link to="/beings/$name/flow" params={{ name: stance.slice(1) }}>
                    its flow
                  </Link>
                </Text>
              ) : null}
            </Group>
          ))}
          {others > 0 ? (
            <Text size="xs" className="quiet">
              {others} more {others === 1 ? 'is' : 'are'} not shown.
            </Text>
          ) : null}
        </Stack>
      )}
    </section>
  )
}
