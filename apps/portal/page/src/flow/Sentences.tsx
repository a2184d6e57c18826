import { Button, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Inert } from '../text/Inert.tsx'
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

/** The clauses in their order, each a sentence. Alt with an arrow key moves the sentence that has the focus. */
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
  const move = (at: number, step: -1 | 1) => {
    const next = moved(all, at, step)
    const id = all[at]?.id
    if (next === all || id === undefined) return
    focus.current = { id, button: step < 0 ? 'up' : 'down' }
    tell(`Sentence ${at + 1} is sentence ${at + 1 + step} now`)
    write(next)
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
          <li
            key={id}
            data-sentence={id}
            className="sentence"
            data-faulty={faulty.has(at)}
            aria-label={`Sentence ${at + 1}`}
            // Before the fields see the key: one with suggestions would open their list.
            onKeyDownCapture={(event) => {
              if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
              event.preventDefault()
              event.stopPropagation()
              move(at, event.key === 'ArrowUp' ? -1 : 1)
            }}
          >
            <SentenceCard
              at={at}
              isFirst={at === 0}
              isLast={at === all.length - 1}
              sentence={sentence}
              roles={roles}
              fields={fields}
              onChange={(changed) =>
                write(all.map((one) => (one.id === id ? { id, sentence: changed } : one)))
              }
              onMove={(step) => move(at, step)}
              onRemove={() => {
                tell(`Sentence ${at + 1} is removed`)
                write(all.filter((one) => one.id !== id))
              }}
            />
          </li>
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
