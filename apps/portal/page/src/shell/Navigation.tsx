import { NavLink, ScrollArea, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { sessionQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { Icon, type IconName } from '../parts/index.ts'
import { pagesFor, type SessionFound } from './navigation.ts'
import { WaitingCount } from './WaitingCount.tsx'

/** The pages that one has use for, in groups. */
export function Navigation({ pathname }: { readonly pathname: string }) {
  const { data: session } = useQuery(sessionQuery)
  return (
    <ScrollArea type="auto" className="pages">
      {session === undefined
        ? null
        : pagesFor(session).map(({ title, pages }) => (
            <Group key={title} title={title}>
              {pages.map(({ to, label, icon }) => (
                <Entry key={to} to={to} label={label} icon={icon} isActive={isOnPage(pathname, to)} />
              ))}
            </Group>
          ))}
      {session === undefined ? null : <Own session={session} pathname={pathname} />}
    </ScrollArea>
  )
}

const isOnPage = (pathname: string, to: string): boolean =>
  to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`)

const Group = ({ title, children }: { readonly title: string; readonly children: React.ReactNode }) => (
  <section aria-label={title} className="page-group">
    <Text className="page-group-title" aria-hidden>
      {title}
    </Text>
    {children}
  </section>
)

interface EntryProps {
  readonly to: string
  readonly label: string
  readonly icon: IconName
  readonly isActive: boolean
}

const Entry = ({ to, label, icon, isActive }: EntryProps) => (
  <NavLink
    component={Link}
    to={to}
    label={label}
    leftSection={<Icon name={icon} />}
    active={isActive}
    rightSection={to === '/inbox' ? <WaitingCount /> : null}
  />
)

function Own({ session, pathname }: { readonly session: SessionFound; readonly pathname: string }) {
  const { stance, driver, temporalUi, uses } = session
  const me = `/beings/${stance.slice(1)}`
  return (
    <Group title={t('Yours')}>
      <Entry to={me} label={t('Me')} icon="me" isActive={pathname === me} />
      {driver === null ? (
        <Entry to="/account" label={t('Settings')} icon="key" isActive={pathname === '/account'} />
      ) : null}
      {temporalUi == null || !uses.all ? null : (
        <NavLink
          href={temporalUi}
          target="_blank"
          rel="noreferrer"
          label="Temporal"
          description={t('opens its own page')}
          leftSection={<Icon name="temporal" />}
        />
      )}
    </Group>
  )
}
