import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { own } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { Trans, t } from '../language/index.ts'
import { Answer, Card, Form, Inert, PageHead, Quiet, Time, Trouble } from '../parts/index.ts'
import { Stale } from './Account.tsx'
import { accountQuery } from './queries.ts'

/** Where `treeos login` sends a person: it types the code of its terminal, and lets that act as itself. */
export function Terminal() {
  const account = useQuery(accountQuery)
  const looking = useDeed((code: string) => own.account.terminal.$post({ json: { code } }), { stale: null })
  const form = useForm({ initialValues: { code: '' } })
  return (
    <Stack maw={720}>
      <PageHead title={t('A terminal')}>
        {t(
          '`treeos login` shows a code in your terminal. Type it here, and the commands of that terminal act as you.',
        )}
      </PageHead>
      <Answer of={account}>
        {({ isFresh }) => (
          <>
            {isFresh ? null : <Stale />}
            <Card isPart title={t('Its code')} gap="sm">
              <Form
                form={form}
                doing={looking}
                submit={t('Look')}
                send={({ code }) => code}
                isInRow
                isOff={!isFresh}
              >
                <TextInput
                  label={t('Code')}
                  placeholder="BCDF-GHJK"
                  autoComplete="off"
                  maxLength={40}
                  disabled={!isFresh}
                  {...form.getInputProps('code')}
                />
              </Form>
              {looking.data === undefined ? null : (
                <Waiting key={looking.variables} code={looking.variables} terminal={looking.data} />
              )}
            </Card>
          </>
        )}
      </Answer>
    </Stack>
  )
}

interface WaitingProps {
  readonly code: string
  readonly terminal: { readonly name: string; readonly address: string; readonly askedAt: string }
}

function Waiting({ code, terminal: { name, address, askedAt } }: WaitingProps) {
  const allowing = useDeed(() => own.account.terminal.allow.$post({ json: { code } }), { stale: ['tokens'] })
  if (allowing.data !== undefined)
    return (
      <Text role="status">
        <Trans
          text="The terminal acts as you until <time/>. `treeos logout` ends it, as does its access token in your settings."
          parts={{ time: <Time iso={allowing.data.expiresAt} /> }}
        />
      </Text>
    )
  return (
    <Stack gap="xs">
      <Text>
        <Trans text="It calls itself <name/>." parts={{ name: <Inert text={name} /> }} />
      </Text>
      <Quiet>
        <Trans
          text="It asked from {{address}}, <time/>."
          values={{ address }}
          parts={{ time: <Time iso={askedAt} /> }}
        />
      </Quiet>
      <Text>
        {t(
          'Allow it only if you typed `treeos login` yourself. Somebody who sent you a code would act as you.',
        )}
      </Text>
      <Group>
        <Button loading={allowing.isPending} onClick={() => allowing.mutate()}>
          {t('Allow this terminal')}
        </Button>
      </Group>
      <Trouble error={allowing.error} />
    </Stack>
  )
}
