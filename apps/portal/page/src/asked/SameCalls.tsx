import { Text } from '@mantine/core'
import { Trans, t } from '../language/index.ts'
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
      {waits < 2 ? null : (
        <div>
          {waits === 2
            ? t('The same call waits twice.')
            : t('The same call waits {{waits}} times.', { waits })}
        </div>
      )}
      {done.map(({ id, at }) => {
        const [being = '', , n] = id.split('/')
        return (
          <div key={id}>
            <Trans
              text="The same was done before: <time/>, <moment/>"
              parts={{
                time: <Time iso={at} />,
                moment: (
                  <MomentLink being={being} n={Number(n)}>
                    {t('asked in moment {{n}} of @{{being}}', { n: Number(n), being })}
                  </MomentLink>
                ),
              }}
            />
          </div>
        )
      })}
    </Text>
  )
