import { Text } from '@mantine/core'
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
      It failed: <Inert text={message ?? code ?? 'no reason is recorded'} />
    </Text>
    <Text size="sm">{adviceOnFailure(code, message).one}</Text>
  </div>
)
