import { Autocomplete, Input, SegmentedControl, Textarea, TextInput } from '@mantine/core'
import { isNotEmpty, type UseFormReturnType, useForm } from '@mantine/form'
import { type DeedBody, useAct } from '../api/deed.ts'
import { t } from '../language/index.ts'
import { Form, given, Inert, parsed } from '../parts/index.ts'
import { BornLast } from './BornLast.tsx'

interface Choices {
  readonly scripts: readonly string[]
  readonly roles: readonly { readonly name: string; readonly description: string }[]
  readonly homes: readonly string[]
}

const EMPTY_BIRTH = {
  name: '',
  cognition: 'llm',
  script: '',
  connection: '',
  role: '',
  roleFlow: '',
  home: '',
}
const COGNITIONS = [
  { value: 'llm', label: t('A model') },
  { value: 'scripted', label: t('A script') },
  { value: 'human', label: t('A person') },
]

/** The call of a birth. @throws {Error} for a flow that is not JSON */
function birthOf({ name, script, connection, roleFlow, ...rest }: typeof EMPTY_BIRTH): DeedBody {
  const { cognition } = rest
  const args = {
    ...given({ ...rest, name: name.trim().replace(/^@/, '') }),
    ...given({ script: cognition === 'scripted' ? script : '' }),
    ...given({ connection: cognition === 'llm' ? connection : '' }),
    ...(roleFlow.trim() === '' ? {} : { roleFlow: parsed(roleFlow, t('the role flow is')) }),
  }
  return { verb: 'be', operation: 'birth', args }
}

interface BirthFormProps {
  readonly choices: Choices
  /** the space where it is to start, as a map was pressed; undefined where none was */
  readonly home: string | undefined
}

/** A birth: name, cognition, and what it wears at first. */
export function BirthForm({ choices: { scripts, roles, homes }, home = '' }: BirthFormProps) {
  const form = useForm({ initialValues: { ...EMPTY_BIRTH, home }, validate: { name: isNotEmpty() } })
  const bearing = useAct(() => form.setFieldValue('name', ''))
  const { role } = form.values
  const chosen = roles.find((one) => one.name === role.trim())
  return (
    <Form
      form={form}
      doing={bearing}
      submit={t('Give birth')}
      send={birthOf}
      done={<BornLast of={bearing} />}
    >
      <TextInput
        label={t('Name')}
        description={t('Lower-case letters, digits and hyphens')}
        placeholder="dora"
        required
        {...form.getInputProps('name')}
      />
      <Input.Wrapper label={t('Who decides for it')} labelElement="div" id="decides">
        <SegmentedControl
          display="flex"
          w="fit-content"
          aria-labelledby="decides-label"
          data={COGNITIONS}
          {...form.getInputProps('cognition')}
        />
      </Input.Wrapper>
      <Mind form={form} scripts={scripts} />
      <Autocomplete
        label={t('Default role')}
        description={
          chosen === undefined ? (
            t('Left out: citizen, if you may hand it on, which can be configured from inside; else resident')
          ) : (
            <Inert text={chosen.description} />
          )
        }
        data={roles.map((one) => one.name)}
        limit={40}
        {...form.getInputProps('role')}
      />
      <Autocomplete
        label={t('Home')}
        description={t('The space where it starts; left out, your own home')}
        data={[...homes]}
        limit={40}
        {...form.getInputProps('home')}
      />
      <Textarea
        label={t('Role flow, as JSON')}
        description={t('Clauses in order; left out, it always wears its default role')}
        placeholder={'[{"when": {"world.school.bell": true}, "role": "herald"}]'}
        classNames={{ input: 'code' }}
        minRows={2}
        maxRows={16}
        {...form.getInputProps('roleFlow')}
      />
    </Form>
  )
}

interface MindProps {
  readonly form: UseFormReturnType<typeof EMPTY_BIRTH>
  readonly scripts: readonly string[]
}

/** What its mind is told: a script, or the connection of a model. */
function Mind({ form, scripts }: MindProps) {
  const { cognition } = form.values
  if (cognition === 'scripted')
    return <Autocomplete label={t('Script')} data={[...scripts]} required {...form.getInputProps('script')} />
  return cognition === 'llm' ? (
    <TextInput
      label={t('Model connection')}
      description={t("As the operator's configuration names it; left out, the default model")}
      {...form.getInputProps('connection')}
    />
  ) : null
}
