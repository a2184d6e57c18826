import { Button, FocusTrap, Group, Portal, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { t } from '../language/index.ts'
import { Quiet, SmallButton } from '../parts/index.ts'

/**
 * The pages that the tour stops at, by their links in the navigation. Those that one has no use for are left
 * out.
 */
const STOPS = [
  {
    at: '/inbox',
    title: t('Inbox'),
    text: t('Questions for you, approvals and answers. Start here each day.'),
  },
  {
    at: '/threads',
    title: t('Threads'),
    text: t('Each conversation from its first word on, with all that it caused.'),
  },
  { at: '/world', title: t('World'), text: t('Spaces and who is in them. Choose a being to speak to it.') },
  {
    at: '/roles',
    title: t('Roles'),
    text: t('What beings may do and what they are told. Change one here, and try it first.'),
  },
  {
    at: '/health',
    title: t('Cost and health'),
    text: t('What it costs, what waits and what failed, and what to do about it.'),
  },
] as const

const linkTo = (at: string) => document.querySelector<HTMLElement>(`.pages a[href="${at}"]`)
const isSeen = (element: HTMLElement | null): element is HTMLElement => element?.checkVisibility() === true

/** Shows one page after the other. On a small screen, where the navigation is closed, the words alone. */
export function TourButton() {
  const [step, go] = useState<number | null>(null)
  const stops = STOPS.filter(({ at }) => linkTo(at) !== null)
  const stop = step === null ? undefined : stops[step]
  return (
    <>
      <SmallButton onClick={() => go(0)}>{t('Show me around')}</SmallButton>
      {stop === undefined || step === null ? null : (
        <Stop
          key={stop.at}
          {...stop}
          count={t('{{step}} of {{length}}', { step: step + 1, length: stops.length })}
          onNext={step + 1 < stops.length ? () => go(step + 1) : null}
          onEnd={() => go(null)}
        />
      )}
    </>
  )
}

interface StopProps {
  readonly at: string
  readonly title: string
  readonly text: string
  readonly count: string
  /** null: it is the last one */
  readonly onNext: (() => void) | null
  readonly onEnd: () => void
}

function Stop({ at, title, text, count, onNext, onEnd }: StopProps) {
  useEffect(() => {
    const link = linkTo(at)
    link?.classList.add('toured')
    return () => link?.classList.remove('toured')
  }, [at])
  const link = linkTo(at)
  const place = isSeen(link) ? spotNextTo(link) : { left: 16, bottom: 16 }
  return (
    <Portal>
      <FocusTrap active>
        <div
          className="tour"
          role="dialog"
          aria-label={t('Tour: {{title}}', { title })}
          style={place}
          onKeyDown={({ key }) => {
            if (key === 'Escape') onEnd()
          }}
        >
          <Group justify="space-between">
            <Text fw={600}>{title}</Text>
            <Quiet size="xs">{count}</Quiet>
          </Group>
          <Text size="sm">{text}</Text>
          <Group gap="xs" mt="sm">
            {onNext === null ? null : (
              <Button size="xs" onClick={onNext} data-autofocus>
                {t('Next')}
              </Button>
            )}
            <SmallButton onClick={onEnd}>{onNext === null ? t('Done') : t('End the tour')}</SmallButton>
          </Group>
        </div>
      </FocusTrap>
    </Portal>
  )
}

function spotNextTo(link: HTMLElement) {
  const { right, top } = link.getBoundingClientRect()
  return { left: right + 12, top: Math.min(top, window.innerHeight - 180) }
}
