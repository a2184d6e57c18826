import {
  ActionIcon,
  Badge,
  Burger,
  Group,
  Menu,
  Text,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { own } from '../api/client.ts'
import { sessionQuery } from '../api/queries.ts'
import { keepKey } from '../api/session.ts'
import { forgetUnsent } from '../api/useUnsent.ts'
import { LANGUAGE, LANGUAGES, type Language, setLanguage, t } from '../language/index.ts'
import { Icon, Quiet } from '../parts/index.ts'
import { openPalette } from './Palette.tsx'

export const HEADER_PX = 52

interface HeaderProps {
  /** the navigation, on a small screen */
  readonly isOpen: boolean
  readonly onToggle: () => void
  /** it hears what happens */
  readonly isLive: boolean
}

/** The name of the reality, the search, and the account. */
export function Header({ isOpen, onToggle, isLive }: HeaderProps) {
  const { data: session } = useQuery(sessionQuery)
  return (
    <Group h={HEADER_PX} px="md" justify="space-between" wrap="nowrap">
      <Group gap="sm" wrap="nowrap">
        <Burger opened={isOpen} onClick={onToggle} hiddenFrom="sm" size="sm" aria-label={t('Navigation')} />
        <img src="/tree.svg" width={24} height={24} alt="" />
        <Text fw={600}>{session?.reality ?? 'TreeOS'}</Text>
        {isLive ? null : (
          <Badge color="orange" tt="uppercase">
            {t('connecting')}
          </Badge>
        )}
      </Group>
      <Group gap="xs" wrap="nowrap">
        <ActionIcon variant="default" size="lg" w={{ base: 36, sm: 180 }} onClick={openPalette}>
          <Group gap={6} wrap="nowrap">
            <Icon name="search" size={16} />
            <Quiet visibleFrom="sm">
              {t('Search')} &nbsp;{t('Ctrl K')}
            </Quiet>
            <VisuallyHidden hiddenFrom="sm">{t('Search')}</VisuallyHidden>
          </Group>
        </ActionIcon>
        <AccountMenu stance={session?.stance ?? '…'} />
      </Group>
    </Group>
  )
}

const SCHEMES = { auto: t('As the system'), light: t('Light'), dark: t('Dark') } as const

function AccountMenu({ stance }: { readonly stance: string }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const leaving = useMutation({
    mutationFn: () => own['sign-out'].$post(),
    onSettled: () => {
      forgetUnsent()
      keepKey(null)
    },
  })
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon
          variant="default"
          size="lg"
          w="auto"
          px="sm"
          aria-label={t('Account of {{stance}}', { stance })}
        >
          <Text size="sm">{stance}</Text>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('Colours')}</Menu.Label>
        {(['auto', 'light', 'dark'] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme)}
            fw={scheme === colorScheme ? 600 : 400}
          >
            {SCHEMES[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>{t('Language')}</Menu.Label>
        {(Object.keys(LANGUAGES) as Language[]).map((language) => (
          <Menu.Item
            key={language}
            lang={language}
            onClick={() => setLanguage(language)}
            fw={language === LANGUAGE ? 600 : 400}
          >
            {LANGUAGES[language]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} to="/account">
          {t('Settings')}
        </Menu.Item>
        <Menu.Item onClick={() => leaving.mutate()}>{t('Sign out')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
