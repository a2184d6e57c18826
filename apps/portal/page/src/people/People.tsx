import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { sessionQuery } from '../api/queries.ts'
import { Dialog } from '../shell/Dialog.tsx'
import { BeingLink } from '../shell/links.tsx'
import { Answer, Empty, Trouble } from '../shell/states.tsx'
import { Time } from '../shell/Time.tsx'
import { InviteForm } from './InviteForm.tsx'
import { type NewLink, ShownLink } from './ShownLink.tsx'

const DAY_HOURS = 24

const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: async () => (await api.people.$get()).json(),
})
type Person = Awaited<ReturnType<NonNullable<typeof peopleQuery.queryFn>>>[number]

/** The persons of the one that asks: who can sign in, who is invited, and a way to invite one more. */
export function People() {
  const people = useQuery(peopleQuery)
  const { data: session } = useQuery(sessionQuery)
  const queries = useQueryClient()
  const [isInviting, setInviting] = useState(false)
  const [link, setLink] = useState<NewLink | null>(null)
  const show = (made: NewLink) => {
    setInviting(false)
    setLink(made)
    void queries.invalidateQueries({ queryKey: peopleQuery.queryKey })
  }
  return (
    <Stack gap="md" maw={820}>
      <Group justify="space-between" align="flex-start">
        <div className="grows">
          <Title order={1}>People</Title>
          <Text size="sm" className="quiet">
            You, and the persons that you or your offspring brought in. Each one acts as a being of its own.
          </Text>
        </div>
        <Button onClick={() => setInviting(true)}>Invite somebody</Button>
      </Group>
      <Dialog opened={isInviting} onClose={() => setInviting(false)} title="Invite somebody">
        <InviteForm onMade={show} />
      </Dialog>
      {link === null ? null : <ShownLink link={link} onClose={() => setLink(null)} />}
      <Answer of={people}>
        {(all) => (
          <Stack gap="sm">
            {all.map((person) => (
              <One
                key={person.stance}
                person={person}
                isMe={person.stance === session?.person}
                onLink={show}
              />
            ))}
            {all.length > 1 ? null : (
              <Empty title="Nobody else is here">
                Invite somebody: a person is born as your child, and gets a link by which it signs in.
              </Empty>
            )}
          </Stack>
        )}
      </Answer>
    </Stack>
  )
}

interface OneProps {
  readonly person: Person
  readonly isMe: boolean
  readonly onLink: (link: NewLink) => void
}

function One({ person: { stance, hasAccount, seenAt, invitation }, isMe, onLink }: OneProps) {
  const queries = useQueryClient()
  const [isRemoving, setRemoving] = useState(false)
  const refresh = () => queries.invalidateQueries({ queryKey: peopleQuery.queryKey })
  const linking = useMutation({
    mutationFn: async () => (await api.people.link.$post({ json: { stance, hours: DAY_HOURS } })).json(),
    onSuccess: (made) => onLink({ ...made, hours: DAY_HOURS }),
  })
  const revoking = useMutation({
    mutationFn: () => api.people.revoke.$post({ json: { stance } }),
    onSettled: refresh,
  })
  const removing = useMutation({
    mutationFn: () => api.people.remove.$post({ json: { stance } }),
    onSuccess: () => setRemoving(false),
    onSettled: refresh,
  })
  return (
    <section className="card" aria-label={stance}>
      <Group justify="space-between" gap="sm">
        <div className="grows">
          <Text fw={600}>
            <BeingLink stance={stance} />
            {isMe ? <span className="quiet"> (you)</span> : null}
          </Text>
          <Text size="sm" className="quiet">
            {hasAccount ? 'Can sign in' : 'Cannot sign in yet'}
            {seenAt === null ? null : (
              <>
                {' · '}last seen <Time iso={seenAt} />
              </>
            )}
            {invitation === null ? null : (
              <>
                {' · '}
                {invitation.isOver ? 'its link was over ' : 'its link is good until '}
                <Time iso={invitation.expiresAt} />
                {invitation.madeBy === null ? null : `, made by ${invitation.madeBy}`}
              </>
            )}
          </Text>
        </div>
        <Group gap="xs">
          <Button size="xs" variant="default" loading={linking.isPending} onClick={() => linking.mutate()}>
            New link
          </Button>
          {invitation === null || invitation.isOver ? null : (
            <Button
              size="xs"
              variant="default"
              loading={revoking.isPending}
              onClick={() => revoking.mutate()}
            >
              Revoke its link
            </Button>
          )}
          {hasAccount && !isMe ? (
            <Button size="xs" variant="default" onClick={() => setRemoving(true)}>
              Take its account away
            </Button>
          ) : null}
        </Group>
      </Group>
      <Trouble error={linking.error ?? revoking.error} />
      <Dialog
        opened={isRemoving}
        onClose={() => setRemoving(false)}
        title={`Take the account of ${stance} away`}
      >
        <Stack gap="sm">
          <Text size="sm">
            Its password and passkeys are deleted, and it is signed out everywhere. The being lives on, and a
            new link lets the person in again.
          </Text>
          <Trouble error={removing.error} />
          <Group>
            <Button color="red" loading={removing.isPending} onClick={() => removing.mutate()}>
              Take it away
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </section>
  )
}
