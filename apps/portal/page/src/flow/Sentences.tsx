import { Button, Stack, Text } from '@mantine/core'
import { type ComponentProps, useState } from 'react'
import { Trans, t } from '../language/index.ts'
import { Inert, MomentLink, Quiet } from '../parts/index.ts'
import { ClauseHead, type ClauseHeadProps, ClauseShape, LitBadge } from './ClauseHead.tsx'
import { ClauseMarks } from './ClauseMarks.tsx'
import { type Side, useDrag } from './drag.ts'
import type { FlowPicture } from './marks.ts'
import { SentenceCard } from './SentenceCard.tsx'
import type { Sentence } from './sentences.ts'
import { useSentences } from './useSentences.ts'

interface SentencesProps {
  /** of the being */
  readonly name: string
  /** read once: what is written later is told by `onChange` */
  readonly start: readonly Sentence[]
  readonly roles: readonly string[]
  readonly fields: readonly string[]
  /** places of sentences in which the check found an error */
  readonly faulty: ReadonlySet<number>
  readonly defaultRole: string | null
  /** its past at each sentence; null where that is not known */
  readonly picture: FlowPicture | null
  readonly onChange: (sentences: readonly Sentence[]) => void
}

/**
 * The clauses as a column in the order in which they are judged, each a sentence with the past moments in which
 * it held. A press opens the fields of one; Alt with an arrow key moves the one that has the focus; a mouse
 * drags it.
 */
export function Sentences(props: SentencesProps) {
  const { name, start, roles, fields, faulty, picture, onChange } = props
  const { all, told, list, change, move, drop, add, remove } = useSentences(start, onChange)
  return (
    <Stack gap="sm">
      {picture === null ? null : <Legend name={name} last={picture.last} />}
      <div className="sentences">
        <ol ref={list} className="sentences" aria-label={t('Sentences')}>
          {all.map(({ id, sentence }, at) => (
            <Item
              key={id}
              id={id}
              at={at}
              name={name}
              picture={picture}
              isFaulty={faulty.has(at)}
              isFirst={at === 0}
              isLast={at === all.length - 1}
              sentence={sentence}
              roles={roles}
              fields={fields}
              onChange={(changed) => change(id, changed)}
              onMove={(step) => move(at, step)}
              onDrop={(dragged, side) => drop(dragged, at, side)}
              onRemove={() => remove(at)}
            />
          ))}
        </ol>
        <Else {...props} at={all.length} />
      </div>
      <div>
        <Button variant="default" onClick={add}>
          {t('Add a sentence')}
        </Button>
      </div>
      <div role="status" className="spoken">
        {told}
      </div>
    </Stack>
  )
}

const Legend = ({ name, last }: { readonly name: string; readonly last: number }) => (
  <Quiet size="xs">
    <Trans
      text="They are judged from the top. Full and marked “now” is what held in its last moment, <moment/>; the numbers are moments in which a sentence held."
      parts={{
        moment: (
          <MomentLink being={name} n={last}>
            {last}
          </MomentLink>
        ),
      }}
    />
  </Quiet>
)

type ItemFields = Omit<ComponentProps<typeof SentenceCard>, 'handle'> &
  Omit<ClauseHeadProps, 'handle' | 'isLit' | 'isOpen' | 'onToggle'> &
  Pick<SentencesProps, 'name' | 'picture'>

interface ItemProps extends ItemFields {
  readonly id: number
  readonly isFaulty: boolean
  readonly onDrop: (dragged: number, side: Side) => void
}

function Item({ id, isFaulty, onDrop, ...card }: ItemProps) {
  const { at, name, picture, sentence } = card
  const { item, handle, side } = useDrag(id, onDrop)
  const [isOpen, setOpen] = useState(sentence.role === '')
  const isLit = picture?.lit.has(at) === true
  return (
    <li
      ref={item}
      data-sentence={id}
      className="sentence"
      data-faulty={isFaulty}
      data-lit={isLit}
      data-drop={side ?? undefined}
      aria-label={t('Sentence {{n}}', { n: at + 1 })}
      // Before the fields see the key: one with suggestions would open their list.
      onKeyDownCapture={(event) => {
        if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
        event.preventDefault()
        event.stopPropagation()
        card.onMove(event.key === 'ArrowUp' ? -1 : 1)
      }}
    >
      <Stack gap={6}>
        <ClauseHead
          {...card}
          handle={handle}
          isLit={isLit}
          isOpen={isOpen}
          onToggle={() => setOpen(!isOpen)}
        />
        <Past name={name} of={t('sentence {{n}}', { n: at + 1 })} at={at} picture={picture} />
        {isOpen ? <SentenceCard {...card} /> : null}
      </Stack>
    </li>
  )
}

interface ClausePastProps extends Pick<SentencesProps, 'name' | 'picture'> {
  readonly of: string
  readonly at: number
}

const Past = ({ name, of, at, picture }: ClausePastProps) =>
  picture === null ? null : (
    <ClauseMarks name={name} of={of} marks={picture.marks[at] ?? []} looked={picture.looked} />
  )

/** What holds where no sentence gives a role: the end of the column. */
function Else({ name, at, defaultRole, picture }: SentencesProps & { readonly at: number }) {
  const isLit = picture?.lit.has(at) === true
  return (
    <div className="sentence" data-lit={isLit}>
      <Text size="sm" className="clause-words" component="div">
        <ClauseShape isStacked={false} isLit={isLit} />
        <span>
          <span className="word">{t('ELSE USE')}</span>{' '}
          {defaultRole === null ? (
            <span className="quiet">{t('no role: it has no default, and then lives no moment')}</span>
          ) : (
            <b>
              <Inert text={defaultRole} />
            </b>
          )}{' '}
          {isLit ? <LitBadge isStacked={false} /> : null}
        </span>
      </Text>
      <Past name={name} of={t('the default role')} at={at} picture={picture} />
    </div>
  )
}
