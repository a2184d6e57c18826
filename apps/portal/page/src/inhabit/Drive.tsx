import { Button, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { own } from '../api/client.ts'
import { beginDriven, driven } from '../api/tab.ts'
import { Trans, t } from '../language/index.ts'
import { Inert, Quiet, Trouble } from '../parts/index.ts'
import { hasOwnOpener } from './lease.ts'

/** Where "Inhabit" leads, in a new tab. This tab takes the lease itself, so its secret never leaves it. */
export function Drive() {
  const { name } = useParams({ from: '/signed-in/inhabit/$name' })
  const navigate = useNavigate()
  const queries = useQueryClient()
  const hasParent = hasOwnOpener()
  const taking = useMutation({
    mutationFn: async () => (await own.inhabit.$post({ json: { being: `@${name}` } })).json(),
    onSuccess: ({ handle, being, driver }) => {
      queries.clear()
      beginDriven({ handle, being, driver, hasParent })
    },
  })
  const { mutate } = taking
  const isBegun = useRef(false)
  useEffect(() => {
    // What stands around this page is made anew once the tab drives a being, and so is this page.
    // It then stands where one speaks, looks and acts as the being.
    if (driven()?.being === `@${name}`) void navigate({ to: '/do', replace: true })
    else if (hasParent && !isBegun.current) {
      isBegun.current = true
      mutate()
    }
  }, [hasParent, mutate, name, navigate])
  return (
    <Stack align="flex-start" maw={640}>
      <Title order={1}>
        <Trans text="Inhabit <being/>" parts={{ being: <Inert text={`@${name}`} /> }} />
      </Title>
      <Text>
        {t(
          'You decide for it in this tab, and its own mind rests. It is its own again when you give it back, close this tab or the one that opened it, or sign out.',
        )}
      </Text>
      <Trouble error={taking.error} />
      {hasParent && taking.error === null ? (
        <Quiet role="status" size="md">
          {t('Taking the lease…')}
        </Quiet>
      ) : (
        <Button loading={taking.isPending} onClick={() => mutate()}>
          {t('Drive @{{name}} from this tab', { name })}
        </Button>
      )}
    </Stack>
  )
}
