import { Anchor, PasswordInput, Text } from '@mantine/core'
import { hasLength, useForm } from '@mantine/form'
import { useHash } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { own } from '../api/client.ts'
import { asking, useDeed } from '../api/deed.ts'
import { keepKey } from '../api/session.ts'
import { Trans, t } from '../language/index.ts'
import { Answer, Form } from '../parts/index.ts'
import { Door } from './Door.tsx'
import { makePasskey } from './passkey.ts'
import { OtherWays } from './ways.tsx'

const PASSWORD_CHARS_MIN = 12

/**
 * Where a one-time link leads: a person chooses how it signs in. The secret stands behind the `#`, which is
 * sent to no server. Another link that is opened in the same tab changes that part alone, and loads nothing.
 */
export function Welcome() {
  const [hash] = useHash({ getInitialValueInEffect: false })
  return <OpenWelcome key={hash} token={hash.slice(1)} />
}

const welcomeQuery = (token: string) =>
  asking(['link', token], own.open.link.look.$post, { json: { token } }, { gcTime: 0 })

function OpenWelcome({ token }: { readonly token: string }) {
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: hasLength({ min: PASSWORD_CHARS_MIN }) },
  })
  const navigate = useNavigate()
  const link = useQuery(welcomeQuery(token))
  const enter = ({ key }: { readonly key: string }) => {
    keepKey(key)
    void navigate({ to: '/', replace: true })
  }
  const using = useDeed(
    (json: { password: string }) => own.open.link.use.$post({ json: { token, ...json } }),
    {
      stale: null,
      onDone: enter,
    },
  )
  const byPasskey = async () => {
    const { attempt, options } = await (await own.open.link.passkey.$post({ json: { token } })).json()
    const response = await makePasskey(options)
    enter(await (await own.open.link.passkey.made.$post({ json: { token, attempt, response } })).json())
  }
  return (
    <Door title={t('Welcome')}>
      <Answer of={link}>
        {({ stance }) => (
          <>
            <Form
              form={form}
              doing={using}
              submit={t('Sign in as {{stance}}', { stance })}
              send={(values) => values}
              isWide
            >
              <Text>
                <Trans
                  text="Choose how <b/> signs in. This link works once."
                  parts={{ b: <b>{stance}</b> }}
                />
              </Text>
              <input type="text" autoComplete="username" value={stance} readOnly hidden />
              <PasswordInput
                label={t('Password')}
                description={t('At least {{min}} characters; a few words do well', {
                  min: PASSWORD_CHARS_MIN,
                })}
                autoComplete="new-password"
                required
                minLength={PASSWORD_CHARS_MIN}
                {...form.getInputProps('password')}
              />
            </Form>
            <OtherWays token={token} passkeyLabel={t('Make a passkey')} onPasskey={byPasskey} />
          </>
        )}
      </Answer>
      <Anchor href="/" size="sm">
        {t('You can sign in already? Go there')}
      </Anchor>
    </Door>
  )
}
