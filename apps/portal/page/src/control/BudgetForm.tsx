import { Button, NumberInput, Select, SimpleGrid, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { asking, type DeedBody, useAct } from '../api/deed.ts'
import { t } from '../language/index.ts'
import { Answer, Done, Form, Quiet } from '../parts/index.ts'
import { amountOf } from '../words/money.ts'

const budgetQuery = (name: string) =>
  asking(
    ['being', name, 'budget'],
    api.beings[':name'].budget.$get,
    { param: { name } },
    {
      staleTime: 0,
    },
  )

const LIMITS = {
  tokens: t('Model tokens'),
  money: t('Money'),
  momentsPerMinute: t('Moments a minute'),
  births: t('Births'),
  selfContinues: t('Goes on by itself'),
  hops: t('Hops'),
}
type Limits = Readonly<Partial<Record<string, number | string>>>
const PERIODS = [
  { value: 'day', label: t('by the day') },
  { value: 'total', label: t('in total') },
]

interface BudgetFormProps {
  readonly name: string
  /** the being that its limit parked; the being itself when left out */
  readonly unparks?: string
  /** the budget is set, or the being goes on */
  readonly onDone?: () => void
}

/** What a being and its offspring may use up. Setting it lets those go on that it had parked. */
export function BudgetForm({ name, unparks = name, onDone = () => undefined }: BudgetFormProps) {
  const budget = useQuery(budgetQuery(name))
  return (
    <Answer of={budget}>
      {({ limits, used, standard }) => (
        <Stack gap="sm">
          <Quiet>
            {t('@{{name}} used {{tokens}} tokens', { name, tokens: used.tokens })}
            {used.money > 0 ? t(', {{amount}} of money', { amount: amountOf(used.money) }) : ''}
            {t(', {{moments}} moments in this minute, {{births}} births.', {
              moments: used.moments,
              births: used.births,
            })}{' '}
            {standard === true ? t('The standard budget bounds it; what you set replaces that.') : ''}
          </Quiet>
          <SetBudget name={name} unparks={unparks} onDone={onDone} limits={limits} />
        </Stack>
      )}
    </Answer>
  )
}

const budgetCall = (operation: 'set-budget' | 'unpark-being', name: string, args: Limits): DeedBody => ({
  verb: 'do',
  operation,
  target: `@${name}`,
  args,
})

interface SetProps extends Required<BudgetFormProps> {
  readonly limits: Limits
}

function SetBudget({ name, unparks, onDone, limits }: SetProps) {
  const form = useForm<Limits>({ initialValues: { per: 'total', ...limits } })
  const doing = useAct(onDone)
  return (
    <Form
      form={form}
      doing={doing}
      submit={t('Set the budget')}
      send={(values) =>
        budgetCall(
          'set-budget',
          name,
          Object.fromEntries(Object.entries(values).filter(([, one]) => one !== '')),
        )
      }
      done={<Done is={doing.isSuccess} />}
      trailing={
        <Button
          variant="default"
          loading={doing.isPending}
          onClick={() => doing.mutate(budgetCall('unpark-being', unparks, {}))}
        >
          {t('Let @{{name}} try again', { name: unparks })}
        </Button>
      }
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {Object.entries(LIMITS).map(([limit, label]) => (
          <NumberInput
            key={limit}
            label={label}
            placeholder={t('no limit')}
            min={0}
            {...form.getInputProps(limit)}
            value={form.values[limit] ?? ''}
          />
        ))}
        <Select
          label={t('Tokens and money count')}
          allowDeselect={false}
          data={PERIODS}
          {...form.getInputProps('per')}
        />
      </SimpleGrid>
    </Form>
  )
}
