import { AppShell } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query'
import { Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { followLive } from '../api/live.ts'
import { sessionQuery } from '../api/queries.ts'
import { newQueryClient } from '../api/query-client.ts'
import { onKeyChange, sessionKey } from '../api/session.ts'
import { type DrivenBeing, driven, onDrivenChange } from '../api/tab.ts'
import { SignIn } from '../door/SignIn.tsx'
import { useNotifications } from '../inbox/notified-kinds.ts'
import { useInboxAnew } from '../inbox/queries.ts'
import { BANNER_PX, Banner } from '../inhabit/Banner.tsx'
import { endWithTabs, renewLease } from '../inhabit/lease.ts'
import { Over } from '../inhabit/Over.tsx'
import { t } from '../language/index.ts'
import { Answer } from '../parts/index.ts'
import { HEADER_PX, Header } from './Header.tsx'
import { Navigation } from './Navigation.tsx'
import { Notices } from './Notices.tsx'
import { Palette } from './Palette.tsx'

/** What every page stands in. It holds nothing of an earlier session: each one makes it anew. */
export function Shell() {
  const key = useSyncExternalStore(onKeyChange, sessionKey)
  return <Session key={key ?? ''} isSignedIn={key !== null} />
}

/**
 * Each session has its own cache, so nobody sees what the person before asked for. Another tab may begin a
 * session, too.
 */
function Session({ isSignedIn }: { readonly isSignedIn: boolean }) {
  const [queries] = useState(newQueryClient)
  const tab = useSyncExternalStore(onDrivenChange, driven)
  useEffect(endWithTabs, [])
  return (
    <QueryClientProvider client={queries}>
      {!isSignedIn ? (
        <SignIn />
      ) : tab !== null && tab.over !== null ? (
        <Over tab={tab} />
      ) : (
        <Frame key={tab?.handle ?? ''} tab={tab} />
      )}
    </QueryClientProvider>
  )
}

function Frame({ tab }: { readonly tab: DrivenBeing | null }) {
  const [isOpen, { toggle, close }] = useDisclosure()
  const [isLive, setLive] = useState(true)
  const session = useQuery(sessionQuery)
  const queries = useQueryClient()
  const { pathname } = useLocation()
  useInboxAnew()
  useNotifications()
  const [until, setUntil] = useState<number | null>(null)
  useEffect(() => {
    const renew = async () => {
      const next = await renewLease()
      if (next !== null) setUntil(next)
    }
    return followLive(queries, setLive, () => void renew())
  }, [queries])
  useEffect(close, [pathname])
  return (
    <AppShell
      header={{ height: tab === null ? HEADER_PX : HEADER_PX + BANNER_PX }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <SkipLink />
      <AppShell.Header>
        {tab === null ? null : <Banner tab={tab} until={until} />}
        <Header isOpen={isOpen} onToggle={toggle} isLive={isLive} />
      </AppShell.Header>
      <AppShell.Navbar p="xs" component="nav" aria-label={t('Pages')}>
        <Navigation pathname={pathname} />
      </AppShell.Navbar>
      <AppShell.Main id={MAIN} tabIndex={-1}>
        <Notices isLive={isLive} />
        <Answer of={session}>{() => <Outlet />}</Answer>
      </AppShell.Main>
      <Palette />
    </AppShell>
  )
}

const MAIN = 'page'

/** The first stop of the Tab key: who uses a keyboard need not go through the navigation on each page. */
const SkipLink = () => (
  <a
    href={`#${MAIN}`}
    className="skip"
    onClick={(event) => {
      event.preventDefault() // what stands behind the # of an address belongs to links that open it
      document.getElementById(MAIN)?.focus()
    }}
  >
    {t('Skip to the page')}
  </a>
)
