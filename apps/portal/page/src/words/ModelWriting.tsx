import { t } from '../language/index.ts'
import './said.css'
import { Group, Loader, Stack, Text } from '@mantine/core'
import { type CallSoFar, useWords } from '../api/words.ts'
import { Inert, Quiet } from '../parts/index.ts'
import { type WrittenToolCall, writtenSoFar } from './tool-call-words.ts'

interface ModelWritingProps {
  readonly being: string
  /** only what it writes in this thread; of all when left out */
  readonly thread?: string
  /** what it writes in this thread is shown elsewhere */
  readonly except?: string | null
}

/** What the model of a being writes now. Nothing of it is recorded before it has decided. */
export function ModelWriting({ being, thread, except = null }: ModelWritingProps) {
  const calls = useWords(being)
  const shown = calls.filter((call) => (thread ?? call.thread) === call.thread && call.thread !== except)
  return shown.map((call) => <Call key={`${call.moment} ${call.attempt}`} being={being} call={call} />)
}

function Call({ being, call }: { readonly being: string; readonly call: CallSoFar }) {
  const { pieces, hasGap, end } = call
  return (
    <section
      className="card"
      aria-label={t('@{{being}} writes', { being })}
      aria-busy={end === null}
      data-writing={being}
    >
      <Stack gap="xs">
        <Group gap="xs">
          {end === null ? <Loader size="xs" type="dots" aria-hidden /> : null}
          <Quiet size="xs">
            @{being} {SAYS[end ?? 'now']}
            {hasGap ? ` · ${t('a part of it was not heard')}` : ''}
          </Quiet>
        </Group>
        {pieces.map(({ tool, text }, i) =>
          tool === null ? (
            <div key={i} className="said">
              <Inert text={text} />
            </div>
          ) : (
            <Tool key={i} {...writtenSoFar(tool, text)} />
          ),
        )}
      </Stack>
    </section>
  )
}

const Tool = ({ says, does }: WrittenToolCall) => (
  <div>
    <Text size="xs" fw={600}>
      <Inert text={does} />
    </Text>
    {says === '' ? null : (
      <div className="said">
        <Inert text={says} />
      </div>
    )}
  </div>
)

const SAYS = {
  now: t('writes'),
  answered: t('has written this; it is recorded when its moment ends'),
  lost: t('had written this when the call failed; nothing of it counts'),
}
