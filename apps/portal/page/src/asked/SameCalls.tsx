import { Text } from '@mantine/core'
import { MomentLink, Time } from '../parts/index.ts'

export interface SameCallsProps {
  /** how many equal calls wait, with this one */
  readonly waits: number
  /** equal calls that the person approved before, the newest first */
  readonly done: readonly { readonly id: string; readonly at: string }[]
}

/** That the same is asked for twice, or was done before. */
export const SameCalls = ({ waits, done }: SameCallsProps) =>
  waits < 2 && done.length === 0 ? null : (
    <Text size="sm" c="orange" component="div" role="note">
      {waits < 2 ? null : <div>The same call waits {waits === 2 ? 'twice' : `${waits} times`}.</div>}
      {done.map(({ id, at }) => {
        const [being = '', , n] = id.split('/')
        return (
          <div key={id}>
            The same was done before: <Time iso={at} />,{' '}
            <MomentLink being={being} n={Number(n)}>
              asked in moment {n} of @{being}
            </MomentLink>
          </div>
        )
      })}
    </Text>
  )
