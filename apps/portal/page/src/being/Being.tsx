import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { FoundBy } from '../api/deed.ts'
import { beingQuery, sessionQuery } from '../api/queries.ts'
import { BeingControls } from '../control/BeingControls.tsx'
import { Trans, t } from '../language/index.ts'
import { Answer, BeingLink, Content, Empty, PageHead, StateBadges } from '../parts/index.ts'
import { Talk, useThreadWith } from '../talk/Talk.tsx'
import { ModelWriting } from '../words/ModelWriting.tsx'
import { mindText } from '../words/mind-text.ts'
import { Moment } from './Moment.tsx'
import { Timeline } from './Timeline.tsx'

type BeingView = FoundBy<ReturnType<typeof beingQuery>>

/** One being: who it is, a conversation with it, and its past, moment by moment. */
export function Being() {
  const { name } = useParams({ from: '/signed-in/beings/$name' })
  const { n } = useSearch({ from: '/signed-in/beings/$name' })
  const being = useQuery(beingQuery(name))
  return (
    <Answer of={being}>
      {(found) => (
        <Stack>
          <Who name={name} of={found} />
          <BeingControls
            name={name}
            lineage={found.beingLineage}
            isEnded={found.identity.ended !== undefined}
            isDriven={found.identity.inhabitedBy !== undefined}
            isPaused={found.identity.paused !== undefined}
            isPerson={found.identity.cognition === 'human'}
            isPastOpen={found.isPastOpen}
          />
          {name === 'birther' ? <BirthForms /> : null}
          <Life key={name} name={name} of={found} n={n} />
        </Stack>
      )}
    </Answer>
  )
}

/** What @birther does for whoever asks it. The code comes with the page of births. */
const BirthForms = () => (
  <Suspense fallback={null}>
    <BirthCard />
  </Suspense>
)
const BirthCard = lazy(async () => ({ default: (await import('../birth/BirthCard.tsx')).BirthCard }))

interface LifeProps {
  readonly name: string
  readonly of: BeingView
  /** the moment that is open; left out for none */
  readonly n: number | undefined
}

/** The conversation beside its past, or beside a moment of it. */
function Life({ name, of: { identity, qualities, isPastOpen }, n }: LifeProps) {
  const { data: session } = useQuery(sessionQuery)
  const { thread, setThread, isKnown } = useThreadWith(name)
  const mayTalk =
    session !== undefined && session.stance !== `@${name}` && identity.ended === undefined && isKnown
  const talk = mayTalk ? (
    <Talk name={name} isPastOpen={isPastOpen} thread={thread} onThread={setThread} />
  ) : null
  if (!isPastOpen)
    return (
      <>
        {talk}
        <Empty title={t('Its past is not open to you')}>
          {t('The moments of a being are open to itself, to its makers and to the operator.')}
        </Empty>
        {Object.keys(qualities).length === 0 ? null : (
          <section className="card code" aria-label={t('Qualities')}>
            <Content value={qualities} />
          </section>
        )}
      </>
    )
  if (n === undefined)
    return (
      <>
        <ModelWriting being={name} except={talk === null ? null : thread} />
        <div className={talk === null ? undefined : 'halves'}>
          {talk}
          <Timeline name={name} chosen={n} />
        </div>
      </>
    )
  return (
    <>
      <ModelWriting being={name} />
      <div className="wide" data-chosen>
        <Stack gap="sm">
          {talk === null ? null : (
            <Link to="/beings/$name" params={{ name }}>
              {t('Talk to @{{name}}', { name })}
            </Link>
          )}
          <Timeline name={name} chosen={n} />
        </Stack>
        <Moment name={name} n={n} />
      </div>
    </>
  )
}

/** Its name, its state, and where it comes from. */
function Who({ name, of }: { readonly name: string; readonly of: BeingView }) {
  const { type, address, identity, beingLineage, matters } = of
  const { inhabitedBy, cognition, defaultRole } = identity
  return (
    <PageHead title={`@${name}`} trailing={<StateBadges states={of.states} driver={inhabitedBy} />}>
      {type === 'unseen' ? (
        t('Your lists do not hold it now; its past is open to you.')
      ) : (
        <>
          {cognition === null ? '' : mindText(cognition)} · {defaultRole ?? t('no role')} ·{' '}
          <Link to="/world" search={{ at: address.path }} className="plain">
            {address.path}
          </Link>
          {beingLineage.map((maker, i) => (
            <span key={maker}>
              {i === 0 ? ' · ' : ', '}
              <Trans
                text={i === 0 ? 'child of <being/>' : 'of <being/>'}
                parts={{ being: <BeingLink stance={maker} /> }}
              />
            </span>
          ))}
          {' · '}
          <Link to="/beings/$name/flow" params={{ name }}>
            {t('its flow')}
          </Link>
          {matters.length === 0
            ? ''
            : ` · ${t('holds {{matters}}', {
                matters: matters.map((one) => one.replace(/^matter:/, '')).join(', '),
              })}`}
        </>
      )}
    </PageHead>
  )
}
