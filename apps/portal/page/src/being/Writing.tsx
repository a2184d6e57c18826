import { Group, Loader, Stack, Text } from '@mantine/core'
import { type CallSoFar, useWords } from '../api/words.ts'
import { Inert, Quiet } from '../parts/index.ts'

/** What the model of a being writes now. Nothing of it is recorded before it has decided. */
export function Writing({ being, thread }: { readonly being: string; readonly thread?: string }) {
  const calls = useWords(being)
  const shown = thread === undefined ? calls : calls.filter((call) => call.thread === thread)
  return shown.map((call) => <Call key={`${call.moment} ${call.attempt}`} being={being} call={call} />)
}

function Call({ being, call }: { readonly being: string; readonly call: CallSoFar }) {
  const { pieces, hasGap, end } = call
  return (
    <section className="card" aria-label={`@${being} writes`} aria-busy={end === null} data-writing={being}>
      <Stack gap="xs">
        <Group gap="xs">
          {end === null ? <Loader size="xs" type="dots" aria-hidden /> : null}
          <Quiet size="xs">
            @{being} {SAYS[end ?? 'now']}
            {hasGap ? ' · a part of it was not heard' : ''}
          </Quiet>
        </Group>
        {pieces.map(({ tool, text }, i) => (
          <div key={i}>
            {tool === null ? null : (
              <Text size="xs" fw={600}>
                <Inert text={tool} />
              </Text>
            )}
            <div className={tool === null ? 'said' : 'code'}>
              <Inert text={text} />
            </div>
          </div>
        ))}
      </Stack>
    </section>
  )
}

const SAYS = {
  now: 'writes',
  answered: 'has written this; it is recorded when its moment ends',
  lost: 'had written this when the call failed; nothing of it counts',
}
