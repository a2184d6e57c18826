import { Text } from '@mantine/core'
import { Trans, t } from '../language/index.ts'
import { Inert } from '../parts/index.ts'
import { adviceOnFailure } from './failures.ts'

interface FailureProps {
  readonly code: string | null
  readonly message: string | null
}

/** A failure in words, with what to do. */
export const Failure = ({ code, message }: FailureProps) => (
  <div className="failure">
    <Text size="sm">
      <Trans
        text="It failed: <why/>"
        parts={{ why: <Inert text={message ?? code ?? t('no reason is recorded')} /> }}
      />
    </Text>
    <Text size="sm">{adviceOnFailure(code, message).one}</Text>
  </div>
)
