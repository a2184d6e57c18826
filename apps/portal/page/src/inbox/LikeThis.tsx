import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { doOf, type FoundBy, useDeed } from '../api/deed.ts'
import { Trans, t } from '../language/index.ts'
import { Block, Inert, Quiet, SmallButton, Time, Trouble } from '../parts/index.ts'
import { approvalsQuery } from './queries.ts'

type Proposal = NonNullable<FoundBy<typeof approvalsQuery>['items'][number]['likeThis']>

/** Beside a call that waits: a rule that would ask less, where the person approved many calls like it. */
export function LikeThis({ id }: { readonly id: string }) {
  const { data } = useQuery(approvalsQuery)
  const proposal = data?.items.find((one) => one.id === id)?.likeThis
  return proposal === undefined ? null : <Proposed id={id} proposal={proposal} />
}

function Proposed({ id, proposal }: { readonly id: string; readonly proposal: Proposal }) {
  const { approved, space, field, value, free } = proposal
  const preview = useDeed(() => api.approvals['let-through'].$post({ json: { id } }), { stale: null })
  const queries = useQueryClient()
  const setting = useDeed(
    async () => {
      const { items } = await queries.fetchQuery({ ...approvalsQuery, staleTime: 0 })
      const now = items.find((one) => one.id === id)?.likeThis
      if (JSON.stringify(now) !== JSON.stringify(proposal)) throw new Error(CHANGED)
      return doOf({ operation: 'set-space', target: space, args: { field, value } })
    },
    { stale: [] },
  )
  return (
    <section className="card" aria-label={t('Ask me less')}>
      <Stack gap="xs">
        <Text size="sm" fw={600}>
          {t('You said yes to {{approved}} like this: make it a rule', { approved })}
        </Text>
        <Quiet size="xs">
          {t('Then only what goes beyond these is asked about. This call still waits for your answer.')}
        </Quiet>
        <Block value={value} />
        {free.length === 0 ? null : (
          <Text size="sm" c="orange">
            <Trans
              text="It does not bound <text/>, which may then be anything, nor arguments that none of these calls had."
              parts={{ text: <Inert text={free.join(', ')} /> }}
            />
          </Text>
        )}
        <Group gap="sm">
          <SmallButton loading={preview.isPending} onClick={() => preview.mutate()}>
            {t('What it would have let through')}
          </SmallButton>
          <Button
            size="xs"
            loading={setting.isPending}
            disabled={setting.isSuccess}
            onClick={() => setting.mutate()}
          >
            {t('Set this rule in {{space}}', { space })}
          </Button>
        </Group>
        {setting.isSuccess ? (
          <Text size="sm" role="status">
            {t('The rule is set.')}
          </Text>
        ) : null}
        {preview.data === undefined ? null : <Through {...preview.data} />}
        <Trouble error={preview.error ?? setting.error} />
      </Stack>
    </section>
  )
}

const CHANGED = t('The rule, or what you approved, is not what is shown any more: look at it again.')

interface ThroughProps {
  readonly compared: number
  readonly calls: readonly {
    readonly moment: string
    readonly n: number
    readonly openedAt: string
    readonly call: unknown
  }[]
}

const Through = ({ compared, calls }: ThroughProps) => (
  <Stack gap={4}>
    <Text size="sm" role="status">
      {t('{{length}} of the last {{compared}} that you approved would not have been asked about.', {
        length: calls.length,
        compared,
      })}
    </Text>
    <Stack gap={0} component="ol" m={0} pl={0} className="versions">
      {calls.map(({ moment, n, openedAt, call }) => (
        <li key={moment}>
          <Text size="sm">
            <Trans
              text="moment {{n}}, <time/>: <text/>"
              values={{ n }}
              parts={{ time: <Time iso={openedAt} />, text: <Inert text={JSON.stringify(call)} /> }}
            />
          </Text>
        </li>
      ))}
    </Stack>
  </Stack>
)
