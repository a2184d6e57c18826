import { Group, Stack, Text } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import { Inert } from '../parts/index.ts'
import { type Entry, textOfEntry } from './entries.ts'
import type { Spec } from './spec.ts'

const LISTS = {
  canSee: 'may see',
  canDo: 'may do',
  canSummon: 'may speak to',
  canBe: 'may be',
  see: 'is shown',
}
const FLAGS = {
  requiredCognition: 'only for',
  triggerOn: 'woken by',
  selfContinue: 'goes on by itself',
  forceToolCall: 'has to act when asked',
  defaultOrientation: 'orientation',
  replyTo: 'replies to',
  respondMode: 'responds',
  views: 'sees',
  layout: 'prompt',
  prose: 'its prose',
}

/** What a role permits and says. */
export function SpecCard({ spec }: { readonly spec: Spec }) {
  const { prompt } = spec
  const fields: [string, ReactNode][] = [
    ...Object.entries(LISTS).map(([field, words]): [string, ReactNode] => [
      words,
      <Chips key={field} entries={spec[field] as readonly Entry[]} />,
    ]),
    ...Object.entries(FLAGS).flatMap(([field, words]): [string, ReactNode][] =>
      spec[field] === undefined ? [] : [[words, <Inert key={field} text={wordsOf(spec[field])} />]],
    ),
  ]
  return (
    <section className="card" aria-label="The role">
      <Stack gap="sm">
        <dl className="fields">
          {fields.map(([words, value]) => (
            <Fragment key={words}>
              <dt>{words}</dt>
              <dd>{value}</dd>
            </Fragment>
          ))}
        </dl>
        <div>
          <Text size="sm" fw={600} mb={4}>
            Its prompt
          </Text>
          <Text component="div" size="sm" className="block">
            {typeof prompt !== 'string' ? (
              <span className="quiet">It is code: {JSON.stringify(prompt)}</span>
            ) : prompt === '' ? (
              <span className="quiet">It says nothing.</span>
            ) : (
              <Inert text={prompt} />
            )}
          </Text>
        </div>
      </Stack>
    </section>
  )
}

const Chips = ({ entries }: { readonly entries: readonly Entry[] }) =>
  entries.length === 0 ? (
    <span className="quiet">nothing</span>
  ) : (
    <Group gap={4}>
      {entries.map((entry) => (
        <span key={textOfEntry(entry)} className="chip code">
          <Inert text={textOfEntry(entry)} />
        </span>
      ))}
    </Group>
  )

function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'nothing' : value.join(', ')
  return value === true ? 'yes' : value === false ? 'no' : String(value)
}
