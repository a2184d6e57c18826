import { ActionIcon, Badge, Group, Text, UnstyledButton } from '@mantine/core'
import type { RefObject } from 'react'
import { t } from '../language/index.ts'
import { Inert } from '../parts/index.ts'
import { whenText } from './sentence-words.ts'
import type { Sentence } from './sentences.ts'

export interface ClauseHeadProps {
  /** place in the flow, from 0 */
  readonly at: number
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly sentence: Sentence
  /** it held in the last moment */
  readonly isLit: boolean
  /** its fields are shown */
  readonly isOpen: boolean
  /** by which a mouse drags it */
  readonly handle: RefObject<HTMLSpanElement | null>
  readonly onToggle: () => void
  readonly onMove: (step: -1 | 1) => void
  readonly onRemove: () => void
}

/** A clause of the picture: what it says, and whether it held last. A press opens its fields. */
export function ClauseHead(props: ClauseHeadProps) {
  const { at, sentence, isLit, isOpen, handle, onToggle } = props
  const isStacked = sentence.stack === true
  const when = whenText(sentence)
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
      <Text
        ref={handle}
        component="span"
        size="xs"
        className="quiet handle"
        title={t('Drag it to another place')}
      >
        <span aria-hidden>⠿</span> {at + 1}
      </Text>
      <UnstyledButton className="clause-words" aria-expanded={isOpen} onClick={onToggle}>
        <ClauseShape isStacked={isStacked} isLit={isLit} />
        <span>
          <span className="spoken">{t('Sentence {{n}}', { n: at + 1 })}: </span>
          <span className="word">{when === '' ? t('ALWAYS') : t('WHEN')}</span>{' '}
          {when === '' ? null : <Inert text={when} />}{' '}
          <span className="word">{isStacked ? t('STACK') : t('USE')}</span>{' '}
          <b>
            <Inert text={sentence.role === '' ? '…' : sentence.role} />
          </b>{' '}
          {isLit ? <LitBadge isStacked={isStacked} /> : null}
        </span>
      </UnstyledButton>
      <Buttons {...props} />
    </Group>
  )
}

export const LitBadge = ({ isStacked }: { readonly isStacked: boolean }) => (
  <Badge component="span">{isStacked ? t('stacked now') : t('primary now')}</Badge>
)

interface ClauseShapeProps {
  readonly isStacked: boolean
  readonly isLit: boolean
}

/** A circle sets the primary role, a diamond stacks one. It is filled if the clause held in the last moment. */
export const ClauseShape = ({ isStacked, isLit }: ClauseShapeProps) => (
  <svg className="clause-shape" data-lit={isLit} viewBox="0 0 16 16" aria-hidden>
    {isStacked ? <path d="M8 1.5 14.5 8 8 14.5 1.5 8Z" /> : <circle cx="8" cy="8" r="6" />}
  </svg>
)

function Buttons({ at, isFirst, isLast, onMove, onRemove }: ClauseHeadProps) {
  const name = t('sentence {{n}}', { n: at + 1 })
  return (
    <Group gap={4} wrap="nowrap">
      <ActionIcon
        variant="default"
        data-button="up"
        aria-label={t('Move {{name}} up', { name })}
        title={t('Move up (Alt ↑)')}
        aria-disabled={isFirst}
        onClick={() => onMove(-1)}
      >
        ↑
      </ActionIcon>
      <ActionIcon
        variant="default"
        data-button="down"
        aria-label={t('Move {{name}} down', { name })}
        title={t('Move down (Alt ↓)')}
        aria-disabled={isLast}
        onClick={() => onMove(1)}
      >
        ↓
      </ActionIcon>
      <ActionIcon
        variant="default"
        aria-label={t('Remove {{name}}', { name })}
        title={t('Remove')}
        onClick={onRemove}
      >
        ✕
      </ActionIcon>
    </Group>
  )
}
