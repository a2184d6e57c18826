import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { sessionQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { Answer, DialogButton, Empty, PageHead } from '../parts/index.ts'
import { InviteForm } from './InviteForm.tsx'
import { Person } from './Person.tsx'
import { peopleQuery } from './queries.ts'
import { type NewLink, ShownLink } from './ShownLink.tsx'

/** The persons of the one that asks: who can sign in, who is invited, and a way to invite one more. */
export function People() {
  const people = useQuery(peopleQuery)
  const { data: session } = useQuery(sessionQuery)
  const [link, show] = useState<NewLink | null>(null)
  const inviting = (
    <DialogButton label={t('Invite somebody')} title={t('Invite somebody')}>
      {(close) => (
        <InviteForm
          onMade={(made) => {
            close()
            show(made)
          }}
        />
      )}
    </DialogButton>
  )
  return (
    <Stack maw={820}>
      <PageHead title={t('People')} action={inviting}>
        {t(
          'You, and the persons that you or your offspring brought in. Each one acts as a being of its own.',
        )}
      </PageHead>
      {link === null ? null : <ShownLink link={link} onClose={() => show(null)} />}
      <Answer of={people}>
        {(all) => (
          <Stack gap="sm">
            {all.map((person) => (
              <Person
                key={person.stance}
                person={person}
                isMe={person.stance === session?.person}
                onLink={show}
              />
            ))}
            {all.length > 1 ? null : (
              <Empty title={t('Nobody else is here')}>
                {t('Invite somebody: a person is born as your child, and gets a link by which it signs in.')}
              </Empty>
            )}
          </Stack>
        )}
      </Answer>
    </Stack>
  )
}
