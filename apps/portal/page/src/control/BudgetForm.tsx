import { Button, Group, NumberInput, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { Answer, Trouble } from '../shell/states.tsx'

const budgetQuery = (name: string) =>
  queryOptions({
    queryKey: ['being', name, 'budget'],
    queryFn: async () => (await api.beings[':name'].budget.$get({ param: { name } })).json(),
    staleTime: 0,
  })

const LIMITS = [
  { name: 'tokens', label: 'Model tokens' },
  { name: 'money', label: 'Money' },
  { name: 'momentsPerMinute', label: 'Moments a minute' },
  { name: 'births', label: 'Births' },
  { name: 'selfContinues', label: 'Goes on by itself' },
  { name: 'hops', label: 'Hops' },
] as const
type Limit = (typeof LIMITS)[number]['name']

interface Props {
  readonly name: string
  /** the being that its limit parked; the being itself when left out */
  readonly resumes?: string
}

/** What a being and its offspring may use up. Setting it lets those go on that it had parked. */
export function BudgetForm({ name, resumes = name }: Props) {
  const budget = useQuery(budgetQuery(name))
  return (
    <Answer of={budget}>
      {({ limits, used, standard }) => (
        <Stack gap="sm">
          <Text size="sm" className="quiet">
            @{name} used {used.tokens} tokens{used.money > 0 ? `, ${used.money} money` : ''}, {used.moments}{' '}
            moments in this minute, {used.births} births.{' '}
            {standard === true ? 'The standard budget bounds it; what you set replaces that.' : ''}
          </Text>
          <SetBudget name={name} resumes={resumes} limits={limits} />
        </Stack>
      )}
    </Answer>
  )
}

interface SetProps {
  readonly name: string
  readonly resumes: string
  readonly limits: Readonly<Partial<Record<Limit, number>>> & { readonly per?: string }
}

function SetBudget({ name, resumes, limits }: SetProps) {
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(
      LIMITS.map(({ name }) => [name, limits[name] === undefined ? '' : String(limits[name])]),
    ),
  )
  const [per, setPer] = useState(limits.per ?? 'total')
  const queries = useQueryClient()
  const doing = useMutation({
    mutationFn: async (action: 'set-budget' | 'resume') => {
      const given = LIMITS.flatMap(({ name }) =>
        values[name] === undefined || values[name] === '' ? [] : [[name, Number(values[name])]],
      )
      const args = action === 'resume' ? {} : { ...Object.fromEntries(given), per }
      return (
        await api.verb.$post({ json: { call: { verb: 'do', action, target: `@${name}`, args } } })
      ).json()
    },
    onSuccess: () => queries.invalidateQueries(),
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    doing.mutate('set-budget')
  }
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          {LIMITS.map(({ name, label }) => (
            <NumberInput
              key={name}
              label={label}
              placeholder="no limit"
              min={0}
              value={values[name] ?? ''}
              onChange={(next) => setValues((all) => ({ ...all, [name]: String(next) }))}
            />
          ))}
          <Select
            label="Tokens and money count"
            allowDeselect={false}
            data={[
              { value: 'day', label: 'by the day' },
              { value: 'total', label: 'in total' },
            ]}
            value={per}
            onChange={(next) => setPer(next ?? 'total')}
          />
        </SimpleGrid>
        <Trouble error={doing.error} />
        {doing.data === undefined ? null : (
          <Text size="sm" role="status">
            Done.
          </Text>
        )}
        <Group>
          <Button type="submit" loading={doing.isPending && doing.variables === 'set-budget'}>
            Set the budget
          </Button>
          <Button
            variant="default"
            loading={doing.isPending && doing.variables === 'resume'}
            onClick={() => doing.mutate('resume')}
          >
            Let @{resumes} try again
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
