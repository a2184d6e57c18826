import { Button, Stack, Text } from '@mantine/core'
import type { ComponentProps } from 'react'
import { Inert } from '../parts/index.ts'
import { type Side, useDrag } from './drag.ts'
import { SentenceCard } from './SentenceCard.tsx'
import type { Sentence } from './sentences.ts'
import { useSentences } from './useSentences.ts'

interface SentencesProps {
  /** read once: what is written later is told by `onChange` */
  readonly start: readonly Sentence[]
  readonly roles: readonly string[]
  readonly fields: readonly string[]
  /** places of sentences in which the check found an error */
  readonly faulty: ReadonlySet<number>
  readonly defaultRole: string | null
  readonly onChange: (sentences: readonly Sentence[]) => void
}

/**
 * The clauses in their order, each a sentence. Alt with an arrow key moves the sentence that has the focus; a
 * mouse drags it.
 */
export function Sentences({ start, roles, fields, faulty, defaultRole, onChange }: SentencesProps) {
  const { all, told, list, change, move, drop, add, remove } = useSentences(start, onChange)
  return (
    <Stack gap="sm">
      <ol ref={list} className="sentences" aria-label="Sentences">
        {all.map(({ id, sentence }, at) => (
          <Item
            key={id}
            id={id}
            at={at}
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
      <Text size="sm">
        <span className="word">ELSE USE</span>{' '}
        {defaultRole === null ? (
          <span className="quiet">no role: it has no default, and then lives no moment</span>
        ) : (
          <b>
            <Inert text={defaultRole} />
          </b>
        )}
      </Text>
      <div>
        <Button variant="default" onClick={add}>
          Add a sentence
        </Button>
      </div>
      <div role="status" className="spoken">
        {told}
      </div>
    </Stack>
  )
}

interface ItemProps extends Omit<ComponentProps<typeof SentenceCard>, 'handle'> {
  readonly id: number
  readonly isFaulty: boolean
  readonly onDrop: (dragged: number, side: Side) => void
}

function Item({ id, isFaulty, onDrop, ...card }: ItemProps) {
  const { item, handle, side } = useDrag(id, onDrop)
  return (
    <li
      ref={item}
      data-sentence={id}
      className="sentence"
      data-faulty={isFaulty}
      data-drop={side ?? undefined}
      aria-label={`Sentence ${card.at + 1}`}
      // Before the fields see the key: one with suggestions would open their list.
      onKeyDownCapture={(event) => {
        if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
        event.preventDefault()
        event.stopPropagation()
        card.onMove(event.key === 'ArrowUp' ? -1 : 1)
      }}
    >
      <SentenceCard {...card} handle={handle} />
    </li>
  )
}
