import { Button, PasswordInput } from '@mantine/core'
import { hasLength, useForm } from '@mantine/form'
import { own } from '../api/client.ts'
import { t } from '../language/index.ts'
import { Card, Done, Form } from '../parts/index.ts'
import { type OwnAccount, useChange } from './queries.ts'

const PASSWORD_CHARS_MIN = 12

/** Sets, changes or removes the password. */
export function Password({ own: { hasPassword, isFresh } }: { readonly own: OwnAccount }) {
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: hasLength({ min: PASSWORD_CHARS_MIN }) },
  })
  const changing = useChange(
    (json: { password: string | null }) => own.account.password.$post({ json }),
    form.reset,
  )
  return (
    <Card
      isPart
      title={t('Password')}
      note={
        hasPassword
          ? t('You have one. A new one signs you out everywhere else.')
          : t('You have none, and need none beside a passkey.')
      }
      gap="sm"
    >
      <Form
        form={form}
        doing={changing}
        submit={hasPassword ? t('Change it') : t('Set it')}
        send={(values) => values}
        isInRow
        isOff={!isFresh}
        trailing={
          hasPassword ? (
            <Button
              variant="default"
              disabled={!isFresh}
              loading={changing.isPending}
              onClick={() => changing.mutate({ password: null })}
            >
              {t('Remove it')}
            </Button>
          ) : null
        }
        done={<Done is={changing.isSuccess} />}
      >
        <PasswordInput
          flex={1}
          miw={200}
          label={hasPassword ? t('New password') : t('Password')}
          description={t('At least {{min}} characters', {
            min: PASSWORD_CHARS_MIN,
          })}
          autoComplete="new-password"
          disabled={!isFresh}
          {...form.getInputProps('password')}
        />
      </Form>
    </Card>
  )
}
