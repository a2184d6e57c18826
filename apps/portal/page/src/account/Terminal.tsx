import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { own } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
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
      <PageHead title="A terminal">
        `treeos login` shows a code in your terminal. Type it here, and the commands of that terminal act as
        you.
      </PageHead>
      <Answer of={account}>
        {({ isFresh }) => (
          <>
            {isFresh ? null : <Stale />}
            <Card isPart title="Its code" gap="sm">
              <Form
                form={form}
                doing={looking}
                submit="Look"
                send={({ code }) => code}
                isInRow
                isOff={!isFresh}
              >
                <TextInput
                  label="Code"
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
        The terminal acts as you until <Time iso={allowing.data.expiresAt} />. `treeos logout` ends it, as
        does its access token in your settings.
      </Text>
    )
  return (
    <Stack gap="xs">
      <Text>
        It calls itself <Inert text={name} />.
      </Text>
      <Quiet>
        It asked from {address}, <Time iso={askedAt} />.
      </Quiet>
      <Text>
        Allow it only if you typed `treeos login` yourself. Somebody who sent you a code would act as you.
      </Text>
      <Group>
        <Button loading={allowing.isPending} onClick={() => allowing.mutate()}>
          Allow this terminal
        </Button>
      </Group>
      <Trouble error={allowing.error} />
    </Stack>
  )
}
