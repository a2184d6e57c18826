import { Anchor } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { own } from '../api/client.ts'
import { keepKey } from '../api/session.ts'
import { t } from '../language/index.ts'
import { Quiet, Trouble } from '../parts/index.ts'
import { Door } from './Door.tsx'
import { takeAsked } from './provider.ts'

/** Where a provider sends the browser back to: hands on what came with it, once. */
export function ProviderReturn() {
  const navigate = useNavigate()
  const finishing = useMutation({
    mutationFn: async () => {
      const asked = takeAsked()
      const query = location.search.slice(1)
      history.replaceState(history.state, '', location.pathname) // the code stays in no history
      if (asked === null) throw new Error(t('This tab asked nobody who you are: begin at the sign-in page.'))
      const { attempt, token, isConnecting } = asked
      if (isConnecting) {
        await own.account.identity.returned.$post({ json: { attempt, query } })
        return '/account'
      }
      const { key } = await (
        await own.open.provider.returned.$post({ json: { attempt, query, token } })
      ).json()
      keepKey(key)
      return '/'
    },
    onSuccess: (to) => void navigate({ to, replace: true }),
  })
  const { mutate } = finishing
  const isBegun = useRef(false)
  useEffect(() => {
    if (isBegun.current) return
    isBegun.current = true
    mutate()
  }, [mutate])
  return (
    <Door title={t('Signing in')}>
      {finishing.error === null ? (
        <Quiet role="status" size="md">
          {t('Asking who you are…')}
        </Quiet>
      ) : (
        <Trouble error={finishing.error} />
      )}
      <Anchor href="/" size="sm">
        {t('Back to the portal')}
      </Anchor>
    </Door>
  )
}
