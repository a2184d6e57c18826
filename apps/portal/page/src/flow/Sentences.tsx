import { Button, Stack, Text } from '@mantine/core'
import { type ComponentProps, useEffect, useRef, useState } from 'react'
import { Inert } from '../parts/index.ts'
import { type Side, useDrag } from './drag.ts'
import { SentenceCard } from './SentenceCard.tsx'
import { moved, type Sentence } from './sentences.ts'

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

/** A sentence with a key that stays its own when it moves. */
interface Keyed {
  readonly id: number
  readonly sentence: Sentence
}

/** The clauses in their order, each a sentence. Alt with an arrow key moves the sentence that has the focus; a mouse drags it. */
export function Sentences({ start, roles, fields, faulty, defaultRole, onChange }: SentencesProps) {
  const [all, setAll] = useState<readonly Keyed[]>(() => start.map((sentence, id) => ({ id, sentence })))
  const [told, tell] = useState('')
  const nextId = useRef(start.length)
  const list = useRef<HTMLOListElement>(null)
  const focus = useRef<{ id: number; button: string } | null>(null)
  // A browser takes the focus from an element that is moved within the page.
  useEffect(() => {
    if (focus.current === null) return
    const { id, button } = focus.current
    focus.current = null
    list.current?.querySelector<HTMLElement>(`[data-sentence="${id}"] [data-button="${button}"]`)?.focus()
  })
  const write = (next: readonly Keyed[]) => {
    setAll(next)
    onChange(next.map(({ sentence }) => sentence))
  }
  const place = (at: number, to: number): boolean => {
    const next = moved(all, at, to)
    if (next === all) return false
    tell(`Sentence ${at + 1} is sentence ${to + 1} now`)
    write(next)
    return true
  }
  const move = (at: number, step: -1 | 1) => {
    const id = all[at]?.id
    if (id !== undefined && place(at, at + step)) focus.current = { id, button: step < 0 ? 'up' : 'down' }
  }
  const drop = (dragged: number, onto: number, side: Side) => {
    const at = all.findIndex(({ id }) => id === dragged)
    place(at, onto + (side === 'below' ? 1 : 0) - (at < onto ? 1 : 0))
  }
  const add = () => {
    const id = nextId.current++
    focus.current = { id, button: 'role' }
    write([...all, { id, sentence: { tests: null, rest: {}, role: '' } }])
  }
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
            onChange={(changed) => write(all.map((one) => (one.id === id ? { id, sentence: changed } : one)))}
            onMove={(step) => move(at, step)}
            onDrop={(dragged, side) => drop(dragged, at, side)}
            onRemove={() => {
              tell(`Sentence ${at + 1} is removed`)
              write(all.filter((one) => one.id !== id))
            }}
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
