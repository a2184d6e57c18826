import {
  ActionIcon,
  AppShell,
  Badge,
  Burger,
  Group,
  Menu,
  NavLink,
  Text,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { QueryClientProvider, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { api } from '../api/client.ts'
import { followLive } from '../api/live.ts'
import { inboxQuery, sessionQuery } from '../api/queries.ts'
import { newQueryClient } from '../api/query-client.ts'
import { keepKey, onKeyChange, sessionKey } from '../api/session.ts'
import { type Driven, driven, onDrivenChange } from '../api/tab.ts'
import { SignIn } from '../door/SignIn.tsx'
import { BANNER_PX, Banner } from '../inhabit/Banner.tsx'
import { renewLease, watchTabs } from '../inhabit/hold.ts'
import { Over } from '../inhabit/Over.tsx'
import { openPalette, Palette } from './Palette.tsx'
import { Answer } from './states.tsx'

/** What every page stands in. It holds nothing of an earlier session: each one makes it anew. */
export function Shell() {
  const key = useSyncExternalStore(onKeyChange, sessionKey)
  return <Session key={key ?? ''} isSignedIn={key !== null} />
}

/** Each session has its own cache, so nobody sees what the person before asked for. Another tab may begin a session, too. */
function Session({ isSignedIn }: { readonly isSignedIn: boolean }) {
  const [queries] = useState(newQueryClient)
  const tab = useSyncExternalStore(onDrivenChange, driven)
  useEffect(watchTabs, [])
  return (
    <QueryClientProvider client={queries}>
      {isSignedIn ? (
        tab !== null && tab.over !== null ? (
          <Over tab={tab} />
        ) : (
          <Frame key={tab?.handle ?? ''} tab={tab} />
        )
      ) : (
        <SignIn />
      )}
    </QueryClientProvider>
  )
}

const HEADER_PX = 52

const PAGES = [
  { to: '/world', label: 'World' },
  { to: '/inbox', label: 'Inbox' },
  { to: '/threads', label: 'Threads' },
  { to: '/roles', label: 'Roles' },
  { to: '/signals', label: 'Signals' },
  { to: '/do', label: 'Do' },
  { to: '/birth', label: 'Birther' },
  { to: '/overlays', label: 'Overlays' },
  { to: '/replay', label: 'Replay' },
  { to: '/people', label: 'People' },
  { to: '/health', label: 'Health' },
] as const

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
        <Group h={HEADER_PX} px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <img src="/tree.svg" width={24} height={24} alt="" />
            <Text fw={600}>{session.data?.reality ?? 'TreeOS'}</Text>
            {isLive ? null : (
              <Badge color="orange" variant="light">
                connecting
              </Badge>
            )}
          </Group>
          <Group gap="xs" wrap="nowrap">
            <ActionIcon variant="default" size="lg" w={{ base: 36, sm: 120 }} onClick={openPalette}>
              <Text size="sm" visibleFrom="sm" className="quiet">
                Search &nbsp;Ctrl K
              </Text>
              <VisuallyHidden hiddenFrom="sm">Search</VisuallyHidden>
              <Text size="sm" hiddenFrom="sm" aria-hidden>
                ⌕
              </Text>
            </ActionIcon>
            <Account stance={session.data?.stance} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" component="nav" aria-label="Pages">
        {PAGES.map(({ to, label }) => (
          <NavLink
            key={to}
            component={Link}
            to={to}
            label={label}
            active={pathname.startsWith(to)}
            rightSection={to === '/inbox' ? <Waiting /> : null}
          />
        ))}
        {session.data === undefined ? null : (
          <NavLink
            component={Link}
            to={`/beings/${session.data.stance.slice(1)}`}
            label="Me"
            active={pathname === `/beings/${session.data.stance.slice(1)}`}
          />
        )}
        {session.data?.temporalUi == null ? null : (
          <NavLink
            href={session.data.temporalUi}
            target="_blank"
            rel="noreferrer"
            label="Temporal"
            description="opens its own page"
          />
        )}
      </AppShell.Navbar>
      <AppShell.Main>
        <Answer of={session}>{() => <Outlet />}</Answer>
      </AppShell.Main>
      <Palette />
    </AppShell>
  )
}

/** How much waits in the inbox. */
function Waiting() {
  const { data } = useQuery(inboxQuery)
  if (data === undefined || data.length === 0) return null
  return (
    <Badge size="sm" circle={data.length < 10} aria-label={`${data.length} entries`}>
      {data.length}
    </Badge>
  )
}

function Account({ stance }: { readonly stance: string | undefined }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const leaving = useMutation({
    mutationFn: async () => (await api['sign-out'].$post()).json(),
    onSettled: () => keepKey(null),
  })
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" w="auto" px="sm" aria-label={`Account of ${stance ?? '…'}`}>
          <Text size="sm">{stance ?? '…'}</Text>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Colours</Menu.Label>
        {(['auto', 'light', 'dark'] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme)}
            fw={scheme === colorScheme ? 600 : 400}
          >
            {scheme === 'auto' ? 'As the system' : scheme === 'light' ? 'Light' : 'Dark'}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} to="/account">
          How you sign in
        </Menu.Item>
        <Menu.Item onClick={() => leaving.mutate()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
