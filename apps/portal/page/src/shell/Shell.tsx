import { AppShell, NavLink } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { followLive } from '../api/live.ts'
import { sessionQuery } from '../api/queries.ts'
import { newQueryClient } from '../api/query-client.ts'
import { onKeyChange, sessionKey } from '../api/session.ts'
import { type Driven, driven, onDrivenChange } from '../api/tab.ts'
import { SignIn } from '../door/SignIn.tsx'
import { BANNER_PX, Banner } from '../inhabit/Banner.tsx'
import { endWithTabs, renewLease } from '../inhabit/lease.ts'
import { Over } from '../inhabit/Over.tsx'
import { Answer } from '../parts/index.ts'
import { HEADER_PX, Header } from './Header.tsx'
import { NAVIGATION } from './navigation.ts'
import { Palette } from './Palette.tsx'
import { Waiting } from './Waiting.tsx'

/** What every page stands in. It holds nothing of an earlier session: each one makes it anew. */
export function Shell() {
  const key = useSyncExternalStore(onKeyChange, sessionKey)
  return <Session key={key ?? ''} isSignedIn={key !== null} />
}

/** Each session has its own cache, so nobody sees what the person before asked for. Another tab may begin a session, too. */
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

function Frame({ tab }: { readonly tab: Driven | null }) {
  const [isOpen, { toggle, close }] = useDisclosure()
  const [isLive, setLive] = useState(true)
  const session = useQuery(sessionQuery)
  const queries = useQueryClient()
  const { pathname } = useLocation()
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
      <AppShell.Header>
        {tab === null ? null : <Banner tab={tab} until={until} />}
        <Header isOpen={isOpen} onToggle={toggle} isLive={isLive} />
      </AppShell.Header>
      <AppShell.Navbar p="xs" component="nav" aria-label="Pages">
        <Navigation pathname={pathname} />
      </AppShell.Navbar>
      <AppShell.Main>
        <Answer of={session}>{() => <Outlet />}</Answer>
      </AppShell.Main>
      <Palette />
    </AppShell>
  )
}

function Navigation({ pathname }: { readonly pathname: string }) {
  const { data: session } = useQuery(sessionQuery)
  const own = `/beings/${session?.stance.slice(1)}`
  return (
    <>
      {NAVIGATION.map(({ to, label }) => (
        <NavLink
          key={to}
          component={Link}
          to={to}
          label={label}
          active={pathname.startsWith(to)}
          rightSection={to === '/inbox' ? <Waiting /> : null}
        />
      ))}
      {session === undefined ? null : (
        <NavLink component={Link} to={own} label="Me" active={pathname === own} />
      )}
      {session?.temporalUi == null ? null : (
        <NavLink
          href={session.temporalUi}
          target="_blank"
          rel="noreferrer"
          label="Temporal"
          description="opens its own page"
        />
      )}
    </>
  )
}
