import { Badge, Group, NumberInput, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { Trans, t } from '../language/index.ts'
import { Answer, Card, Form, given, Inert, Quiet, SmallButton, Time, Trouble } from '../parts/index.ts'
import { type OwnAccount, tokensQuery } from './queries.ts'
import { Secret } from './Secret.tsx'

const DAYS = 30
const DAYS_MAX = 365

/** Access tokens, by which programs act: they are made, listed and revoked. */
export function Tokens({ own: { isFresh } }: { readonly own: OwnAccount }) {
  const tokens = useInfiniteQuery(tokensQuery)
  const [secret, show] = useState<string | null>(null)
  const revoking = useDeed((id: string) => api.tokens.revoke.$post({ json: { id } }), { stale: ['tokens'] })
  return (
    <Card
      isPart
      title={t('Access tokens')}
      note={t('A program that has the secret of one acts as its being, by the API and by MCP.')}
      gap="sm"
    >
      {secret === null ? null : (
        <Secret
          title={t('The secret of the new token')}
          note={t('It is not shown again. Whoever has it acts as the being of the token.')}
          secrets={[secret]}
          onClose={() => show(null)}
        />
      )}
      <Answer of={tokens}>
        {({ pages }) =>
          pages
            .flatMap(({ items }) => items)
            .map((token) => (
              <Token
                key={token.id}
                token={token}
                isPending={revoking.isPending}
                onRevoke={() => revoking.mutate(token.id)}
              />
            ))
        }
      </Answer>
      {tokens.hasNextPage ? (
        <Group>
          <SmallButton loading={tokens.isFetchingNextPage} onClick={() => tokens.fetchNextPage()}>
            {t('Older ones')}
          </SmallButton>
        </Group>
      ) : null}
      <Trouble error={revoking.error} />
      <NewToken isOff={!isFresh} onMade={show} />
    </Card>
  )
}

type ListedToken = NonNullable<Awaited<ReturnType<(typeof tokensQuery)['queryFn'] & object>>>['items'][number]

function Token({
  token: { being, issuedBy, issuedAt, expiresAt, revokedAt, terminal },
  isPending,
  onRevoke,
}: {
  readonly token: ListedToken
  readonly isPending: boolean
  readonly onRevoke: () => void
}) {
  const isOver = revokedAt !== null || Date.parse(expiresAt) < Date.now()
  return (
    <Group justify="space-between" gap="sm" className="block">
      <div>
        <Group gap={6}>
          <Text fw={600}>
            <Trans text="acts as <being/>" parts={{ being: <Inert text={being} /> }} />
          </Text>
          {isOver ? <Badge color="gray">{revokedAt === null ? t('expired') : t('revoked')}</Badge> : null}
        </Group>
        <Quiet size="xs">
          <Trans
            text="of <maker/>, <time/> · until <end/>"
            parts={{
              maker: <Inert text={issuedBy} />,
              time: <Time iso={issuedAt} />,
              end: <Time iso={expiresAt} />,
            }}
          />
        </Quiet>
        {terminal === null ? null : (
          <Quiet size="xs">
            <Trans
              text="the terminal <name/>, which asked from {{address}}"
              values={{ address: terminal.address }}
              parts={{ name: <Inert text={terminal.name} /> }}
            />
          </Quiet>
        )}
      </div>
      {isOver ? null : (
        <SmallButton loading={isPending} onClick={onRevoke}>
          {t('Revoke')}
        </SmallButton>
      )}
    </Group>
  )
}

function NewToken({ isOff, onMade }: { readonly isOff: boolean; readonly onMade: (secret: string) => void }) {
  const form = useForm({ initialValues: { being: '', days: DAYS } })
  const making = useDeed(
    (json: { readonly being?: string; readonly days: number }) => api.tokens.$post({ json }),
    {
      stale: ['tokens'],
      onDone: ({ secret }) => onMade(secret),
    },
  )
  return (
    <Form
      form={form}
      doing={making}
      submit={t('Make a token')}
      send={({ being, days }) => ({ ...given({ being: being.trim() }), days })}
      isInRow
      isOff={isOff}
    >
      <TextInput
        flex={1}
        miw={160}
        label={t('Acts as')}
        placeholder={t('yourself, or @being')}
        disabled={isOff}
        {...form.getInputProps('being')}
      />
      <NumberInput
        w={110}
        label={t('For days')}
        min={1}
        max={DAYS_MAX}
        allowDecimal={false}
        disabled={isOff}
        {...form.getInputProps('days')}
      />
    </Form>
  )
}
