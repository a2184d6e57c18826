import { Badge, Group, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import type { FoundBy } from '../api/deed.ts'
import { beingQuery } from '../api/queries.ts'
import { BeingControls } from '../control/BeingControls.tsx'
import { Answer, BeingLink, Content, Empty, Inert, Quiet } from '../parts/index.ts'
import { Moment } from './Moment.tsx'
import { Timeline } from './Timeline.tsx'
import { Writing } from './Writing.tsx'

type Found = FoundBy<ReturnType<typeof beingQuery>>

/** One being: who it is, and its past, moment by moment. */
export function Being() {
  const { name } = useParams({ from: '/signed-in/beings/$name' })
  const { n } = useSearch({ from: '/signed-in/beings/$name' })
  const being = useQuery(beingQuery(name))
  return (
    <Answer of={being}>
      {(found) => {
        const { identity, beingLineage, qualities, isPastOpen } = found
        return (
          <Stack>
            <Who name={name} of={found} />
            <BeingControls
              name={name}
              lineage={beingLineage}
              isEnded={identity.ended !== undefined}
              isDriven={identity.inhabitedBy !== undefined}
              isPaused={identity.paused !== undefined}
              isPerson={identity.cognition === 'human'}
              isPastOpen={isPastOpen}
            />
            {isPastOpen ? (
              <>
                <Writing being={name} />
                <div className="wide" data-chosen={n !== undefined}>
                  <Timeline name={name} chosen={n} />
                  {n === undefined ? (
                    <Empty title="Choose a moment">
                      It shows what woke the being, what it wore, and what it did.
                    </Empty>
                  ) : (
                    <Moment name={name} n={n} />
                  )}
                </div>
              </>
            ) : (
              <>
                <Empty title="Its past is not open to you">
                  The moments of a being are open to itself, to its makers and to the operator.
                </Empty>
                {Object.keys(qualities).length === 0 ? null : (
                  <section className="card code" aria-label="Qualities">
                    <Content value={qualities} />
                  </section>
                )}
              </>
            )}
          </Stack>
        )
      }}
    </Answer>
  )
}

/** Its name, its state, and where it comes from. */
function Who({ name, of }: { readonly name: string; readonly of: Found }) {
  const { type, address, identity, beingLineage, matters } = of
  const { ended, paused, inhabitedBy, cognition, defaultRole } = identity
  return (
    <div>
      <Group gap="xs" align="baseline">
        <Title order={1}>
          <Inert text={`@${name}`} />
        </Title>
        {ended === undefined ? null : (
          <Badge color="gray" tt="uppercase">
            ended
          </Badge>
        )}
        {paused === undefined || ended !== undefined ? null : (
          <Badge color="yellow" tt="uppercase">
            paused
          </Badge>
        )}
        {inhabitedBy === undefined ? null : <Badge color="orange">driven by {inhabitedBy}</Badge>}
      </Group>
      {type === 'unseen' ? (
        <Quiet>Your lists do not hold it now; its past is open to you.</Quiet>
      ) : (
        <Quiet>
          {cognition} · {defaultRole ?? 'no role'} ·{' '}
          <Link to="/world" search={{ at: address.path }} className="plain">
            {address.path}
          </Link>
          {beingLineage.map((maker, i) => (
            <span key={maker}>
              {i === 0 ? ' · child of ' : ', of '}
              <BeingLink stance={maker} />
            </span>
          ))}
          {' · '}
          <Link to="/beings/$name/flow" params={{ name }}>
            its flow
          </Link>
          {matters.length === 0
            ? ''
            : ` · holds ${matters.map((one) => one.replace(/^matter:/, '')).join(', ')}`}
        </Quiet>
      )}
    </div>
  )
}
