import { PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { own } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { keepKey } from '../api/session.ts'
import { t } from '../language/index.ts'
import { Form, Quiet } from '../parts/index.ts'
import { Door } from './Door.tsx'
import { findPasskey } from './passkey.ts'
import { OtherWays } from './ways.tsx'

/** Shown in place of every page while nobody is signed in. */
export function SignIn() {
  const form = useForm({ initialValues: { name: '', password: '' } })
  const signingIn = useDeed((json: typeof form.values) => own.open['sign-in'].$post({ json }), {
    stale: null,
    onDone: ({ key }) => keepKey(key),
  })
  const byPasskey = async () => {
    const { attempt, options } = await (await own.open.passkey.$post({ json: { mediation: 'modal' } })).json()
    const response = await findPasskey(options)
    keepKey((await (await own.open.passkey.used.$post({ json: { attempt, response } })).json()).key)
  }
  return (
    <Door title={t('Sign in')}>
      <Form form={form} doing={signingIn} submit={t('Sign in')} send={(values) => values} isWide>
        <TextInput
          label={t('Name')}
          placeholder="@operator"
          autoComplete="username"
          required
          {...form.getInputProps('name')}
        />
        <PasswordInput
          label={t('Password')}
          autoComplete="current-password"
          required
          {...form.getInputProps('password')}
        />
      </Form>
      <OtherWays token={null} passkeyLabel={t('Use a passkey')} onPasskey={byPasskey} />
      <Quiet>
        {t(
          'New here, or no way in is left? Ask who invited you, or whoever runs this portal, for a new link.',
        )}
      </Quiet>
    </Door>
  )
}
